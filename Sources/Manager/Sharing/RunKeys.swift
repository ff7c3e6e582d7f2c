import EaselCore
import EaselHTTP
import FoundationEssentials

/// Identifies loads that get the same picture, or the same encoded bytes, in the same way, so that they can share a
/// run.
///
/// The key reads the request only when two keys are compared; callers with the same request object compare nothing.
struct ResultKey: Sendable {
  private let request: ResolvedRequest
  /// True for a run that refreshes a picture after the caller got its answer.
  private let isBackgroundRefresh: Bool
  /// A unique number for an unsafe request, which must never share a run; nil for safe requests.
  private let alone: UInt64?

  init(_ request: ResolvedRequest, isBackgroundRefresh: Bool = false) {
    self.request = request
    self.isBackgroundRefresh = isBackgroundRefresh
    alone = request.isSafe ? nil : RunNumber.next()
  }

  /// The key of the result in the caches.
  var result: CacheKey { request.resultKey }
}

extension ResultKey: Hashable {
  static func == (left: ResultKey, right: ResultKey) -> Bool {
    left.isBackgroundRefresh == right.isBackgroundRefresh && left.alone == right.alone
      && (left.request === right.request || left.request.sharesResult(with: right.request))
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(request.resultKey)
    hasher.combine(request.decisiveOptions)
  }
}

extension ResolvedRequest {
  /// The options that decide how the result is obtained.
  fileprivate var decisiveOptions: ImageOptions {
    options.intersection([.retryFailed, .refreshCached, .fromCacheOnly, .fromLoaderOnly, .requireAnimated])
  }

  fileprivate func sharesResult(with other: ResolvedRequest) -> Bool {
    resultKey == other.resultKey && decisiveOptions == other.decisiveOptions && layers.reach == other.layers.reach
      && layers.originals == other.layers.originals && shares(.picture, with: other)
  }
}

/// The settings of a request that keep its runs of one kind apart from those of other requests.
struct RunSettings: Hashable, Sendable {
  let request: ResolvedRequest
  let runs: ImageContext.SharedRuns

  static func == (left: RunSettings, right: RunSettings) -> Bool { left.request.shares(left.runs, with: right.request) }

  /// Adds nothing to the hash, because requests of one picture seldom differ in these settings.
  func hash(into hasher: inout Hasher) {}
}

/// Identifies equal lookups in a cache.
struct LookupKey: Hashable, Sendable {
  let key: CacheKey
  let layers: CacheLayers
  let cache: PluginInstance
}

/// Identifies transfers that can be shared.
struct TransferKey: Hashable, Sendable {
  let original: CacheKey
  /// The conditional header fields; empty when the transfer is not a revalidation.
  let conditions: HTTPHeaders
  /// The URL whose response the conditions describe, if it came after redirects.
  let validatedURL: URL?
  private let settings: RunSettings
  /// A unique number for an unsafe request, which must never share a transfer; nil for safe requests.
  let alone: UInt64?

  init(_ request: ResolvedRequest, revalidating record: CacheRecord? = nil) {
    original = request.originalKey
    conditions = record?.response.map { HTTPCacheRules($0).conditions } ?? [:]
    validatedURL = conditions.isEmpty ? nil : record?.response?.redirectedURL
    settings = RunSettings(request: request, runs: .transfer)
    alone = request.isSafe ? nil : RunNumber.next()
  }

  var isRevalidation: Bool { !conditions.isEmpty }
}

/// Identifies decodes and transforms that can be shared.
struct PixelsKey: Hashable, Sendable {
  /// The source of the pixels.
  enum Input: Hashable, Sendable {
    /// One particular transfer: the next transfer with the same key may bring other bytes.
    case transfer(run: UInt64)
    /// Bytes from a cache, with the picture's properties if the manager itself encoded the bytes.
    case bytes(generation: UInt64, CacheRecord.ImageProperties?)
    case bitmap(generation: UInt64)
    /// The first frame of a moving picture, as a still picture.
    case firstFrame(generation: UInt64)
  }

  let original: CacheKey
  let input: Input
  let decodeOptions: DecodeOptions
  /// The coder from the context; nil for the manager's coder.
  private let coder: CacheKey.Suffix?
  /// The settings of plug-ins that change pixels, as they appear in the cache key.
  private let customSettings: [CacheKey.Suffix]
  private let settings: RunSettings
  /// The transformers that have been applied; empty for a decode.
  private let steps: [CacheKey.Suffix]
  let transformsFrames: Bool
  /// The plan of a decode.
  ///
  /// Only loads with this plan can use the decoded picture.
  let plan: DecodePlan?

  /// - Parameter stepCount: the number of transformers that have been applied.
  init(_ request: ResolvedRequest, input: Input, stepCount: Int, plan: DecodePlan? = nil) {
    original = request.originalKey
    self.input = input
    decodeOptions = request.decodeOptions
    // `CacheKey.Suffix` compares its text byte by byte, so it holds the name.
    coder = request.coderName.map { CacheKey.Suffix($0, origin: .setting) }
    customSettings = request.customSettings
    settings = RunSettings(request: request, runs: .pixels)
    steps = request.steps.prefix(stepCount).map { CacheKey.Suffix($0.cacheKey) }
    transformsFrames = stepCount > 0 && request.options.contains(.transformAnimated)
    self.plan = plan
  }
}

/// Identifies encoded bytes that can be shared.
struct EncodingRunKey: Hashable, Sendable {
  private let pixels: PixelsKey
  private let isFinished: Bool
  private let suffix: CacheKey.Suffix

  init(_ request: ResolvedRequest, _ form: ResolvedRecipe, _ source: PixelSource) {
    isFinished = if case .finished = source { true } else { false }
    pixels = PixelsKey(request, input: source.input, stepCount: request.steps.count)
    suffix = form.suffix(mayBeOriginal: request.mayKeepBytes)
  }
}

/// The input of a decode or a transformer.
enum PixelSource: Sendable {
  /// A transfer that may still be running when decoding begins.
  case transfer(JoinedRun<TransferResult>)
  /// Bytes from a cache. They are boxed, because thousands of waiting loads hold a source of another kind.
  indirect case cached(ImageBytes, CacheRecord)
  /// A picture that needs no decoding.
  case image(Image, generation: UInt64)
  /// The first frame of a moving picture, as a still picture.
  case firstFrame(Image, generation: UInt64)
  /// A picture that has been transformed already.
  case finished(Image, generation: UInt64)

  /// The transfer that brings the bytes; nil for bytes and pictures that are already there.
  var transfer: JoinedRun<TransferResult>? { if case .transfer(let transfer) = self { transfer } else { nil } }

  var input: PixelsKey.Input {
    switch self {
    case .transfer(let transfer): .transfer(run: transfer.name.number)
    case .cached(_, let record): .bytes(generation: record.generation, record.picture)
    case .image(_, let generation), .finished(_, let generation): .bitmap(generation: generation)
    case .firstFrame(_, let generation): .firstFrame(generation: generation)
    }
  }
}
