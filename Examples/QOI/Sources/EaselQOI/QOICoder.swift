import EaselCore
import EaselPixels

/// Reads and writes QOI, a simple lossless format (https://qoiformat.org).
public struct QOICoder: EncodingCoder {
  /// Creates the coder.
  public init() {}

  /// The name in cache keys.
  public var identifier: String { "example-qoi" }

  /// Only QOI.
  public var formats: [ImageFormat] { [.qoi] }

  /// True when the four bytes of the signature are there.
  public func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: QOIHeader.signature) }

  /// Reads the fourteen bytes of the header.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try QOIHeader(bytes, limits: work.limits).imageHeader
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let header = try QOIHeader(bytes, limits: work.limits)
    let hasAlpha = header.hasAlpha && work.context[.qoiIgnoresAlpha] != true
    var bitmap = try Bitmap(size: header.size, format: hasAlpha ? .rgba8 : .opaqueRGBA8)
    let decodedRows = try bytes.withUnsafeBytes { bytes in
      var decoder = QOIDecoder(bytes, at: QOIHeader.byteCount, keepsAlpha: hasAlpha)
      return try decoder.fill(&bitmap, work: work)
    }
    if decodedRows < header.size.height, options.damaged != .show || decodedRows == 0 {
      throw ImageError(
        .badImageData, "QOI: the file ends in row \(decodedRows) of \(header.size.height); it was cut short.")
    }
    var image = Image(
      try bitmap.resized(to: options.targetSize(for: header.imageHeader), work: work), format: .qoi,
      metadata: ImageMetadata(storedSize: header.size))
    if decodedRows < header.size.height { image.traits.insert(.partial) }
    if image.size != header.size { image.traits.insert(.thumbnail) }
    return image
  }

  /// True for QOI.
  public func canEncode(_ format: ImageFormat) -> Bool { format == .qoi }

  /// Encodes the picture, or the first frame of a moving one; 8-bit pixels are not changed.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard canEncode(format) else { throw ImageError(.encodeFailed, "QOI: the coder does not write \(format).") }
    let size = options.maxPixelSize.map { image.size.thumbnail(in: $0) } ?? image.size
    try work.limits.check(frame: size, claimedBy: "QOI: the picture to be written")
    let alpha: PixelFormat.Alpha = image.bitmap.format.alpha == .opaque ? .opaque : .straight
    let bitmap = try image.bitmap.resized(to: size, work: work)
      .converted(to: PixelFormat(.rgba8, alpha: alpha), work: work)
    let bytes = try QOIEncoder().encode(bitmap, work: work)
    if let limit = options.maxFileBytes, bytes.count > limit {
      throw ImageError(
        .encodeFailed,
        "QOI: the picture takes \(bytes.count) bytes, over the limit of \(limit); QOI has no quality to lower.")
    }
    return ImageBytes(bytes)
  }
}
