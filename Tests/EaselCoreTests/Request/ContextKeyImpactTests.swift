@testable import EaselCore
import FoundationEssentials
import Testing

private enum Neutral: ImageContextKey {
  static let name = "Neutral"
  static var impact: CacheImpact<Int> { .neutral }
}

private enum Bytes: ImageContextKey {
  static let name = "Bytes"
  static var impact: CacheImpact<Int> { .bytes { "\($0)" } }
}

private enum Pixels: ImageContextKey {
  static let name = "Pixels"
  static var impact: CacheImpact<Int> { .pixels { "\($0)" } }
}

/// Every context key declares its effect on the caches, and the cache keys follow the declaration.
struct ContextKeyImpactTests {
  enum Effect { case nothing, bytes, pixels }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let declared: Effect
    let plain: ImageContext
    let set: ImageContext
    let options: ImageOptions

    init<Value>(_ key: ContextKey<Value>, _ value: Value, beside plain: ImageContext = [], options: ImageOptions = []) {
      testDescription = key.name
      declared =
        switch key.impact.kind {
        case .neutral: .nothing
        case .bytes: .bytes
        case .pixels: .pixels
        }
      self.plain = plain
      var set = plain
      set[key] = value
      self.set = set
      self.options = options
    }
  }

  static let rows: [Row] = plugins + settings + layers + custom

  private static let plugins: [Row] = [
    Row(.transformer, [.custom(Stub.Named("T"))]),
    Row(.cacheKeyFilter, .closure { _ in "other" }),
    Row(.cacheSerializer, .closure { _, received in received }),
    Row(.loader, Stub.Loader(cacheIdentity: "other")),
    Row(.coder, Stub.Coder(identifier: "other")),
    Row(.cache, TieredCache()),
    Row(.originalCache, TieredCache()),
    Row(.requestModifier, .headers(["X-A": "b"])),
    Row(.responseModifier, Stub.StructModifier(cacheIdentity: "other")),
    Row(.decryptor, Stub.StructModifier(cacheIdentity: "other")),
    Row(.retryPolicy, .closure { _, _ in .giveUp }),
    Row(.observer, .closure { _ in }),
  ]

  private static let settings: [Row] = [
    Row(.limits, tightLimits),
    Row(.thumbnailSize, PixelSize(width: 10, height: 10)),
    Row(.preserveAspectRatio, false, beside: [.thumbnailSize(PixelSize(width: 10, height: 10))]),
    Row(.scaleFactor, 3),
    Row(.typeHint, .png),
    Row(.decodeOptions, rawColor),
    Row(.encodeOptions, lossless),
    Row(.scaleDownLimitBytes, 1000, options: .scaleDownLarge),
    Row(.headers, ["Authorization": "Bearer 1"]),
    Row(.cachePolicy, .http),
    Row(.extendedData, Data([1])),
    Row(.targetKey, "avatar"),
  ]

  private static let layers: [Row] = [
    Row(.queryLayers, .disk), Row(.storeLayers, .memory), Row(.originalQueryLayers, .all),
    Row(.originalStoreLayers, []),
  ]

  private static let custom: [Row] = [
    Row(ContextKey(Neutral.self), 1), Row(ContextKey(Bytes.self), 1), Row(ContextKey(Pixels.self), 1),
    Row(ContextKey(Bytes.self), 2, beside: [.setting(Bytes.self, 1)]),
    Row(ContextKey(Pixels.self), 2, beside: [.setting(Pixels.self, 1)]),
  ]

  private static var tightLimits: Limits {
    var limits = Limits()
    limits.side = 1
    return limits
  }

  private static var rawColor: DecodeOptions {
    var options = DecodeOptions()
    options.convertsColor = false
    return options
  }

  private static var lossless: EncodeOptions {
    var options = EncodeOptions()
    options.lossless = true
    return options
  }

  @Test(arguments: rows) func theKeysFollowTheDeclaredImpact(row: Row) throws {
    let configuration = Stub.configuration()
    func resolve(_ context: ImageContext) throws -> ResolvedRequest {
      let request = ImageRequest("http://foo/a.png", options: row.options, context: context)
      return try #require(request.resolved(with: configuration, by: Stub.Owner()))
    }
    let plain = try resolve(row.plain)
    let set = try resolve(row.set)
    let effect: Effect =
      plain.originalKey != set.originalKey ? .bytes : plain.variantKey != set.variantKey ? .pixels : .nothing
    #expect(effect == row.declared)
    #expect((plain.variantKey == set.variantKey) == (effect == .nothing), "other bytes are other pixels too")
    #expect((plain.variantKey.diskName == set.variantKey.diskName) == (effect == .nothing))
    #expect((plain.originalKey.diskName == set.originalKey.diskName) == (effect != .bytes))
  }

  @Test func everyKeyOfTheCoreHasARowAndANameOfItsOwn() {
    let names = (Self.plugins + Self.settings + Self.layers).map(\.testDescription)
    #expect(Set(names).count == names.count)
    #expect(names.count == 28)
  }

  @Test func aCustomKeyStandsInTheReadableKeyByNameAndValue() throws {
    let request = ImageRequest("http://foo/a.png", context: [.setting(Pixels.self, 7), .setting(Neutral.self, 1)])
    let resolved = try #require(request.resolved(with: Stub.configuration(), by: Stub.Owner()))
    #expect(resolved.variantKey.readable == "http://foo/a-Pixels(7).png")
    #expect(resolved.originalKey.readable == "http://foo/a.png")
  }

  @Test(arguments: [
    ImageOptions.retryFailed, .lowPriority, .highPriority, .progressive, .refreshCached, .transformAnimated,
    .fromCacheOnly, .fromLoaderOnly, .firstFrameOnly, .preloadAllFrames, .requireAnimated, .includeData, .waitStore,
    .continueInBackground, .delayPlaceholder, .avoidAutoSet, .avoidAutoCancel, .forceTransition, .waitTransition,
  ])
  func optionsThatActAtDeliveryAreInNoKey(option: ImageOptions) throws {
    let configuration = Stub.configuration()
    let resolved = ImageRequest("http://foo/a.png", options: option).resolved(with: configuration, by: Stub.Owner())
    #expect(resolved?.variantKey == CacheKey(original: "http://foo/a.png"))
  }

  @Test(arguments: [ImageOptions.handleCookies, .allowInvalidCertificates])
  func optionsThatDecideBytesAreInTheScope(option: ImageOptions) throws {
    let configuration = Stub.configuration()
    let resolved = ImageRequest("http://foo/a.png", options: option).resolved(with: configuration, by: Stub.Owner())
    let key = try #require(resolved?.originalKey)
    #expect(key.scope.parts.count == 1)
    #expect(key.isStorable)
    #expect(resolved?.variantKey == key)
  }
}
