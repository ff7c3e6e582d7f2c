import Easel

/// A coder of the demo's own format: the mean colours of tiles of eight by eight pixels.
struct DemoCoder: EncodingCoder {
  static let format = ImageFormat(mimeType: "image/x-tiles")
  private static let signature = Array("TILES1".utf8)
  private static let side = 8
  private static let headerLength = 10

  var identifier: String { "org.example.tiles" }
  var formats: [ImageFormat] { [Self.format] }

  func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Self.signature) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let header = try bytes.prefix(Self.headerLength)
    guard header.count == Self.headerLength, canDecode(prefix: header) else {
      throw ImageError(.badImageData, "Tiles: the header is damaged or cut short.")
    }
    let number = { Int(header[$0]) << 8 | Int(header[$0 + 1]) }
    let size = PixelSize(width: number(6), height: number(8))
    try work.limits.check(frame: size, claimedBy: "Tiles: the header")
    return ImageHeader(format: Self.format, storedSize: size)
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let header = try probe(bytes, work: work)
    let tiles = Self.tiles(of: header.storedSize)
    guard bytes.count >= Self.headerLength + tiles.area * 3 else {
      throw ImageError(.badImageData, "Tiles: \(bytes.count) bytes do not hold \(tiles.area) tiles.")
    }
    var picture = try Bitmap(size: header.storedSize, format: .opaqueRGBA8)
    try bytes.withUnsafeBytes { bytes in
      let (width, height, bytesPerRow) = (picture.width, picture.height, picture.bytesPerRow)
      try picture.withUnsafeMutableBytes { pixels in
        for y in 0..<height {
          try work.checkCancellation()
          for x in 0..<width {
            let tile = Self.headerLength + (y / Self.side * tiles.width + x / Self.side) * 3
            let place = y * bytesPerRow + x * 4
            for component in 0..<3 { pixels[place + component] = bytes[tile + component] }
            pixels[place + 3] = 255
          }
        }
      }
    }
    let bitmap = try picture.resized(to: options.targetSize(for: header), filter: .nearest, work: work)
    var image = Image(bitmap, format: Self.format, metadata: ImageMetadata(storedSize: header.storedSize))
    if bitmap.size != header.storedSize { image.traits.insert(.thumbnail) }
    return image
  }

  func canEncode(_ format: ImageFormat) -> Bool { format == Self.format }

  func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard canEncode(format) else { throw ImageError(.encodeFailed, "Tiles: the coder does not write \(format).") }
    let upright = try image.bitmap.oriented(image.metadata.orientation, work: work)
    let size = options.maxPixelSize.map { upright.size.thumbnail(in: $0) } ?? upright.size
    guard size.width < 1 << 16, size.height < 1 << 16 else {
      throw ImageError(.encodeFailed, "Tiles: no side may have more than 65535 pixels, and the picture is \(size).")
    }
    let tiles = try upright.resized(to: Self.tiles(of: size), filter: .bilinear, work: work)
      .flattened(over: options.backgroundColor, work: work).converted(to: .opaqueRGBA8, work: work)
    var bytes = Self.signature
    for side in [size.width, size.height] { bytes += [UInt8(side >> 8), UInt8(side & 255)] }
    for row in 0..<tiles.height {
      try work.checkCancellation()
      tiles.withUnsafeBytes { pixels in
        for place in stride(from: row * tiles.bytesPerRow, to: row * tiles.bytesPerRow + tiles.width * 4, by: 4) {
          bytes += pixels[place..<place + 3]
        }
      }
    }
    if let limit = options.maxFileBytes, bytes.count > limit {
      throw ImageError(.encodeFailed, "Tiles: the picture takes \(bytes.count) bytes, over the limit of \(limit).")
    }
    return ImageBytes(bytes)
  }

  private static func tiles(of size: PixelSize) -> PixelSize {
    PixelSize(width: (size.width + side - 1) / side, height: (size.height + side - 1) / side)
  }
}
