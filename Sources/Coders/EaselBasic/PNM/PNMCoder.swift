import EaselCoding
import EaselCore
import EaselPixels

/// Reads PBM, PGM, PPM and PAM, plain or packed, and writes PGM, PPM and PAM.
///
/// A picture with alpha is written as PAM, a grey picture as PGM, and any other picture as PPM, with 16 bits per sample
/// if the picture has 16. A file has no profile and no orientation, so pixels are written upright and in sRGB. If a
/// file has several pictures, the coder reads only the first.
public struct PNMCoder: EncodingCoder, MetadataCountingCoder, FileNamingCoder {
  private static let name = "PNM"

  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "pnm" }

  /// Only ``EaselCore/ImageFormat/pnm``, which stands for PBM, PGM, PPM and PAM.
  public var formats: [ImageFormat] { [.pnm] }

  /// The extensions of PNM files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix is a header, or the start of one.
  ///
  /// A short prefix must hold the whole header, because two letters and a blank are no signature.
  public func canDecode(prefix: [UInt8]) -> Bool {
    guard prefix.first == UInt8(ascii: "P") else { return false }
    var reader = PNMHeaderReader(ImageBytes(prefix), limits: Limits())
    do {
      _ = try reader.read()
      return true
    } catch {
      switch error {
      case .ends: return prefix.count >= Self.sniffLength
      case .unsupported: return true
      case .breaks, .failed: return false
      }
    }
  }

  /// Reads the header.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try open(bytes, work: work).header.imageHeader
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let (header, start) = try open(bytes, work: work)
    let picture = BasicImage(name: Self.name, header: header.imageHeader, options: options, work: work)
    let alpha: PixelFormat.Alpha = header.hasAlpha ? .straight : .opaque
    let isWide = options.keeps16Bits && header.isWide
    return try picture.decode(format: PixelFormat(isWide ? .rgba16 : .rgba8, alpha: alpha)) { rows throws(ImageError) in
      let damage =
        isWide
        ? try Self.read(header, start.reader, into: rows, most: UInt16.max, work: work)
        : try Self.read(header, start.reader, into: rows, most: UInt8.max, work: work)
      return damage.map { Wound($0) }
    }
  }

  private static func read<Sample: FixedWidthInteger & UnsignedInteger & SIMDScalar & BitwiseCopyable>(
    _ header: PNMHeader, _ start: ByteReader, into rows: ImageRows, most: Sample, work: WorkContext
  ) throws(ImageError) -> String? {
    var reader = PNMSampleReader(header, start, work: work)
    guard !reader.hasPlainBytes else { return try reader.readBytes(into: rows) }
    var samples = [UInt16](repeating: 0, count: header.samplesPerRow)
    var row = [Sample](repeating: most, count: 4 * header.size.width)
    // Values above the highest allowed value count as the highest.
    let cutsBits = header.most == 65_535 && most == 255
    let scaled = (0...header.most).map { value in
      // Of 16 bits, the upper 8 are taken, as in other formats.
      cutsBits ? Sample(value >> 8) : Sample((value * Int(most) + header.most / 2) / header.most)
    }
    let (channels, hasAlpha) = (header.channels, header.hasAlpha)
    let blue = channels > 2 ? 2 : 0
    while !rows.isComplete {
      if let damage = try reader.read(into: &samples) { return "\(damage), in row \(rows.count)" }
      for x in 0..<header.size.width {
        let place = x * channels
        row[4 * x] = scaled[min(header.most, Int(samples[place]))]
        row[4 * x + 1] = scaled[min(header.most, Int(samples[place + blue / 2]))]
        row[4 * x + 2] = scaled[min(header.most, Int(samples[place + blue]))]
        if hasAlpha { row[4 * x + 3] = scaled[min(header.most, Int(samples[place + channels - 1]))] }
      }
      try row.pushed(to: rows)
    }
    return nil
  }

  /// Counts the bytes of comments and the bytes after the end of the picture; nil for a damaged file.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    guard let (header, start) = try? open(bytes, work: work) else { return nil }
    var reader = PNMSampleReader(header, start.reader, work: work)
    var samples = [UInt16](repeating: 0, count: header.samplesPerRow)
    var pace = CancellationPace(work)
    for _ in 0..<header.size.height {
      try pace.step(pixels: header.size.width)
      guard try reader.read(into: &samples) == nil else { return nil }
    }
    let isPlain = header.raster == .plainBits || header.raster == .plainNumbers
    if isPlain { try reader.skipBlanks() }
    guard !reader.endsInNumber else { return nil }
    return start.commentBytes + reader.commentBytes + bytes.count - reader.reader.position
  }

  /// Returns false, because a file holds one picture.
  public func writesFrames(as format: ImageFormat) -> Bool { false }

  /// Keeps both size limits.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions { options.basic }

  /// Writes the picture without loss.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "PNM")
    return try BasicEncoder(name: Self.name, options: options, work: work, keeps16Bits: true).encode(image) {
      try PNMWriter.file(of: $0, work: work)
    }
  }

  private func open(
    _ bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> (header: PNMHeader, start: PNMHeaderReader) {
    var reader = PNMHeaderReader(bytes, limits: work.limits)
    let header: PNMHeader
    do {
      header = try reader.read()
    } catch {
      switch error {
      case .ends: throw .bad(Self.name, "the file ends after \(bytes.count) bytes, within its header")
      case .breaks(let rule): throw .bad(Self.name, "this is no header: \(rule)")
      case .unsupported(let rule): throw ImageError(.unsupportedFormat, "\(Self.name): \(rule).")
      case .failed(let error): throw error
      }
    }
    try work.limits.check(frame: header.size, claimedBy: "\(Self.name): the header")
    return (header, reader)
  }
}
