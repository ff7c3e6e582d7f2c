import EaselSupport

/// Several coders that act as one.
///
/// The coder added last is asked first, and the first that recognizes the signature decodes.
///
/// A registry is immutable: adding a coder makes another registry.
///
/// ```swift
/// let coders = CoderRegistry([PNGCoder(), JPEGCoder()])
/// let image = try coders.decode(bytes, options: DecodeOptions(), work: WorkContext())
/// ```
public struct CoderRegistry: ImageCoder {
  /// One reference, so that handing a registry around costs one retain.
  private let known: Known

  /// The coders.
  ///
  /// Those that can encode are found once, because callers often look for them.
  private final class Known: Sendable {
    let coders: [any ImageCoder]
    let encoders: [any EncodingCoder]

    init(_ coders: [any ImageCoder]) {
      self.coders = coders
      encoders = coders.compactMap { $0.capability((any EncodingCoder).self) }
    }
  }

  /// Collects coders; the last is asked first.
  public init(_ coders: [any ImageCoder] = []) { known = Known(coders) }

  /// The coders in the order in which they were added.
  public var coders: [any ImageCoder] { known.coders }

  /// The identifier of any registry.
  ///
  /// Pictures carry the identifier of the coder that made them.
  public var identifier: String { "registry" }

  /// The formats that the coders decode.
  public var formats: [ImageFormat] {
    var seen: Set<ImageFormat> = []
    return coders.reversed().flatMap(\.formats).filter { seen.insert($0).inserted }
  }

  /// The coder that decodes a format; if several do, the one added last.
  public func coder(decoding format: ImageFormat) -> (any ImageCoder)? {
    coders.last { $0.formats.contains(format) }
  }

  /// The coder that encodes a format; if several do, the one added last.
  public func coder(encoding format: ImageFormat) -> (any EncodingCoder)? {
    known.encoders.last { $0.canEncode(format) }
  }

  /// True when one of the coders recognizes the signature.
  public func canDecode(prefix: [UInt8]) -> Bool { coders.contains { $0.canDecode(prefix: prefix) } }

  /// Reads the header with the first coder that supports the bytes.
  ///
  /// ```swift
  /// let header = try CoderRegistry.standard.probe(bytes, work: WorkContext())
  /// print(header.format, header.uprightSize)
  /// ```
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try first(of: bytes, work) { try $0.probe(bytes, work: work) }
  }

  /// Decodes with the first coder that supports the bytes.
  ///
  /// ```swift
  /// let options = DecodeOptions(thumbnailSize: PixelSize(width: 320, height: 320))
  /// let image = try CoderRegistry.standard.decode(bytes, options: options, work: WorkContext())
  /// ```
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try first(of: bytes, work) { try $0.decode(bytes, options: options, work: work) }
  }

  /// Calls `body` with the first coder that supports the bytes.
  func first<Result>(
    of bytes: ImageBytes, _ work: WorkContext, _ body: (any ImageCoder) throws -> Result
  ) throws -> Result {
    let prefix = try bytes.prefix(Self.sniffLength)
    var causes: [any Error] = []
    for coder in coders.reversed() where coder.canDecode(prefix: prefix) {
      work.time.note(coder: coder.identifier)
      do {
        return try body(coder)
      } catch let error as ImageError where error.code == .unsupportedFormat {
        causes.append(error)
      }
    }
    guard causes.isEmpty else {
      throw ImageError(.unsupportedFormat, "No registered coder supports this variant of the format.", causes: causes)
    }
    guard !bytes.isEmpty else { throw ImageError(.badImageData, "There are no bytes to decode.") }
    let start = hexadecimal(prefix.prefix(8))
    throw ImageError(
      .unsupportedFormat, "No registered coder knows the signature of these \(bytes.count) bytes (0x\(start)...).")
  }
}

extension ImageCoder {
  /// This coder as a registry: itself, or a registry of it alone.
  package var registry: CoderRegistry { self as? CoderRegistry ?? CoderRegistry([self]) }

  /// Returns a registry of this coder, or of its coders, and of `coder`, which is asked first.
  ///
  /// ```swift
  /// configuration.coder = configuration.coder.adding(JPEGCoder())
  /// ```
  public func adding(_ coder: any ImageCoder) -> CoderRegistry { CoderRegistry(registry.coders + [coder]) }

  /// A registry without the coders that have this identifier.
  public func removing(identifier: String) -> CoderRegistry {
    CoderRegistry(registry.coders.filter { $0.identifier != identifier })
  }
}

extension CoderRegistry {
  /// The format of bytes with this beginning; nil when no coder recognizes them.
  ///
  /// Only the signature decides, not a file name or the type that a server states. Nothing is decoded, and the rest of
  /// the bytes may be damaged. Pass at least ``ImageCoder/sniffLength`` bytes, or the whole file if it is shorter.
  public func format(of bytes: ImageBytes) throws(ImageError) -> ImageFormat? {
    try format(of: bytes, work: WorkContext())
  }

  package func format(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> ImageFormat? {
    let prefix = try bytes.prefix(Self.sniffLength)
    for coder in coders.reversed() where coder.canDecode(prefix: prefix) {
      if coder.formats.count == 1 { return coder.formats[0] }
      // A coder of several formats tells them apart by the header.
      if let format = try? coder.probe(bytes, work: work).format { return format }
    }
    return nil
  }
}
