import EaselCore

/// A coder of a toy format that does all that a real coder does, counts its calls, and can be stopped.
///
/// ``ToyImage`` makes its files.
public final class ToyCoder: EncodingCoder, ProgressiveImageCoder, MetadataCountingCoder {
  private struct State {
    var counts = Counts()
    var decodeOptions: [DecodeOptions] = []
    var running = 0
    var mostRunning = 0
  }

  /// The number of calls of each kind.
  public struct Counts: Hashable, Sendable {
    /// The headers read.
    public var probes = 0
    /// The pictures decoded in one go.
    public var decodes = 0
    /// The progressive decoders made.
    public var decoders = 0
    /// The previews that progressive decoders made.
    public var previews = 0
    /// The pictures that progressive decoders finished.
    public var finishes = 0
    /// The pictures encoded.
    public var encodes = 0

    /// Creates counts of zero.
    public init() {}
  }

  /// The name in cache keys.
  public let identifier: String
  /// True when the coder makes progressive decoders.
  public let isProgressive: Bool
  /// True when the coder can tell that files have no metadata.
  public let knowsMetadata: Bool
  /// The gate of each decode; open unless a test closes it.
  public let decodeGate = Gate(isOpen: true)
  /// The gate of each preview; open unless a test closes it.
  public let previewGate = Gate(isOpen: true)
  /// The gate of each encode; open unless a test closes it.
  public let encodeGate = Gate(isOpen: true)
  private let state = Watched(State())

  /// Reads and writes the toy format, with the abilities that a test needs.
  public init(identifier: String = "toy", isProgressive: Bool = true, knowsMetadata: Bool = true) {
    self.identifier = identifier
    self.isProgressive = isProgressive
    self.knowsMetadata = knowsMetadata
  }

  // MARK: What it did

  /// The number of calls so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// The options of each decode, progressive ones included, in the order of their beginning.
  public var decodeOptions: [DecodeOptions] { state.withLock { $0.decodeOptions } }

  /// The largest number of decodes that ran at the same time.
  public var mostRunning: Int { state.withLock { $0.mostRunning } }

  /// Suspends until the counts satisfy a condition.
  public func wait(until isReached: @escaping @Sendable (Counts) -> Bool) async {
    await state.wait { isReached($0.counts) }
  }

  func count(_ body: (inout Counts) -> Void) { state.withLock { body(&$0.counts) } }

  // MARK: ImageCoder

  /// The toy format.
  public var formats: [ImageFormat] { [ToyImage.format] }

  /// True when the eight bytes of the signature are there.
  public func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: ToyImage.signature) }

  /// Reads the header.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    count { $0.probes += 1 }
    return try ToyFile(bytes).header
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    state.withLock { state in
      state.counts.decodes += 1
      state.decodeOptions.append(options)
    }
    return try whole(bytes, options, work)
  }

  func whole(_ bytes: ImageBytes, _ options: DecodeOptions, _ work: WorkContext) throws -> Image {
    state.withLock { state in
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
    }
    defer { state.withLock { $0.running -= 1 } }
    try decodeGate.pass(work)
    let file = try ToyFile(bytes)
    try file.check(work.limits, options)
    let isPartial = file.wholeFrames < file.header.frameCount
    guard !isPartial || options.damaged == .show && file.wholeRows > 0 else {
      throw ImageError(.badImageData, "Toy: the picture ends after \(file.bytes.count) bytes.")
    }
    let bitmap = try file.bitmap(frame: 0, rows: file.wholeRows, options: options, work: work)
    let moves = file.header.frameCount > 1 && file.wholeFrames > 0
    let frames = moves ? ToyFrameSource(file: file, options: options, count: file.wholeFrames) : nil
    return file.image(bitmap, frames: frames, options: options, isPartial: isPartial)
  }

  /// True for the toy format and the one that is only written.
  public func canEncode(_ format: ImageFormat) -> Bool {
    format == ToyImage.format || format == ToyImage.writtenFormat
  }

  /// The byte of an orientation and those after the last frame; nil when a test says that the coder cannot tell.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    knowsMetadata ? try ToyFile(bytes).metadataBytes : nil
  }

  /// True unless the format is the one that is only written.
  public func writesFrames(as format: ImageFormat) -> Bool { format == ToyImage.format }

  /// Encodes the picture.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    count { $0.encodes += 1 }
    try encodeGate.pass(work)
    guard canEncode(format) else {
      throw ImageError(.encodeFailed, "Toy: the coder does not write \(format).")
    }
    var options = options
    if !writesFrames(as: format) { options.firstFrameOnly = true }
    let bytes = try ToyImage(encoding: image, options: options, work: work).bytes
    guard format == ToyImage.writtenFormat else { return ImageBytes(bytes) }
    return ImageBytes(ToyImage.writtenSignature + bytes.dropFirst(ToyImage.signature.count))
  }

  // MARK: ProgressiveImageCoder

  /// Makes a decoder that shows the rows that have arrived.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    guard isProgressive, canDecode(prefix: prefix) else { return nil }
    state.withLock { state in
      state.counts.decoders += 1
      state.decodeOptions.append(options)
    }
    return ToyProgressiveDecoder(coder: self, options: options, work: work)
  }
}
