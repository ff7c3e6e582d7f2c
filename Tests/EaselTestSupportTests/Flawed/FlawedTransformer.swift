import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials

/// A transformer that breaks one rule.
final class FlawedTransformer: PlannableTransformer {
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
      // Writes to its input, like a C filter that was given the wrong pointer.
      image.bitmap.withUnsafeBytes { UnsafeMutableRawBufferPointer(mutating: $0)[0] ^= 1 }
    case .takesEveryPixelFormat:
      if image.bitmap.format.layout == .bgra8 { throw ImageError(.transformFailed, "It does not know BGRA.") }
    case .keepsAlphaHonest:
      result.bitmap.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = index % 4 == 3 ? 7 : 200 }
      }
    case .keepsMetadata: result.metadata.iccProfile = nil
    case .failuresAreImageErrors: throw Strange()
    case .limitsHold:
      result.bitmap = try Bitmap(
        size: PixelSize(width: image.size.width * 2, height: image.size.height), format: .rgba8)
    case .framesStay:
      let index = image.bitmap.withUnsafeBytes { Int($0[0] % 3) }
      result.bitmap = try Bitmap(size: PixelSize(width: 5 + index, height: 5), format: .rgba8)
    case .cancellationIsNoFailure:
      guard (try? work.checkCancellation()) != nil else { throw ImageError(.transformFailed, "It was given up.") }
    case .ends: blockForever()
    case .keyIsStable, .planGivesTheSamePicture, .mergingGivesTheSamePicture: break
    }
    return result
  }

  func plan(for size: PixelSize) -> TransformerPipeline.Plan? {
    guard flaw == .planGivesTheSamePicture else { return nil }
    let half = PixelSize(width: size.width / 2, height: size.height / 2)
    return TransformerPipeline.Plan(leastSize: half, transformer: self)
  }

  func merged(with next: any Transformer) -> (any Transformer)? {
    guard flaw == .mergingGivesTheSamePicture else { return nil }
    return TransformerPipeline.closure(key: "Black") { image in
      var image = image
      image.bitmap.withUnsafeMutableBytes { bytes in
        for place in bytes.indices where place % 4 != 3 { bytes[place] = 0 }
      }
      return image
    }
  }
}
