import EaselCore
import Glibc

/// Makes pictures of about a mebibyte and writes to all of their memory.
struct BareCoder: ImageCoder {
  static let signature = Array("EASELBARE".utf8)

  let identifier = "bare"
  let formats = [ImageFormat(mimeType: "image/x-bare")]
  /// True for pictures of different sizes, from half a mebibyte to one and a half.
  let isMixed: Bool

  func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Self.signature) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    throw ImageError(.unsupportedFormat, "Nobody asks for headers here.")
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let number = try bytes.withUnsafeBytes { $0.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } }
    let height = isMixed ? 256 + number % 512 : 512
    var bitmap = try Bitmap(size: PixelSize(width: 512, height: height), format: .rgba8)
    bitmap.withUnsafeMutableBytes { _ = memset($0.baseAddress!, CInt(number & 0xFF), $0.count) }
    return Image(bitmap)
  }
}
