import EaselCoding
import EaselCore
import EaselPixels

/// Reads and writes QOI, the Quite OK Image format.
///
/// The coder ignores a note in the file that its colours are linear, as other readers do. A file has no profile and no
/// orientation, so pixels are written upright and in sRGB, without loss.
public struct QOICoder: EncodingCoder, MetadataCountingCoder {
  private static let name = "QOI"

  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "qoi" }

  /// Only QOI.
  public var formats: [ImageFormat] { [.qoi] }

  /// Returns true if the prefix is a header whose values are possible.
  public func canDecode(prefix: [UInt8]) -> Bool { QOIHeader(prefix) != nil }

  /// Reads the header.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try header(of: bytes, work: work).imageHeader
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let header = try header(of: bytes, work: work)
    let picture = BasicImage(name: Self.name, header: header.imageHeader, options: options, work: work)
    return try picture.decode(format: header.hasAlpha ? .rgba8 : .opaqueRGBA8) { rows throws(ImageError) in
      var pixels = QOIPixelReader(bytes, isOpaque: !header.hasAlpha)
      while !rows.isComplete {
        let isWhole = try rows.push { (target) throws(ImageError) in
          try pixels.read(into: target.assumingMemoryBound(to: QOIPixel.self))
        }
        guard isWhole else {
          return Wound(
            "the file ends after \(bytes.count) bytes, before row \(rows.count) of \(header.size.height)")
        }
      }
      return try pixels.readEnd() ? nil : Wound("the bytes that end a file are missing", sparesPixels: true)
    }
  }

  /// Counts the bytes after the end of the picture; nil if the file lacks the end mark.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    guard let header = try? header(of: bytes, work: work) else { return nil }
    var pixels = QOIPixelReader(bytes)
    var pace = CancellationPace(work)
    var row = [QOIPixel](repeating: QOIPixel(), count: header.size.width)
    for _ in 0..<header.size.height {
      try pace.step(pixels: header.size.width)
      let result = row.withUnsafeMutableBufferPointer { row in
        Result<Bool, ImageError> { () throws(ImageError) in try pixels.read(into: row) }
      }
      guard try result.get() else { return nil }
    }
    return try pixels.readEnd() ? bytes.count - pixels.position : nil
  }

  /// Returns false, because a file holds one picture.
  public func writesFrames(as format: ImageFormat) -> Bool { false }

  /// Keeps both size limits.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions { options.basic }

  /// Writes the picture without loss, at 8 bits per component.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "QOI")
    return try BasicEncoder(name: Self.name, options: options, work: work).encode(image) {
      try QOIWriter.file(of: $0, work: work)
    }
  }

  private func header(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> QOIHeader {
    guard let header = QOIHeader(try bytes.prefix(QOIHeader.byteCount)) else {
      throw .bad(Self.name, "the \(bytes.count) bytes do not begin with a header of 14 bytes with possible values")
    }
    try work.limits.check(frame: header.size, claimedBy: "\(Self.name): the header")
    return header
  }
}
