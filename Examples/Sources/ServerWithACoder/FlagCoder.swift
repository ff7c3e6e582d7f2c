import EaselCoding
import EaselCore

/// Reads flags, the format of the guide "Writing a coder": nine bytes with a size and one colour.
struct FlagCoder: ImageCoder {
  let identifier = "org.example.flag"
  let formats = [ImageFormat(mimeType: "image/x-flag")]
  func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Array("FLAG".utf8)) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let file = try bytes.prefix(9)
    guard file.count == 9 else { throw ImageError(.badImageData, "Flag: the file is cut short.") }
    return ImageHeader(format: formats[0], storedSize: PixelSize(width: Int(file[4]), height: Int(file[5])))
  }
  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let (header, pixel) = (try probe(bytes, work: work), try bytes.prefix(9)[6...] + [255])
    return try header.image(options, work: work) { _ in (0..<header.storedSize.width).flatMap { _ in pixel } }
  }
}
