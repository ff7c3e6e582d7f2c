import EaselCoding
import EaselCore
import EaselPixels

/// Reads Radiance HDR in RGBE, whose light has no upper bound: flat, or in runs of either form.
///
/// The value 1 is the white of paper, 203 candela per square metre. The coder makes the pixels of a PQ picture with
/// known light. They are tone-mapped to sRGB, or keep their range if the options ask for that. Light above 10,000
/// candela per square metre is clipped. The coder ignores the exposure that a file states, because the pixels already
/// include it.
///
/// The coder does not write Radiance HDR and does not read XYZE.
public struct RadianceCoder: FileNamingCoder {
  static let name = "Radiance"

  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "radiance" }

  /// Only Radiance HDR.
  public var formats: [ImageFormat] { [.radiance] }

  /// The extensions of Radiance files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix begins with a line that names Radiance or RGBE.
  public func canDecode(prefix: [UInt8]) -> Bool { RadianceHeader.isSignature(prefix) }

  /// Reads the lines before the pixels.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try open(bytes, work: work).header.imageHeader
  }

  /// Decodes the picture.
  ///
  /// The coder reads the pixels twice, because all tones depend on the brightest pixel.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let (header, start) = try open(bytes, work: work)
    var survey = RadianceSurvey()
    var surveyed = RadianceRowReader(start, width: header.size.width)
    var pace = CancellationPace(work)
    try work.checkCancellation()
    for _ in 0..<header.size.height {
      try pace.step(pixels: header.size.width)
      guard try surveyed.readRow() == nil else { break }
      survey.note(surveyed)
    }
    var color = header.color
    color.contentLight = survey.light
    let picture = BasicImage(
      name: Self.name, header: header.imageHeader, metadata: StoredMetadata(color: color), options: options, work: work)
    var image = try picture.decode(format: PixelFormat(.rgba16, alpha: .opaque)) { rows throws(ImageError) in
      var reader = RadianceRowReader(start, width: header.size.width)
      while !rows.isComplete {
        var damage: String?
        let isWhole = try rows.push { (target) throws(ImageError) in
          damage = try reader.readRow()
          guard damage == nil else { return false }
          reader.write(into: target.assumingMemoryBound(to: UInt16.self))
          return true
        }
        guard isWhole else {
          return Wound("\(damage ?? "it ends") in row \(rows.count) of \(header.size.height)")
        }
      }
      return nil
    }
    image.metadata.notes = header.notes + image.metadata.notes
    return image
  }

  /// The header, and a reader at the first pixel.
  private func open(
    _ bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> (header: RadianceHeader, pixels: ByteReader) {
    var reader = ByteReader(bytes)
    let header = try RadianceHeader(&reader, limits: work.limits)
    try work.limits.check(frame: header.size, claimedBy: "\(Self.name): the header")
    return (header, reader)
  }
}
