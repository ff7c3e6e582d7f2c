import Easel

/// A coder that only the demo has: the mean colours of tiles of eight by eight pixels.
struct DemoCoder: ImageCoder {
  static let format = ImageFormat(mimeType: "image/x-tiles")
  private static let signature = Array("TILES1".utf8)
  private static let side = 8

  var identifier: String { "tiles" }
  var formats: [ImageFormat] { [Self.format] }

  func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Self.signature) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let header = try bytes.prefix(10)
    guard header.count == 10 else { throw ImageError(.badImageData, "Tiles: the header is cut short.") }
    let number = { Int(header[$0]) << 8 | Int(header[$0 + 1]) }
    let size = PixelSize(width: number(6) * Self.side, height: number(8) * Self.side)
    try work.limits.check(frame: size, claimedBy: "Tiles: the header")
    return ImageHeader(format: Self.format, storedSize: size)
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let header = try probe(bytes, work: work)
    let columns = header.storedSize.width / Self.side
    var tiles = try Bitmap(
      size: PixelSize(width: columns, height: header.storedSize.height / Self.side), format: .opaqueRGBA8)
    guard bytes.count >= 10 + tiles.width * tiles.height * 3 else {
      throw ImageError(.badImageData, "Tiles: \(bytes.count) bytes do not hold \(tiles.width * tiles.height) tiles.")
    }
    try bytes.withUnsafeBytes { bytes in
      let (width, height, bytesPerRow) = (tiles.width, tiles.height, tiles.bytesPerRow)
      tiles.withUnsafeMutableBytes { pixels in
        for tile in 0..<width * height {
          let place = tile / width * bytesPerRow + tile % width * 4
          for component in 0..<3 { pixels[place + component] = bytes[10 + tile * 3 + component] }
          pixels[place + 3] = 255
        }
      }
    }
    let bitmap = try tiles.resized(to: options.targetSize(for: header), filter: .nearest, work: work)
    var image = Image(bitmap, format: Self.format, metadata: ImageMetadata(storedSize: header.storedSize))
    if bitmap.size != header.storedSize { image.traits.insert(.thumbnail) }
    return image
  }

  func canEncode(_ format: ImageFormat) -> Bool { format == Self.format }

  func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    let size = PixelSize(
      width: max(1, image.size.width / Self.side), height: max(1, image.size.height / Self.side))
    let tiles = try image.bitmap.resized(to: size, filter: .bilinear, work: work)
      .flattened(over: options.backgroundColor, work: work).converted(to: .opaqueRGBA8, work: work)
    var bytes = Self.signature
    for side in [size.width, size.height] { bytes += [UInt8(side >> 8), UInt8(side & 255)] }
    tiles.withUnsafeBytes { pixels in
      for tile in 0..<size.width * size.height {
        let place = tile / size.width * tiles.bytesPerRow + tile % size.width * 4
        bytes += pixels[place..<place + 3]
      }
    }
    return ImageBytes(bytes)
  }
}
