import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// The bytes that are written: the serializer's, the received ones or lossless pixels; and cases that write nothing.
struct StoredBytesTests {
  let url = URL(string: "http://host/a.toy")!
  let tag: ImageContext = [.transformer(.custom(TaggingTransformer(3)))]
  let small = PixelSize(width: 4, height: 4)

  @Test func theSerializersBytesGoToDisk() async throws {
    let other = ToyImage(width: 8, height: 6, seed: 5)
    let serializer = FakeCacheSerializer { _, _ in other.imageBytes }
    let studio = Studio { $0.cacheSerializer = serializer }
    studio.place(.small)
    let plain = try await studio.warm(url)
    #expect(try studio.disk.entries[plain.key]?.bytes?.data() == other.imageBytes.data())
    let variant = try await studio.warm(url, .fromLoaderOnly, tag)
    #expect(try studio.disk.entries[variant.key]?.bytes?.data() == other.imageBytes.data())
    #expect(serializer.hadReceivedBytes == [true, false])
  }

  static let otherPictures: [[UInt8]] = [
    [], [1, 2, 3, 4], ToyImage(width: 2, height: 2, seed: 5).bytes, ToyImage(width: 6, height: 8, seed: 5).bytes,
    Array(ToyImage.small.bytes.prefix(20)),
  ]

  @Test(arguments: otherPictures)
  func anotherPictureOfASerializerIsReportedAndNotStored(_ other: [UInt8]) async throws {
    let studio = Studio { $0.cacheSerializer = FakeCacheSerializer { _, _ in ImageBytes(other) } }
    studio.place(.small)
    let plain = try await studio.warm(url)
    #expect(studio.observer.names.contains("cacheFailed"))
    #expect(try studio.disk.entries[plain.key]?.bytes?.data() == ToyImage.small.imageBytes.data())
    studio.forgetCalls()
    let variant = try await studio.warm(url, [], tag)
    #expect(studio.observer.names.contains("cacheFailed"))
    studio.memory.removeAll()
    for (context, first) in [([] as ImageContext, plain), (tag, variant)] {
      let again = try await studio.result(url, [], context)
      #expect(again.source == .disk && again.image.bitmap == first.image.bitmap)
    }
    #expect(studio.loader.callCount == 1)
    await studio.settle()
  }

  @Test func aSerializerThatDropsFramesIsReported() async throws {
    let still = ToyImage(width: 4, height: 4, seed: 3)
    let studio = Studio { $0.cacheSerializer = FakeCacheSerializer { _, _ in still.imageBytes } }
    studio.place(.moving)
    let key = try await studio.warm(url).key
    #expect(studio.observer.names.contains("cacheFailed"))
    #expect(try studio.disk.entries[key]?.bytes?.data() == ToyImage.moving.imageBytes.data())
  }

  @Test func anOriginalsBytesAreNeverEncodedAgain() async throws {
    let studio = Studio { $0.cacheSerializer = FakeCacheSerializer { _, _ in ToyImage.moving.imageBytes } }
    studio.place(.small)
    let variant = try await studio.warm(url, [], tag)
    let original = studio.disk.entries[variant.key.originalKey]
    #expect(try original?.bytes?.data() == ToyImage.small.imageBytes.data())
  }

  @Test func aSerializerThatLeavesItGivesTheReceivedBytes() async throws {
    let studio = Studio { $0.cacheSerializer = FakeCacheSerializer() }
    studio.place(.small)
    let key = try await studio.warm(url).key
    #expect(try studio.disk.entries[key]?.bytes?.data() == ToyImage.small.imageBytes.data())
    #expect(studio.coder.counts.encodes == 0)
  }

  @Test func aSerializerThatFailsIsReportedAndTheLoadGoesOn() async throws {
    let studio = Studio {
      $0.cacheSerializer = FakeCacheSerializer { _, _ in throw ImageError(.encodeFailed, "No ink.") }
    }
    studio.place(.small)
    let key = try await studio.result(url, .waitStore).key
    #expect(studio.disk.entries[key] == nil && studio.memory.entries[key] != nil)
    #expect(studio.observer.names.contains("cacheFailed"))
  }

  @Test func otherPixelsAreWrittenWithoutLoss() async throws {
    let studio = Studio()
    studio.place(.small)
    let first = try await studio.warm(url, [], tag)
    #expect(studio.coder.counts.encodes == 1)
    studio.memory.removeAll()
    let second = try await studio.result(url, [], tag)
    #expect(second.source == .disk)
    #expect(second.image.bitmap == first.image.bitmap)
    #expect(second.image.traits == first.image.traits)
    #expect(studio.loader.callCount == 1)
  }

  @Test(arguments: [true, false])
  func nothingIsEncodedForADiskThatIsNotThere(isGroup: Bool) async throws {
    let memory = RecordingMemoryStore()
    let studio = Studio {
      let cache = TieredCache(memory: memory)
      $0.cache = isGroup ? CacheGroup([cache]) : cache
    }
    studio.place(.small)
    let result = try await studio.warm(url, [], tag)
    #expect(studio.coder.counts.encodes == 0)
    #expect(memory.entries[result.key]?.image?.bitmap == result.image.bitmap)
  }

  @Test func whatWaitsToBeEncodedGoesFirstWhenItTakesTooMuch() async throws {
    let studio = Studio()
    studio.coder.encodeGate.close()
    studio.place(.small)
    let backlog = studio.manager.pendingStores
    let other = backlog.add(32 << 20)
    #expect(backlog.priority.value == .low)
    _ = try await studio.result(url, [], tag)
    #expect(backlog.priority.value == .veryHigh)
    studio.coder.encodeGate.open()
    await studio.settle()
    // The task that stored releases its objects when it ends, shortly afterwards.
    while backlog.priority.value != .low { await Task.yield() }
    withExtendedLifetime(other) {}
  }

  @Test func aMovingVariantKeepsItsFramesOnDisk() async throws {
    let studio = Studio()
    studio.place(.moving)
    try await studio.warm(url, .transformAnimated, tag)
    studio.memory.removeAll()
    let second = try await studio.result(url, .transformAnimated, tag)
    #expect(second.source == .disk && second.image.frames?.count == 3)
    #expect(second.image.frames?.duration(at: 2) == .milliseconds(60))
  }

  @Test func aMovingPictureThatPassedUntouchedKeepsItsBytes() async throws {
    let studio = Studio()
    studio.place(.moving)
    let variant = try await studio.warm(url, [], tag)
    #expect(try studio.disk.entries[variant.key]?.bytes?.data() == ToyImage.moving.imageBytes.data())
    #expect(studio.coder.counts.encodes == 0)
  }

  @Test func whatIsOnlyAPartIsDeliveredAndNeverStored() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(Array(ToyImage.small.bytes.dropLast(40))))
    var options = DecodeOptions()
    options.damaged = .show
    let result = try await studio.warm(url, [], [.decodeOptions(options)])
    #expect(result.image.traits.contains(.partial))
    #expect(studio.memory.entries.isEmpty)
    #expect(studio.disk.entries[result.key] == nil)
    #expect(await studio.failure(url)?.code == .badImageData)
  }

  @Test func aStoreThatFailsFailsNoLoad() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.fail(.store, with: ImageError(.cacheFailed, "Full."))
    _ = try await studio.result(url, .waitStore)
    #expect(studio.observer.names.contains("cacheFailed"))
    #expect(try await studio.result(url).source == .memory)
  }

  @Test func aQueryThatFailsIsAMiss() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.fail(.query, with: ImageError(.cacheFailed, "Torn."))
    #expect(try await studio.result(url).source == .network)
    #expect(studio.observer.names.contains("cacheFailed"))
  }

  @Test func storedBytesThatCannotBeDecodedAreRemovedAndLoadedAnew() async throws {
    let studio = Studio()
    studio.place(.small)
    let key = try await studio.warm(url).key
    studio.memory.removeAll()
    studio.disk.seed(CacheEntry(bytes: ImageBytes([1, 2, 3]), record: .sample()), for: key)
    #expect(try await studio.warm(url).source == .network)
    #expect(studio.disk.calls.contains(.remove(key)))
    #expect(try studio.disk.entries[key]?.bytes?.data() == ToyImage.small.imageBytes.data())
  }

  @Test func aCoderThatCannotReadAStoredOriginalLeavesItToTheOthers() async throws {
    let studio = Studio()
    studio.place(.small)
    let key = try await studio.warm(url).key
    _ = await studio.failure(url, [], [.coder(CoderRegistry())])
    #expect(studio.disk.entries[key] != nil)
    #expect(!studio.disk.calls.contains(.remove(key)))
  }

  @Test func aPictureInMemoryDoesNotAnswerAQueryOfTheDisk() async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url)
    let decodes = studio.coder.counts.decodes
    #expect(try await studio.result(url, [], [.queryLayers(.disk)]).source == .disk)
    #expect(studio.coder.counts.decodes == decodes + 1)
    #expect(try await studio.result(url, [], [.queryLayers([])]).source == .network)
    #expect(studio.manager.cachedImage(for: url, context: [.queryLayers(.disk)]) == nil)
  }

  @Test func aBitmapInMemoryServesOnlyPlansThatBeginWithAFullDecode() async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url, [], [.storeLayers(.memory)])
    let all: ImageContext = [.originalQueryLayers(.all)]
    var transformed = tag
    transformed.merge(all)
    let counts = studio.coder.counts
    #expect(try await studio.result(url, [], transformed).source == .memory)
    #expect(studio.coder.counts.decodes == counts.decodes && studio.coder.counts.finishes == counts.finishes)
    var thumbnail: ImageContext = [.thumbnailSize(small)]
    thumbnail.merge(all)
    #expect(try await studio.result(url, [], thumbnail).source == .network)
  }

  @Test func bytesInMemoryServeEveryPlan() async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url, [], [.transformer([]), .thumbnailSize(small), .originalStoreLayers(.memory)])
    let result = try await studio.result(
      url, [], [.thumbnailSize(PixelSize(width: 2, height: 2)), .originalQueryLayers(.memory)])
    #expect(result.source == .memory)
    #expect(studio.loader.callCount == 1)
  }

  @Test func aPictureWithoutANameIsNotCached() async throws {
    let url = url
    let studio = Studio { $0.cacheKeyFilter = FakeCacheKeyFilter([url: nil]) }
    studio.place(.small)
    for _ in 0..<2 { #expect(try await studio.warm(url).source == .network) }
    #expect(studio.memory.calls.isEmpty && studio.disk.calls.isEmpty)
  }

  @Test func extendedDataIsKeptWithThePicture() async throws {
    let studio = Studio()
    studio.place(.small)
    let data = Data([1, 2, 3])
    let key = try await studio.warm(url, [], [.extendedData(data)]).key
    #expect(studio.memory.entries[key]?.record.extendedData == data)
    #expect(studio.disk.entries[key]?.record.extendedData == data)
    let other = Data([4])
    let variant = try await studio.warm(url, [], [.thumbnailSize(small), .extendedData(other)])
    #expect(variant.source == .disk)
    #expect(studio.disk.entries[variant.key]?.record.extendedData == other)
  }

  @Test func bytesThatWereWrittenAnewAreNotTakenForThoseThatCame() async throws {
    let studio = Studio()
    let url = URL(string: "http://host/a.toy")!
    let pictures = [ToyImage.small, ToyImage(width: 8, height: 6, seed: 9)]
    studio.coder.decodeGate.close()
    var tasks: [ImageTask] = []
    for (index, picture) in pictures.enumerated() {
      let cache = TieredCache(memory: nil, disk: RecordingDiskStore(), workers: .patient())
      var record = CacheRecord(stored: studio.clock.date, generation: 7)
      if index > 0 {
        record.picture = CacheRecord.ImageProperties(of: Image(try picture.expectedBitmap()), hasFinishedPixels: true)
      }
      let entry = CacheEntry(bytes: picture.imageBytes, record: record)
      try await cache.store(entry, for: CacheKey(original: url.absoluteString), in: .disk)
      tasks.append(studio.manager.load(url, context: [.cache(cache)]))
    }
    while studio.manager.pixelRuns.waitingCount < 2 { await Task.yield() }
    #expect(studio.manager.pixelRuns.count == 2)
    studio.coder.decodeGate.open()
    for (task, picture) in zip(tasks, pictures) { #expect(try await task.image.bitmap == picture.expectedBitmap()) }
  }
}
