import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Each context key has a visible effect and overrides the manager's own setting.
struct ContextKeyEffectTests {
  let url = URL(string: "http://host/a.toy")!

  @Test func loader() async throws {
    let studio = Studio()
    studio.place(.small)
    let other = FakeLoader(cacheIdentity: .named("other"))
    other.script(url, .body(ToyImage.moving.bytes))
    #expect(try await studio.result(url, [], [.loader(other)]).image.isAnimated)
    #expect(studio.loader.callCount == 0 && other.callCount == 1)
    #expect(try await !studio.result(url).image.isAnimated)
  }

  @Test func coderDecodesShowsAndEncodes() async throws {
    let studio = Studio { $0.minimumPreviewInterval = .zero }
    studio.place(.small, chunkSize: 64)
    let other = ToyCoder(identifier: "other")
    let context: ImageContext = [.coder(other), .transformer(.custom(TaggingTransformer(1)))]
    // A body that arrives faster than the decoder looks is decoded in one go.
    studio.loader.suspend(url, at: .end)
    let task = studio.manager.load(url, options: .progressive, context: context)
    await other.wait { $0.previews > 0 }
    studio.loader.resume(url, at: .end)
    let first = try await task.result
    await studio.settle()
    #expect(first.key.suffixes.contains { $0.text == "Coder(other)" })
    #expect(other.counts.finishes == 1 && other.counts.decoders == 1 && other.counts.encodes == 1)
    studio.memory.removeAll()
    #expect(try await studio.result(url, [], context).source == .disk)
    #expect(other.counts.decodes == 1)
    // The manager's coder has only looked at what the other one has written.
    var counts = ToyCoder.Counts()
    counts.probes = 1
    #expect(studio.coder.counts == counts)
  }

  @Test func cacheAndOriginalCache() async throws {
    let studio = Studio()
    studio.place(.small)
    let pictures = RecordingCache("pictures")
    let originals = RecordingCache("originals")
    let size = PixelSize(width: 4, height: 4)
    let result = try await studio.warm(
      url, [], [.cache(pictures), .originalCache(originals), .thumbnailSize(size)])
    #expect(Set(pictures.entries(in: .disk).keys) == [result.key])
    #expect(Set(originals.entries(in: .disk).keys) == [result.key.originalKey])
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    #expect(studio.manager.cachedImage(for: url, context: [.cache(pictures), .thumbnailSize(size)]) != nil)
    // Without a cache of their own, originals go to the cache of the pictures.
    try await studio.warm(url, .fromLoaderOnly, [.cache(pictures), .thumbnailSize(size)])
    #expect(pictures.entries(in: .disk)[result.key.originalKey] != nil)
  }

  @Test func requestModifierAndResponseModifierReplaceTheManagers() async throws {
    let request = FakeRequestModifier(cacheIdentity: .named("managers"))
    let response = FakeResponseModifier(cacheIdentity: .named("managers"))
    let studio = Studio {
      $0.requestModifier = request
      $0.responseModifier = response
    }
    studio.place(.small)
    let ownRequest = FakeRequestModifier(cacheIdentity: .named("own")) { request in
      var request = request
      request.headers["X-Own"] = "1"
      return request
    }
    let ownResponse = FakeResponseModifier(cacheIdentity: .named("own"))
    _ = try await studio.result(url, [], [.requestModifier(ownRequest), .responseModifier(ownResponse)])
    #expect(ownRequest.requests.count == 1 && ownResponse.heads.count == 1)
    #expect(request.requests.isEmpty && response.heads.isEmpty)
    #expect(studio.loader.calls(for: url)[0].request.headers["X-Own"] == "1")
    _ = try await studio.result(url)
    #expect(request.requests.count == 1 && response.heads.count == 1)
  }

  @Test func decryptor() async throws {
    let studio = Studio { $0.decryptor = XORDecryptor(key: 1) }
    let own = XORDecryptor(key: 0x42)
    studio.loader.script(url, .body(own.encrypt(ToyImage.small.bytes)))
    let image = try await studio.result(url, [], [.decryptor(own)]).image
    #expect(try image.bitmap == ToyImage.small.expectedBitmap())
    #expect(own.count == 1)
    #expect(await studio.failure(url)?.code == .unsupportedFormat)
  }

  @Test func cacheSerializerAndEncodeOptions() async throws {
    let managers = FakeCacheSerializer()
    let studio = Studio { $0.cacheSerializer = managers }
    studio.place(.small)
    let notes = ContextNotes()
    var options = EncodeOptions()
    options.quality = 0.25
    try await studio.warm(url, [], [.cacheSerializer(notes), .encodeOptions(options)])
    #expect(managers.count == 0)
    #expect(notes.qualities == [0.25])
  }

  @Test func retryPolicy() async throws {
    let managers = FakeRetryPolicy()
    let studio = Studio { $0.retryPolicy = managers }
    studio.loader.script(url, .failure(ImageError(.network, "Lost.")), .body(ToyImage.small.bytes))
    let own = FakeRetryPolicy(.retry(after: .zero))
    _ = try await studio.result(url, [], [.retryPolicy(own)])
    #expect(own.attempts == [1] && managers.attempts.isEmpty)
  }

  @Test func limitsBindTheWorkAndNotWhatIsCached() async throws {
    let studio = Studio()
    studio.place(.small)
    var limits = Limits()
    limits.side = 4
    #expect(await studio.failure(url, [], [.limits(limits)])?.code == .limitExceeded)
    try await studio.warm(url)
    #expect(try await studio.result(url, [], [.limits(limits)]).source == .memory)
  }

  @Test func sizes() async throws {
    let studio = Studio()
    studio.place(.small)
    let size = PixelSize(width: 4, height: 4)
    #expect(
      try await studio.result(url, [], [.thumbnailSize(size)]).image.size == PixelSize(width: 4, height: 3))
    let stretched = try await studio.result(url, [], [.thumbnailSize(size), .preserveAspectRatio(false)])
    #expect(stretched.image.size == size)
    let scaled = try await studio.result(url, .scaleDownLarge, [.scaleDownLimitBytes(48)])
    #expect(scaled.image.size == PixelSize(width: 4, height: 3))
  }

  @Test func keepsHighRange() async throws {
    let studio = Studio()
    studio.place(.small)
    var options = DecodeOptions(keepsHighRange: true)
    let kept = try await studio.result(url, [], [.keepsHighRange(true)])
    #expect(kept.key.suffixes.map(\.text) == ["Range(high)"])
    #expect(try await studio.result(url, [], [.decodeOptions(options)]).key == kept.key)
    let refused = try await studio.result(url, [], [.decodeOptions(options), .keepsHighRange(false)])
    #expect(!refused.key.isVariant && refused.key != kept.key)
    options.convertsColor = false
    let raw = try await studio.result(url, [], [.decodeOptions(options)])
    #expect(raw.key.suffixes.map(\.text) == ["Color(raw)"])
    #expect(studio.coder.decodeOptions.map(\.keepsHighRange).contains(true))
  }

  @Test func damaged() async throws {
    let studio = Studio()
    let bytes = ToyImage.small.bytes
    studio.loader.script(url, .body(Array(bytes.dropLast(8))), .body(bytes))
    let part = try await studio.result(url, [], [.damaged(.show)])
    #expect(part.image.traits.contains(.partial) && part.key.suffixes.map(\.text) == ["Partial(1)"])
    // The key goes before the options, and the usual policy is no part of cache keys.
    let options = DecodeOptions(damaged: .show)
    let strict = try await studio.result(url, [.refreshCached], [.decodeOptions(options), .damaged(.refuse)])
    #expect(strict.key.suffixes.map(\.text) == ["Damaged(refuse)"])
    let usual = try await studio.result(url, [], [.decodeOptions(options), .damaged(.whole)])
    #expect(!usual.key.isVariant)
    #expect(studio.coder.decodeOptions.map(\.damaged).contains(.refuse))
  }

  @Test func scaleFactorActsAtDelivery() async throws {
    let studio = Studio()
    studio.place(.small)
    let doubled = try await studio.result(url, [], [.scaleFactor(2)])
    let plain = try await studio.result(url)
    #expect(doubled.image.scaleFactor == 2 && plain.image.scaleFactor == 1)
    #expect(doubled.key == plain.key && plain.source == .memory)
    #expect(studio.manager.cachedImage(for: url, context: [.scaleFactor(3)])?.scaleFactor == 3)
  }

  @Test func typeHintChoosesTheCoder() async throws {
    let hinted = ToyCoder(identifier: "hinted")
    let blind = BlindCoder()
    let studio = Studio { $0.coder = CoderRegistry([hinted, blind]) }
    studio.place(.small)
    let result = try await studio.result(url, [], [.typeHint(ToyImage.format)])
    #expect(result.key.suffixes.contains { $0.text == "Coder(hinted)" })
    #expect(hinted.decodeOptions.first?.typeHint == ToyImage.format)
  }

  @Test func decodeOptions() async throws {
    let studio = Studio()
    studio.place(ToyImage(width: 8, height: 6, orientation: .right))
    var options = DecodeOptions()
    options.appliesOrientation = false
    let raw = try await studio.result(url, [], [.decodeOptions(options)])
    #expect(raw.image.size == PixelSize(width: 8, height: 6))
    #expect(try await studio.result(url).image.size == PixelSize(width: 6, height: 8))
  }

  @Test func headersAreSentAndIdentitiesTellKeysApart() async throws {
    let studio = Studio()
    studio.place(.small)
    let plain = try await studio.result(url)
    let accepting = try await studio.result(url, .fromLoaderOnly, [.headers(["Accept-Language": "de"])])
    let token = try await studio.result(url, [], [.headers(["authorization": "Bearer 1"])])
    #expect(studio.loader.calls(for: url)[1].request.headers["Accept-Language"] == "de")
    #expect(accepting.key == plain.key && token.key != plain.key)
    #expect(token.source == .network)
  }

  @Test func cachePolicy() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale()), .notModified())
    try await studio.warm(url)
    #expect(try await studio.result(url).source == .memory)
    #expect(try await studio.result(url, [], [.cachePolicy(.http)]).source == .revalidated)
  }

  @Test func cacheKeyFilter() async throws {
    let studio = Studio { $0.cacheKeyFilter = .closure { _ in "managers" } }
    studio.place(.small)
    #expect(try await studio.result(url).key.original == "managers")
    #expect(try await studio.result(url, [], [.cacheKeyFilter(.closure { _ in "own" })]).key.original == "own")
  }

  @Test func observer() async throws {
    let studio = Studio()
    studio.place(.small)
    let own = RecordingObserver()
    _ = try await studio.result(url, [], [.observer(own)])
    #expect(own.names.first == "started" && own.names.contains("succeeded"))
    #expect(studio.observer.events.isEmpty)
  }

  @Test func dataOfOnesOwnComesBackFromEveryLayer() async throws {
    let studio = Studio()
    studio.place(.small)
    let data = Data([1, 2, 3])
    #expect(try await studio.warm(url, [], [.extendedData(data)]).extendedData == data)
    #expect(try await studio.result(url).extendedData == data)
    studio.memory.removeAll()
    let third = try await studio.result(url)
    #expect(third.source == .disk && third.extendedData == data)
  }

  @Test func anAdditionalObserverIsToldBesideTheOther() async throws {
    let studio = Studio()
    studio.place(.small)
    let (own, instead) = (RecordingObserver(), RecordingObserver())
    _ = try await studio.result(url, .waitStore, [.additionalObserver(own)])
    #expect(own.names == studio.observer.names && own.names.contains("succeeded"))
    studio.forgetCalls()
    _ = try await studio.result(url, [], [.observer(instead), .additionalObserver(own)])
    #expect(instead.names.contains("succeeded") && studio.observer.names.isEmpty)
    let silent = Studio { $0.observer = nil }
    silent.place(.small)
    let alone = RecordingObserver()
    _ = try await silent.result(url, [], [.additionalObserver(alone)])
    #expect(alone.names.first == "started")
  }

  @Test func layersAreAskedAndWritten() async throws {
    let studio = Studio()
    studio.place(.small)
    let size = PixelSize(width: 4, height: 4)
    let context: ImageContext = [.thumbnailSize(size), .storeLayers(.memory), .originalStoreLayers(.memory)]
    let key = try await studio.warm(url, [], context).key
    #expect(Set(studio.memory.entries.keys) == [key, key.originalKey] && studio.disk.entries.isEmpty)
    var other: ImageContext = [
      .thumbnailSize(size), .queryLayers(.disk), .storeLayers([]), .originalQueryLayers(.memory),
    ]
    _ = try await studio.warm(url, [], other)
    #expect(studio.loader.callCount == 1)
    other[.originalQueryLayers] = .disk
    _ = try await studio.warm(url, [], other)
    #expect(studio.loader.callCount == 2)
  }

  @Test func transformerReplacesAndSwitchesOff() async throws {
    let studio = Studio { $0.transformer = .custom(TaggingTransformer(1)) }
    studio.place(.small)
    #expect(TaggingTransformer.tags(of: try await studio.result(url).image) == [1])
    let own = try await studio.result(url, [], [.transformer(.custom(TaggingTransformer(2)))])
    #expect(TaggingTransformer.tags(of: own.image) == [2])
    let off = try await studio.result(url, [], [.transformer(.identity)])
    #expect(TaggingTransformer.tags(of: off.image) == [] && !off.key.isVariant)
  }

  @Test func keysOfOneselfReachEveryPlugInUntouched() async throws {
    let notes = ContextNotes()
    let studio = Studio { configuration in
      configuration.loader = notes
      configuration.coder = CoderRegistry([notes])
      configuration.requestModifier = .closure(cacheIdentity: .plain) { request in
        notes.note("request", request.context)
        return request
      }
      configuration.optionsProcessor = .closure { _, _, context in notes.note("processor", context) }
      configuration.transformer = .custom(notes)
      configuration.cacheSerializer = notes
    }
    _ = try await studio.result(url, .waitStore, [.setting(Mood.self, "calm"), .targetKey("left")])
    #expect(Set(notes.seen.keys) == ["processor", "request", "loader", "coder", "transformer", "serializer"])
    #expect(notes.seen.values.allSatisfy { $0 == ["calm", "left"] })
  }

  @Test(
    arguments: [
      ([3, 5, 4], 5), ([7], 7), ([3, nil, 5], nil), ([nil], nil),
    ] as [([Int?], Int?)])
  func theGateIsToldHowLongSomebodyWaits(seconds: [Int?], expected: Int?) async throws {
    let gate = DeadlineNotes()
    let studio = Studio { $0.workGate = gate }
    studio.place(.small)
    studio.loader.suspend(url)
    let callers = seconds.map { seconds in
      Task { try await studio.encoded(url, as: .print, [], seconds.map { [.deadline(.seconds($0))] } ?? []) }
    }
    while studio.manager.resultRuns.waitingCount < callers.count { await Task.yield() }
    studio.loader.resume(url)
    for caller in callers { _ = try await caller.value }
    #expect(gate.deadlines.withLock { $0 } == [expected.map { .seconds($0) }])
    await studio.settle()
  }
}

/// A gate that lets everything pass and notes the deadlines.
private final class DeadlineNotes: WorkGate {
  let deadlines = Locked<[Duration?]>([])

  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
    deadlines.withLock { $0.append(work.deadline) }
    return { _ in }
  }
}

/// A key unknown to every part of the library.
private enum Mood: ImageContext.Key {
  static let name = "mood"
  static var impact: ImageContext.Impact<String> { .neutral }
}

/// A coder that claims every file and cannot read any.
private struct BlindCoder: ImageCoder {
  var identifier: String { "blind" }
  var formats: [ImageFormat] { [] }

  func canDecode(prefix: [UInt8]) -> Bool { true }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    throw ImageError(.badImageData, "Blind.")
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    throw ImageError(.badImageData, "Blind.")
  }
}

/// One object for every kind of plug-in; it records the contexts it gets.
private final class ContextNotes: ImageLoader, ImageCoder, Transformer, CacheSerializer {
  private let state = Locked<(seen: [String: [String?]], qualities: [Double])>(([:], []))

  var seen: [String: [String?]] { state.withLock { $0.seen } }
  var qualities: [Double] { state.withLock { $0.qualities } }

  func note(_ name: String, _ context: ImageContext) {
    state.withLock { $0.seen[name] = [context[Mood.self], context[.targetKey]] }
  }

  var cacheIdentity: CacheIdentity { .plain }
  func canLoad(_ url: URL) -> Bool { true }
  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    note("loader", request.context)
    return .bytes(ToyImage.small.imageBytes, ResponseHead(url: request.url))
  }

  var identifier: String { "notes" }
  var formats: [ImageFormat] { [ToyImage.format] }
  func canDecode(prefix: [UInt8]) -> Bool { true }
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try ToyCoder().probe(bytes, work: work)
  }
  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    note("coder", work.context)
    return try ToyCoder().decode(bytes, options: options, work: work)
  }

  var cacheKey: String { "Notes(1)" }
  func transform(_ image: Image, work: WorkContext) throws -> Image {
    note("transformer", work.context)
    return image
  }

  func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes? {
    note("serializer", work.context)
    let quality = work.context[.encodeOptions]?.quality
    state.withLock { if let quality { $0.qualities.append(Double(quality)) } }
    return ToyImage.small.imageBytes
  }
}
