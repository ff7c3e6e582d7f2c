import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselTransformers

/// A transformer that says it leaves a size unchanged must change no pixel of such a picture.
struct LeavingUnchangedTests {
  private static let size = PixelSize(width: 12, height: 8)

  private static let unchanging: [TransformerPipeline] = [
    .resize(width: 12), .resize(height: 8), .resize(width: 12, height: 8), .resize(within: size),
    .resize(within: PixelSize(width: 100, height: 100)), .resize(within: PixelSize(width: 12, height: 0)),
    .resize(width: 12, height: 8, mode: .fill), .resize(width: 12, height: 8, mode: .pad),
    .resize(width: 6, height: 4, mode: .fill).then(.resize(within: size)),
    .crop(x: 0, y: 0, width: 12, height: 8), .crop(x: -3, y: -3, width: 30, height: 30), .crop(width: 50, height: 50),
    .crop(ratioWidth: 3, ratioHeight: 2), .crop(shareX: 0, shareY: 0, shareWidth: 1, shareHeight: 1),
    .crop(width: 12, height: 8).then(.resize(width: 12)), .extend(ratioWidth: 3, ratioHeight: 2),
  ]

  private static let changing: [TransformerPipeline] = [
    .resize(width: 11), .resize(width: 13), .resize(within: PixelSize(width: 11, height: 100)),
    .resize(within: PixelSize(width: 100, height: 100), enlarges: true),
    .resize(width: 12, height: 9, mode: .pad),
    .resize(width: 12, height: 7, mode: .fill), .crop(x: 1, y: 0, width: 11, height: 8),
    .crop(ratioWidth: 1, ratioHeight: 1), .crop(x: 20, y: 20, width: 1, height: 1), .resize(width: -1),
    .resize(width: 0), .extend(ratioWidth: 1, ratioHeight: 1), .crop(width: 12, height: 8).then(.resize(width: 5)),
    .extend(ratioWidth: .nan, ratioHeight: 1), .crop(ratioWidth: 0, ratioHeight: 0),
  ]

  private func leavesUnchanged(_ pipeline: TransformerPipeline) -> Bool {
    pipeline.merged.members.allSatisfy {
      ($0 as? any SizeDependentTransformer)?.leavesUnchanged(Self.size) ?? false
    }
  }

  @Test(arguments: unchanging.indices) func nothingChangesWhereNothingIsSaidToChange(_ index: Int) throws {
    let pipeline = Self.unchanging[index]
    let bitmap = try noise(Self.size)
    let result = try pipeline.transform(Image(bitmap), work: WorkContext()).bitmap
    // A pipeline that shrinks and then fits changes pixels, and must not claim otherwise.
    #expect(leavesUnchanged(pipeline) == (result == bitmap), "\(pipeline.cacheKey)")
  }

  @Test(arguments: changing.indices) func whatChangesOrFailsSaysSo(_ index: Int) {
    #expect(!leavesUnchanged(Self.changing[index]), "\(Self.changing[index].cacheKey)")
  }

  @Test func randomSizesAgreeWithThePixels() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<300 {
      let pipeline = TransformerPipeline.resize(
        width: .random(in: 0...14, using: &random), height: .random(in: 1...14, using: &random),
        mode: [.force, .pad, .fill, .fit, .scaleDown].randomElement(using: &random)!)
      let bitmap = try noise(Self.size)
      let result = try pipeline.transform(Image(bitmap), work: WorkContext()).bitmap
      if leavesUnchanged(pipeline) { #expect(result == bitmap, "\(pipeline.cacheKey)") }
    }
  }

  private func noise(_ size: PixelSize) throws -> Bitmap {
    var bitmap = try Bitmap(size: size, format: .rgba8)
    bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* 89) }
    }
    return bitmap
  }
}
