import EaselCore
import EaselTestSupport
import FoundationEssentials

/// A transformer that breaks one rule.
final class FlawedTransformer: Transformer {
  private struct Strange: Error {}

  private let flaw: TransformerContract.Rule
  private let asked = Locked(0)

  init(_ flaw: TransformerContract.Rule) { self.flaw = flaw }

  private func count() -> Int {
    asked.withLock { asked in
      asked += 1
      return asked
    }
  }

  var cacheKey: String { flaw == .keyIsStable ? "Flawed(\(count()))" : "Flawed(1)" }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    var result = image
    switch flaw {
    case .equalKeysGiveEqualPixels:
      let number = UInt8(truncatingIfNeeded: count())
      result.bitmap.withUnsafeMutableBytes { $0[0] = number }
    case .leavesItsInputAlone:
      // What a filter in C does that was handed the wrong pointer.
      image.bitmap.withUnsafeBytes { UnsafeMutableRawBufferPointer(mutating: $0)[0] ^= 1 }
    case .takesEveryPixelFormat:
      if image.bitmap.format.layout == .bgra8 { throw ImageError(.transformFailed, "It does not know BGRA.") }
    case .keepsAlphaHonest:
      result.bitmap.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = index % 4 == 3 ? 7 : 200 }
      }
    case .keepsMetadata: result.metadata.iccProfile = nil
    case .failuresAreImageErrors: throw Strange()
    case .keyIsStable: break
    }
    return result
  }
}
