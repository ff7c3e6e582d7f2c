import EaselCore

/// The fourteen bytes at the start of a file.
struct QOIHeader {
  static let signature: [UInt8] = Array("qoif".utf8)
  static let byteCount = 14

  let size: PixelSize
  let hasAlpha: Bool

  /// Reads and checks the header; throws before any memory is allocated for the claimed size.
  init(_ bytes: ImageBytes, limits: Limits) throws {
    let header = try bytes.prefix(Self.byteCount)
    guard header.count == Self.byteCount, header.starts(with: Self.signature) else {
      throw ImageError(.badImageData, "QOI: \(bytes.count) bytes are no whole header.")
    }
    let number = { (start: Int) in header[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    size = PixelSize(width: number(4), height: number(8))
    try limits.check(frame: size, claimedBy: "QOI: the header")
    guard header[12] == 3 || header[12] == 4, header[13] <= 1 else {
      throw ImageError(
        .badImageData,
        "QOI: the header claims \(header[12]) channels and colour space \(header[13]), which do not exist.")
    }
    hasAlpha = header[12] == 4
  }

  var imageHeader: ImageHeader { ImageHeader(format: .qoi, storedSize: size, hasAlpha: hasAlpha) }
}
