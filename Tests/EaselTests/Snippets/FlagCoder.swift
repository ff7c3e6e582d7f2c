import Easel

// Documentation: writing a coder.
struct FlagCoder: ImageCoder {
  var identifier: String { "org.example.flag" }
  var formats: [ImageFormat] { [ImageFormat(mimeType: "image/x-flag")] }

  func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Array("FLAG".utf8)) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let header = try bytes.prefix(9)
    guard header.count == 9, canDecode(prefix: header) else {
      throw ImageError(.badImageData, "Flag: the header is damaged or cut short.")
    }
    let size = PixelSize(width: Int(header[4]), height: Int(header[5]))
    try work.limits.check(frame: size, claimedBy: "Flag: the header")
    return ImageHeader(format: formats[0], storedSize: size)
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let header = try probe(bytes, work: work)
    let color = try bytes.prefix(9)[6...]
    var bitmap = try Bitmap(size: header.storedSize, format: .opaqueRGBA8)
    let bytesPerRow = bitmap.bytesPerRow
    try bitmap.withUnsafeMutableBytes { pixels in
      for row in 0..<header.storedSize.height {
        try work.checkCancellation()
        for place in 0..<header.storedSize.width * 4 {
          pixels[row * bytesPerRow + place] = place % 4 == 3 ? 255 : color[6 + place % 4]
        }
      }
    }
    let sized = try bitmap.resized(to: options.targetSize(for: header), work: work)
    var image = Image(sized, format: header.format, metadata: ImageMetadata(storedSize: header.storedSize))
    if sized.size != header.storedSize { image.traits.insert(.thumbnail) }
    return image
  }
}
