import EaselCore
import Glibc

/// A coder that does on command what a decoder that was taken over might do.
package struct MisbehavingCoder: RepackingCoder {
  package static let signature = Array("EASEL-MISDEED ".utf8)

  package init() {}

  package var identifier: String { "misbehaving" }

  package var formats: [ImageFormat] { [ImageFormat(mimeType: "image/x-misbehaving")] }

  package func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Self.signature) }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let (misdeed, _) = try command(in: bytes)
    return ImageHeader(format: misdeed == .lieAboutFormat ? Self.page : formats[0], storedSize: Self.size)
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let (misdeed, number) = try command(in: bytes)
    if let picture = try MisdeedWork(limits: work.limits).run(misdeed) { return picture }
    return Image(try Self.picture(number: number), format: misdeed == .lieAboutFormat ? Self.page : formats[0])
  }

  package func repackedFormats(of format: ImageFormat) -> [ImageFormat] { [.jpeg] }

  package func repacked(
    _ file: ImageBytes, as format: ImageFormat, withMetadata: Bool, work: WorkContext
  ) throws -> ImageBytes? {
    let (misdeed, number) = try command(in: file)
    try MisdeedWork(limits: work.limits).runWithFile(misdeed)
    return number == 0 ? nil : Self.file(number: number)
  }

  /// The file inside a picture with this number.
  package static func file(number: Int) -> ImageBytes { ImageBytes(Array("The file \(number).".utf8)) }

  /// A type with which a browser would run what is in the file.
  private static let page = ImageFormat(mimeType: "text/html")

  private func command(in bytes: ImageBytes) throws -> (Misdeed, number: Int) {
    let words = try bytes.withUnsafeBytes { String(decoding: $0.dropFirst(Self.signature.count), as: UTF8.self) }
      .split(separator: " ")
    guard words.count == 2, let misdeed = Misdeed(rawValue: String(words[0])), let number = Int(words[1]) else {
      throw ImageError(.badImageData, "No such misdeed.")
    }
    return (misdeed, number)
  }

  /// The size of its pictures.
  package static let size = PixelSize(width: 40, height: 30)

  /// The picture with this number.
  package static func picture(number: Int) throws -> Bitmap {
    var bitmap = try Bitmap(size: size, format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for place in bytes.indices { bytes[place] = place % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: place * 7 + number) }
    }
    return bitmap
  }
}
