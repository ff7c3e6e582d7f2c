import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Encoded bytes: made once, found in each layer, and described for a server.
struct EncodedTests {
  private let half: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]

  @Test func aPictureComesOutEncoded() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let encoded = try await studio.warmEncoded(url)
    #expect(try encoded.bitmap() == ToyImage.small.expectedBitmap())
    #expect(encoded.format == ToyImage.writtenFormat && encoded.size == PixelSize(width: 8, height: 6))
    #expect(encoded.source == .network && encoded.response?.status == 200)
    #expect(encoded.key.suffixes.map(\.text) == ["Encode(x-easel-print,80)"])
    #expect(encoded.key.readable == "http://host/a-Encode(x-easel-print,80).toy")
    #expect(encoded.record.mimeType == "image/x-easel-print")
    #expect(studio.coder.counts.encodes == 1 && studio.isAtRest)
  }

  @Test func theBytesAndTheOriginalAreStoredAndNoPicture() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let encoded = try await studio.warmEncoded(url, as: .print, [], half)
    let original = CacheKey(original: url.absoluteString)
    #expect(Set(studio.memory.entries.keys) == [encoded.key])
    #expect(Set(studio.disk.entries.keys) == [encoded.key, original])
    #expect(studio.memory.entries[encoded.key]?.memoryCost == encoded.bytes.count)
    #expect(try studio.disk.entries[original]?.bytes?.data() == ToyImage.small.imageBytes.data())
    #expect(studio.coder.counts.encodes == 1)
  }

  @Test(arguments: [true, false]) func aSecondCallerFindsTheBytesInALayer(_ isInMemory: Bool) async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let first = try await studio.warmEncoded(url, as: .print, [], half)
    if !isInMemory { studio.memory.removeAll() }
    let counts = studio.coder.counts
    studio.forgetCalls()
    let second = try await studio.warmEncoded(url, as: .print, [], half)
    #expect(second.source == (isInMemory ? .memory : .disk))
    #expect(try second.bytes.data() == first.bytes.data())
    #expect(second.size == first.size && second.entityTag == first.entityTag && second.key == first.key)
    #expect(studio.coder.counts == counts && studio.loader.callCount == 1)
    #expect(!studio.observer.names.contains { ["decoded", "encoded", "loading"].contains($0) })
    // What came from the disk is in memory again.
    #expect(studio.memory.entries[first.key] != nil)
  }

  @Test func memoryIsAskedWithoutWaiting() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let request = ImageRequest(url: url, context: half)
    #expect(studio.manager.cachedEncoded(for: request, as: .print) == nil)
    let loaded = try await studio.manager.encoded(for: request, as: .print)
    let found = try #require(studio.manager.cachedEncoded(for: request, as: .print))
    #expect(found.source == .memory && found.entityTag == loaded.entityTag)
    #expect(try found.bytes.data() == loaded.bytes.data())
    #expect(found.metrics == nil && found.revalidationError == nil)
    // The head is the stored one, with the age of the response.
    #expect(found.response?.status == 200 && found.response?.headers["Age"] == "0")
    #expect(studio.manager.cachedEncoded(for: request, as: EncodeRecipe(.webp)) == nil)
    #expect(studio.manager.cachedEncoded(for: ImageRequest(url: nil), as: .print) == nil)
  }

  @Test func anotherRecipeIsMadeFromTheCachedOriginal() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    try await studio.warmEncoded(url, as: .print, [], half)
    let other = try await studio.warmEncoded(
      url, as: EncodeRecipe(ToyImage.writtenFormat, quality: 0.5), [], half)
    #expect(other.source == .disk && studio.loader.callCount == 1)
  }

  @Test func aPictureInMemoryIsEncodedWithoutADecode() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    try await studio.warm(url, [], half)
    let decodes = studio.coder.counts.decodes
    let encoded = try await studio.warmEncoded(url, as: .print, [], half)
    #expect(encoded.source == .memory && encoded.size == PixelSize(width: 4, height: 3))
    #expect(studio.coder.counts.decodes == decodes && studio.loader.callCount == 1)
  }

  @Test func bytesAtHandAreEncoded() async throws {
    let studio = Studio()
    let bytes = ToyImage.small.imageBytes
    let nameless = try await studio.manager.encoded(from: bytes, as: .print)
    #expect(try nameless.source == .bytes && nameless.bitmap() == ToyImage.small.expectedBitmap())
    await studio.settle()
    #expect(studio.disk.entries.isEmpty && studio.memory.entries.isEmpty)
    let named = try await studio.manager.encoded(from: bytes, key: "mine", as: .print)
    #expect(named.entityTag == nameless.entityTag && studio.loader.callCount == 0)
    await studio.settle()
    #expect(studio.disk.entries.keys.map(\.suffixes.count) == [1])
    #expect(try await studio.manager.encoded(from: bytes, key: "mine", as: .print).source == .memory)
    #expect(studio.coder.counts.encodes == 2)
  }

  @Test(arguments: [ToyImage.small, .moving], [EncodeRecipe.toy, .print])
  func bytesWithoutANameGiveTheSameInOnePieceOfWork(_ picture: ToyImage, _ recipe: EncodeRecipe) async throws {
    let studio = Studio()
    let contexts: [ImageContext] = [
      [], [.thumbnailSize(PixelSize(width: 3, height: 3))],
      [.transformer(TransformerPipeline([TaggingTransformer(1), TaggingTransformer(2)]))],
    ]
    for (number, context) in contexts.enumerated() {
      let shared = try await studio.manager.encoded(
        from: picture.imageBytes, key: "\(number)", as: recipe, context: context)
      await studio.settle()
      studio.observer.forgetEvents()
      let alone = try await studio.manager.encoded(from: picture.imageBytes, as: recipe, context: context)
      #expect(try alone.bytes.data() == shared.bytes.data() && alone.entityTag == shared.entityTag)
      #expect(alone.size == shared.size && alone.source == .bytes)
      #expect(studio.observer.names.first == "started" && studio.observer.names.last == "succeeded")
      let now = try studio.manager.encodedByThisThread(from: picture.imageBytes, as: recipe, context: context)
      #expect(try now.bytes.data() == shared.bytes.data() && now.size == shared.size)
    }
    await studio.settle()
    #expect(studio.isAtRest)
  }

  @Test func bytesWithoutANameHaveTheSameErrors() async throws {
    let studio = Studio()
    func failure(_ bytes: [UInt8], _ options: ImageOptions = [], _ context: ImageContext = []) async -> ImageError? {
      await #expect(throws: ImageError.self) {
        try await studio.manager.encoded(from: ImageBytes(bytes), as: .print, options: options, context: context)
      }
    }
    let small = ToyImage.small.bytes
    #expect(await failure([1, 2, 3])?.code == .unsupportedFormat)
    #expect(await failure(Array(small.dropLast(9)))?.code == .badImageData)
    #expect(await failure(small, .requireAnimated)?.code == .badImageData)
    #expect(await failure(small, [], [.limits(Limits(resultBytes: 9))])?.code == .limitExceeded)
    let broken = TaggingTransformer(1, failure: ImageError(.badImageData, "No."))
    #expect(await failure(small, [], [.transformer(.custom(broken))])?.code == .transformFailed)
    studio.coder.encodeGate.close()
    let task = Task { try await studio.manager.encoded(from: ToyImage.small.imageBytes, as: .print) }
    await studio.coder.encodeGate.waitForWaiters()
    task.cancel()
    let error = await #expect(throws: ImageError.self) { try await task.value }
    #expect(error?.isCancellation == true)
    await waitUntil { studio.isAtRest }
  }

  @Test func aPictureThatTheLoaderDecodedIsEncoded() async throws {
    let studio = Studio()
    let url = URL(string: "fake://picture")!
    studio.loader.script(url, .image(try Image(ToyImage.small.expectedBitmap())))
    let encoded = try await studio.warmEncoded(url, as: .toy)
    #expect(try encoded.bitmap() == ToyImage.small.expectedBitmap())
    #expect(studio.coder.counts.encodes == 1)
  }

  @Test func theValidatorIsMadeOfGenerationAndRecipe() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let other = studio.place(.small, at: "http://host/b.toy")
    let tag = try await studio.encoded(url, as: .print, [], half).entityTag
    #expect(tag.utf8.count == 34 && tag.hasPrefix("\"") && tag.hasSuffix("\""))
    // The same bytes by another URL are the same bytes.
    #expect(try await studio.encoded(other, as: .print, [], half).entityTag == tag)
    #expect(try await studio.encoded(url, as: .toy, [], half).entityTag != tag)
    #expect(try await studio.encoded(url, as: .print).entityTag != tag)
    #expect(
      try await studio.encoded(url, as: EncodeRecipe(ToyImage.writtenFormat, quality: 0.5), [], half).entityTag
        != tag)
    studio.loader.script(url, .body(ToyImage(width: 8, height: 6, seed: 1).bytes))
    #expect(try await studio.encoded(url, as: .print, .fromLoaderOnly, half).entityTag != tag)
  }

  @Test func theCallersDataComesAlong() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let data = Data([1, 2, 3])
    #expect(try await studio.warmEncoded(url, as: .print, [], [.extendedData(data)]).record.extendedData == data)
    studio.memory.removeAll()
    #expect(try await studio.encoded(url).record.extendedData == data)
  }

  // MARK: Moving pictures

  @Test func transformersApplyToAllFramesOrToTheFirst() async throws {
    let studio = Studio()
    let url = studio.place(.moving)
    let context: ImageContext = [.transformer(.custom(TaggingTransformer(5)))]
    let whole = try await studio.warmEncoded(url, as: .toy, [], context)
    #expect(whole.key.suffixes.map(\.text) == ["Tag(5)", "Animated(1)", "Encode(x-easel-toy,80)"])
    let frames = try ToyCoder().decode(whole.bytes, options: DecodeOptions(), work: WorkContext())
    #expect(frames.frames?.count == 3)
    let plain = try ToyImage.moving.expectedBitmap()
    #expect(try frames.frames?.frame(at: 2) != plain && frames.bitmap != plain)
    // The format of prints never moves.
    let first = try await studio.warmEncoded(url, as: .print, [], context)
    #expect(first.key.suffixes.map(\.text) == ["Tag(5)", "Encode(x-easel-print,80)"])
    #expect(try first.bitmap() == frames.bitmap)
    let still = try ToyImage.toy(of: first.bytes)
    #expect(try ToyCoder().probe(still, work: WorkContext()).frameCount == 1)
    // And so does who wants only the first frame.
    for option in [true, false] {
      let recipe = EncodeRecipe(ToyImage.format, options: EncodeOptions(firstFrameOnly: option))
      let alone = try await studio.warmEncoded(url, as: recipe, option ? [] : .firstFrameOnly, context)
      #expect(alone.key.suffixes.map(\.text) == ["Tag(5)", "Encode(x-easel-toy,80,first)"])
      #expect(try alone.bytes.data() == still.data())
    }
  }

  @Test func aStillPictureIsRefusedWhereOneMustMove() async throws {
    let studio = Studio()
    let error = await studio.encodedFailure(studio.place(.small), as: .toy, .requireAnimated)
    #expect(error?.code == .badImageData)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  // MARK: Errors

  @Test func aRecipeThatCannotBeCarriedOutLoadsNothing() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    #expect(await studio.encodedFailure(url, as: EncodeRecipe(.webp))?.code == .encodeFailed)
    let bad = EncodeRecipe(ToyImage.format, quality: .nan)
    #expect(await studio.encodedFailure(url, as: bad)?.code == .encodeFailed)
    #expect(studio.manager.cacheKey(for: ImageRequest(url: url), as: bad) == nil)
    #expect(studio.loader.callCount == 0 && studio.isAtRest)
    #expect(await studio.encodedFailure(nil)?.code == .invalidURL)
  }

  @Test func anEncoderThatFailsStoresNothingAndBlocksNothing() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let tiny = EncodeRecipe(ToyImage.writtenFormat, options: EncodeOptions(maxFileBytes: 1))
    let error = await studio.encodedFailure(url, as: tiny)
    #expect(error?.code == .encodeFailed && error?.subject == url.absoluteString)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    // The same error from the cached original, which stays.
    try await studio.warmEncoded(url)
    #expect(await studio.encodedFailure(url, as: tiny)?.code == .encodeFailed)
    #expect(try await studio.encoded(url).source == .memory)
  }

  @Test(arguments: [Limits(resultSide: 7), Limits(resultPixels: 47), Limits(resultBytes: 223)])
  func resultsHaveLimitsOfTheirOwn(_ limits: Limits) async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let error = await studio.encodedFailure(url, as: .print, [], [.limits(limits)])
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.result") == true)
    // A limit of one caller says nothing about the URL.
    #expect(try await studio.encoded(url).bytes.count == 224)
  }

  @Test func anEncoderThatLiesAboutTheSizeIsCaught() async throws {
    let studio = Studio { $0.coder = $0.coder.adding(BoastingCoder()) }
    let url = studio.place(.small)
    let recipe = EncodeRecipe(BoastingCoder.format, options: EncodeOptions(maxFileBytes: 10))
    let error = await studio.encodedFailure(url, as: recipe)
    #expect(error?.code == .encodeFailed && error?.message.contains("boast") == true)
  }

  @Test func aCacheThatFailsOnlyCostsTheHit() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.disk.fail(.query, with: ImageError(.cacheFailed, "broken"))
    studio.disk.fail(.store, with: ImageError(.cacheFailed, "broken"))
    #expect(try await studio.warmEncoded(url).source == .network)
    #expect(studio.observer.names.contains("cacheFailed"))
  }

  @Test func anOriginalThatCannotBeDecodedIsLoadedAnew() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    try await studio.warmEncoded(url)
    let original = CacheKey(original: url.absoluteString)
    let known = try #require(studio.disk.entries[original])
    studio.disk.seed(CacheEntry(bytes: ImageBytes([1, 2, 3]), record: known.record), for: original)
    let other = EncodeRecipe(ToyImage.writtenFormat, quality: 0.1)
    #expect(try await studio.warmEncoded(url, as: other).source == .network)
    #expect(try studio.disk.entries[original]?.bytes?.data() == ToyImage.small.imageBytes.data())
  }
}

/// A coder that writes more bytes than it may.
private struct BoastingCoder: EncodingCoder {
  static let format = ImageFormat(mimeType: "image/x-boast")

  let identifier = "boast"
  let formats: [ImageFormat] = []

  func canDecode(prefix: [UInt8]) -> Bool { false }
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw ImageError(.badImageData, "none") }
  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    throw ImageError(.badImageData, "none")
  }
  func canEncode(_ format: ImageFormat) -> Bool { format == Self.format }
  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes {
    ImageBytes([UInt8](repeating: 1, count: 11))
  }

  @Test func theFormatOfTheOriginalIsKeptOnEveryWay() async throws {
    let studio = Studio()
    var recipe = EncodeRecipe(ToyImage.writtenFormat, ToyImage.format)
    recipe.keepsFormat = true
    let url = studio.place(.small)
    let box: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
    let made = try await studio.warmEncoded(url, as: recipe, [], box)
    #expect(made.format == ToyImage.format && made.source == .network)
    let again = try await studio.encoded(url, as: recipe, [], box)
    #expect(again.format == ToyImage.format && again.source == .memory)
    try await studio.manager.configuration.cache.clear(.memory)
    let stored = try await studio.encoded(url, as: recipe, [], box)
    #expect(stored.format == ToyImage.format && stored.source == .disk)
    #expect(Set([made.entityTag, again.entityTag, stored.entityTag]).count == 1)
    // Untouched bytes have the format as well.
    let whole = try await studio.warmEncoded(url, as: recipe)
    #expect(whole.format == ToyImage.format && studio.coder.counts.encodes == 1)
  }
}
