import EaselCore

/// A coder of a toy format that does all that a real one does, counts it, and can be stopped on its way.
///
/// ``ToyPicture`` makes its files.
public final class ToyCoder: ProgressiveImageCoder {
  private struct State {
    var counts = Counts()
    var decodeOptions: [DecodeOptions] = []
    var running = 0
    var mostRunning = 0
  }

  /// How often the coder was asked for what.
  public struct Counts: Hashable, Sendable {
    /// Headers read.
    public var probes = 0
    /// Pictures decoded in one go.
    public var decodes = 0
    /// Progressive decoders made.
    public var decoders = 0
    /// Previews made by them.
    public var previews = 0
    /// Pictures finished by them.
    public var finishes = 0
    /// Pictures encoded.
    public var encodes = 0

    /// Creates the counts of a coder that did nothing.
    public init() {}
  }

  /// The name in cache keys.
  public let identifier: String
  /// Whether it makes progressive decoders.
  public let isProgressive: Bool
  /// Where each decode waits, open unless a test closes it.
  public let decodeGate = Gate(isOpen: true)
  /// Where each preview waits, open unless a test closes it.
  public let previewGate = Gate(isOpen: true)
  /// Where each encode waits, open unless a test closes it.
  public let encodeGate = Gate(isOpen: true)
  private let state = Watched(State())

  /// Creates a coder.
  public init(identifier: String = "toy", isProgressive: Bool = true) {
    self.identifier = identifier
    self.isProgressive = isProgressive
  }

  // MARK: What it did

  /// How often it was asked for what.
  public var counts: Counts { state.withLock { $0.counts } }

  /// The options of each decode, progressive ones included, in the order they began.
  public var decodeOptions: [DecodeOptions] { state.withLock { $0.decodeOptions } }

  /// The most decodes that ever ran at once.
  public var mostRunning: Int { state.withLock { $0.mostRunning } }

  /// Suspends until the counts satisfy a condition.
  public func wait(until isReached: @escaping @Sendable (Counts) -> Bool) async {
    await state.wait { isReached($0.counts) }
  }

  func count(_ body: (inout Counts) -> Void) { state.withLock { body(&$0.counts) } }

  // MARK: ImageCoder

  /// The toy format.
  public var formats: [ImageFormat] { [ToyPicture.format] }

  /// Whether the eight bytes of the signature are there.
  public func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: ToyPicture.signature) }

  /// Reads the header.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    count { $0.probes += 1 }
    return try ToyFile(bytes).header
  }

  /// Makes the picture.
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
    try file.check(work.limits)
    let isPartial = file.wholeFrames < file.header.frameCount
    guard !isPartial || options.allowsPartial && file.wholeRows > 0 else {
      throw ImageError(.badImageData, "Toy: the picture ends after \(file.bytes.count) bytes.")
    }
    let bitmap = try file.bitmap(frame: 0, rows: file.wholeRows, options: options, work: work)
    let moves = file.header.frameCount > 1 && file.wholeFrames > 0
    let frames = moves ? ToyFrameSource(file: file, options: options, count: file.wholeFrames) : nil
    return file.image(bitmap, frames: frames, options: options, isPartial: isPartial)
  }

  /// Whether it is the toy format.
  public func canEncode(_ format: ImageFormat) -> Bool { format == ToyPicture.format }

  /// Writes the picture.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    count { $0.encodes += 1 }
    try encodeGate.pass(work)
    guard canEncode(format) else {
      throw ImageError(.encodeFailed, "Toy: the coder does not write \(format).")
    }
    return try ToyPicture(encoding: image, options: options, work: work).imageBytes
  }

  // MARK: ProgressiveImageCoder

  /// Makes a decoder that shows what rows there are.
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
