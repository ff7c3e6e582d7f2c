import Easel
import FoundationEssentials

/// A coder with a flaw: some pictures make it crash.
struct FragileCoder: ImageCoder {
  private static let format = ImageFormat(mimeType: "image/x-fragile")
  private static let signature = Array("FRAGILE".utf8)

  static func picture(crashes: Bool) -> Data { Data(signature + [crashes ? 1 : 0]) }

  var identifier: String { "fragile" }

  var formats: [ImageFormat] { [Self.format] }

  func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Self.signature) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    ImageHeader(format: Self.format, storedSize: PixelSize(width: 2, height: 2))
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let last = try bytes.part(at: Self.signature.count, count: 1)
    precondition(last == [0], "This is the flaw.")
    return Image(try Bitmap(size: PixelSize(width: 2, height: 2), format: .opaqueRGBA8), format: Self.format)
  }
}
