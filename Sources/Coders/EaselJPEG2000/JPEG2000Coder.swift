import EaselCoding
import EaselCore

/// Reads JPEG 2000: files and bare codestreams, in strips or tiles, of 1 to 31 bits per sample.
///
/// The coder reads grey, sRGB, sYCC, inks and palettes, with alpha and with ICC profiles. Samples become 8 bits, or 16
/// if the options keep them. A thumbnail is made from the smallest resolution in the codestream that is large enough,
/// and of a part of a picture only its tiles are read.
/// OpenJPEG rejects most damaged files. With ``EaselCore/DamagePolicy/show`` it leaves out the parts that it cannot
/// read.
///
/// Some damaged files make OpenJPEG end the process, so decode the files of strangers in a sandbox. JPEG 2000 is not
/// written.
public struct JPEG2000Coder: FileNamingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "jpeg2000" }

  /// Files and codestreams of JPEG 2000.
  public var formats: [ImageFormat] { [.jp2, .j2c] }

  /// The extensions of files and of codestreams.
  public func fileExtensions(of format: ImageFormat) -> [String] {
    (format == .j2c ? Self.streamCard : Self.card).fileExtensions
  }

  /// Returns true if the prefix begins with the signature of a file or of a codestream.
  public func canDecode(prefix: [UInt8]) -> Bool {
    prefix.starts(with: JPEG2000File.signature) || prefix.starts(with: JPEG2000Stream.signature)
  }

  /// Reads everything except the pixels.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try open(bytes, work: work).imageHeader
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let file = try open(bytes, isPart: options.region != nil, work: work)
    return try JPEG2000Image(file, options: options, work: work).image(of: bytes)
  }

  /// Reads the header; of a part, the limit of pixels binds only what is read of the picture.
  private func open(_ bytes: ImageBytes, isPart: Bool = false, work: WorkContext) throws(ImageError) -> JPEG2000File {
    try work.checkCancellation()
    var limits = work.limits
    if isPart { limits.framePixels = .max }
    let file = try JPEG2000File(bytes, limits: limits)
    try limits.check(frame: file.stream.size, claimedBy: "JPEG 2000: the header")
    return file
  }
}

extension ImageError {
  static func unsupportedJPEG2000(_ sentence: String) -> ImageError {
    ImageError(.unsupportedFormat, "JPEG 2000: \(sentence).")
  }
}
