import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// The sizes that thumbor made of pictures of the same sizes.
struct ThumborSizeTests: ThumborAddresses {
  /// A white picture with a dark part in it.
  private static func picture(_ size: PixelSize) throws -> Image {
    var bitmap = try Bitmap(size: size, format: .opaqueRGBA8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        let isDark = (10..<40).contains(y)
        for x in 0..<size.width {
          let value: UInt8 = isDark && (20..<80).contains(x) ? 40 : 255
          for index in 0..<3 { bytes[y * bytesPerRow + 4 * x + index] = value }
          bytes[y * bytesPerRow + 4 * x + 3] = 255
        }
      }
    }
    return Image(bitmap)
  }

  @Test func everyPictureGetsThumborsSizeOrAReason() throws {
    for row in ThumborSizeRow.all {
      let picture = try Self.picture(row.picture)
      let wanted = row.ownSize ?? row.size
      let title: Comment = "\(row.parts) of \(row.picture)"
      guard wanted != "error" else {
        #expect(throws: (any Error).self, title) {
          try order(of: row.parts).pipelineWithoutWatermarks().transform(picture, work: WorkContext())
        }
        continue
      }
      let pipeline = try order(of: row.parts).pipelineWithoutWatermarks()
      let size = try pipeline.transform(picture, work: WorkContext()).size
      #expect("\(size)" == wanted, title)
      // The plan for the size that the header states makes the same picture.
      let planned = try pipeline.plan(for: row.picture).transformer.transform(picture, work: WorkContext()).size
      #expect(planned == size, title)
      #expect(row.ownSize == nil || row.ownSize != row.size && row.reason?.isEmpty == false, title)
    }
  }

  @Test func theTableIsLong() {
    #expect(ThumborSizeRow.all.count >= 192)
    // An address that is refused here, and passed over by thumbor, has no size.
    let sized = ThumborSizeRow.all.filter { $0.ownSize != "error" }
    let differing = sized.filter { $0.ownSize != nil }
    // That is 185 of 192.
    #expect(differing.count * 192 <= 7 * sized.count, "\(differing.count) of \(sized.count) differ")
  }
}
