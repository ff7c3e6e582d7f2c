/// What makes two pieces of decoding and transforming the same.
struct PixelsKey: Hashable, Sendable {
  /// Where the pixels come from.
  enum Input: Hashable, Sendable {
    /// One transfer and no other, for the next of the same key may bring other bytes.
    case transfer(run: UInt64)
    /// Bytes of a cache, and what is known of them where they are not those that came.
    case bytes(generation: UInt64, PictureRecord?)
    case bitmap(generation: UInt64)
    /// The first frame of a moving picture, by itself.
    case firstFrame(generation: UInt64)
  }

  let original: CacheKey
  let input: Input
  let decodeOptions: DecodeOptions
  /// The coder that the context chose, nil for the manager's.
  private let coder: KeySuffix?
  let limits: Limits
  /// The context's keys that change pixels, as they stand in the cache key.
  let settings: [KeySuffix]
  /// The transformers so far; none is decoding.
  private let steps: [KeySuffix]
  let transformsFrames: Bool
  /// The plan that a decode follows; nobody else has use for what it makes.
  let plan: DecodePlan?

  init(
    original: CacheKey, input: Input, decodeOptions: DecodeOptions, coder: String?, limits: Limits,
    settings: [KeySuffix], steps: [String], transformsFrames: Bool, plan: DecodePlan?
  ) {
    self.original = original
    self.input = input
    self.decodeOptions = decodeOptions
    self.limits = limits
    self.settings = settings
    self.transformsFrames = transformsFrames
    self.plan = plan
    // As suffixes, which are compared byte by byte.
    self.coder = coder.map { KeySuffix($0, origin: .setting) }
    self.steps = steps.map { KeySuffix($0) }
  }
}
