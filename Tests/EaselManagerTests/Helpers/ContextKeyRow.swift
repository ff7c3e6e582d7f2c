import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// A context key with what it declares, and two contexts that differ in nothing but its value.
struct ContextKeyRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let kind: ImageContext.Impact<Void>.Kind
  let keptApart: ImageContext.SharedRuns
  let forgetsFailures: Bool
  let plain: ImageContext
  let set: ImageContext
  /// The context in which the key has the value that applies without it.
  let usual: ImageContext?
  let options: ImageOptions

  /// - Parameter usual: the value that applies in `plain`, for a key that keeps runs apart.
  init<Value>(
    _ key: ContextKey<Value>, _ value: Value, usual: Value? = nil, beside plain: ImageContext = [],
    options: ImageOptions = []
  ) {
    testDescription = key.name
    kind =
      switch key.impact.kind {
      case .neutral: .neutral
      case .bytes: .bytes
      case .pixels: .pixels
      }
    keptApart = SharingRule.all[key.id]?.runs ?? key.impact.keptApart
    // The manager decides these two by their values.
    forgetsFailures = key.impact.forgetsFailures || ["damaged", "headers"].contains(key.name)
    self.plain = plain
    self.options = options
    var (set, same) = (plain, plain)
    set[key] = value
    same[key] = usual
    self.set = set
    self.usual = usual == nil ? nil : same
  }

  /// True when loads with these two contexts share runs of a kind.
  func shares(_ runs: ImageContext.SharedRuns) -> Bool {
    switch kind {
    case .neutral: !keptApart.contains(runs)
    case .bytes: false
    case .pixels: runs == .transfer && !keptApart.contains(runs)
    }
  }
}

extension ContextKeyRow {
  static let all = core + plugIns

  /// A configuration with a value for each key that keeps runs apart.
  static let configuration: ImageManager.Configuration = {
    var configuration = Stub.configuration()
    configuration.retryPolicy = FakeRetryPolicy()
    configuration.cacheSerializer = FakeCacheSerializer()
    return configuration
  }()

  static let core: [ContextKeyRow] = [
    .init(.transformer, [.custom(Stub.Named("T"))]),
    .init(.cacheKeyFilter, .closure { _ in "other" }),
    .init(.cacheSerializer, .closure { _, received in received }, usual: configuration.cacheSerializer),
    .init(.loader, FakeLoader(cacheIdentity: .named("other"))),
    .init(.coder, Stub.Coder(identifier: "other")),
    .init(.cache, TieredCache(), usual: configuration.cache),
    .init(.originalCache, TieredCache(), usual: configuration.cache),
    .init(.requestModifier, .headers(["X-A": "b"])),
    .init(.responseModifier, Stub.StructModifier(cacheIdentity: .named("other"))),
    .init(.decryptor, Stub.StructModifier(cacheIdentity: .named("other"))),
    .init(.retryPolicy, .closure { _, _ in .giveUp }, usual: configuration.retryPolicy),
    .init(.limits, Limits(side: 1), usual: configuration.limits),
    .init(.thumbnailSize, box),
    .init(.preserveAspectRatio, false, beside: [.thumbnailSize(box)]),
    .init(.keepsHighRange, true),
    .init(.damaged, .refuse),
    .init(.scaleFactor, 3),
    .init(.typeHint, .png),
    .init(.decodeOptions, DecodeOptions(convertsColor: false)),
    .init(.encodeOptions, EncodeOptions(lossless: true)),
    .init(.scaleDownLimitBytes, 1000, options: .scaleDownLarge),
    .init(.queryLayers, .disk, usual: .all),
    .init(.storeLayers, .memory),
    .init(.originalQueryLayers, .all, usual: [.disk, .shared], beside: [.thumbnailSize(box)]),
    .init(.originalStoreLayers, []),
    .init(.headers, ["Authorization": "Bearer 1"], usual: [:]),
    .init(.cachePolicy, .http, usual: configuration.cachePolicy),
    .init(.extendedData, Data([1])),
    .init(.deadline, .seconds(3)),
    .init(.targetKey, "avatar"),
    .init(.observer, .closure { _ in }),
    .init(.additionalObserver, .closure { _ in }),
  ]

  private static let plugIns: [ContextKeyRow] = [
    .init(ContextKey(Neutral.self), 1), .init(ContextKey(Bytes.self), 1), .init(ContextKey(Pixels.self), 1),
    .init(ContextKey(Bytes.self), 2, beside: [.setting(Bytes.self, 1)]),
    .init(ContextKey(Pixels.self), 2, beside: [.setting(Pixels.self, 1)]),
    .init(ContextKey(Quality.self), 2, usual: 1, beside: [.setting(Quality.self, 1)]),
    .init(ContextKey(Quality.self), 2),
    .init(ContextKey(Tenant.self), 2, usual: 1, beside: [.setting(Tenant.self, 1)]),
    .init(ContextKey(Effort.self), 2, usual: 1, beside: [.setting(Effort.self, 1)]),
  ]

  private static let box = PixelSize(width: 10, height: 10)

  enum Neutral: ImageContext.Key {
    static let name = "Neutral"
    static var impact: ImageContext.Impact<Int> { .neutral }
  }

  enum Bytes: ImageContext.Key {
    static let name = "Bytes"
    static var impact: ImageContext.Impact<Int> { .bytes { "\($0)" } }
  }

  enum Pixels: ImageContext.Key {
    static let name = "Pixels"
    static var impact: ImageContext.Impact<Int> { .pixels { "\($0)" } }
  }

  private enum Quality: ImageContext.Key {
    static let name = "Quality"
    static var impact: ImageContext.Impact<Int> { .neutral.sharing(.picture) { "\($0)" } }
  }

  private enum Tenant: ImageContext.Key {
    static let name = "Tenant"
    static var impact: ImageContext.Impact<Int> { .neutral.sharing(.transfer) { "\($0)" }.forgettingFailures() }
  }

  private enum Effort: ImageContext.Key {
    static let name = "Effort"
    static var impact: ImageContext.Impact<Int> { .pixels { "\($0)" }.sharing([.transfer, .pixels]) { "\($0)" } }
  }
}
