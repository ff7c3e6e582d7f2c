import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// One transfer, one decode and one encode for any number of callers of the same bytes.
struct EncodedSharingTests {
  /// A recipe for which an original might do, so that its encoding looks at the first bytes.
  private func recipe(_ number: Int) -> EncodeRecipe {
    var options = EncodeOptions()
    options.defaultQuality = Double(number) / 10
    return EncodeRecipe(ToyImage.writtenFormat, options: options)
  }

  @Test func aThousandCallersOfTenRecipesShareEverything() async throws {
    let studio = Studio()
    let url = studio.place(.small, chunkSize: 30)
    studio.loader.suspend(url)
    // Two sizes: each is decoded once, for five recipes.
    let contexts: [ImageContext] = [[], [.thumbnailSize(PixelSize(width: 4, height: 4))]]
    let callers = (0..<1000).map { number in
      let (recipe, context) = (recipe(number % 10), contexts[number % 2])
      return Task { try await studio.encoded(url, as: recipe, [], context) }
    }
    while studio.manager.resultRuns.waitingCount < callers.count { await Task.yield() }
    #expect(studio.manager.resultRuns.count == 10)
    // Each of the ten has joined the transfer, and so has its encoding, which looks at the first bytes.
    while studio.manager.encodingRuns.waitingCount < 10 || studio.manager.transferRuns.waitingCount < 20 {
      await Task.yield()
    }
    studio.loader.resume(url)
    var tags: Set<String> = []
    for caller in callers { tags.insert(try await caller.value.entityTag) }
    #expect(tags.count == 10)
    #expect(studio.loader.callCount == 1)
    #expect(studio.coder.counts.encodes == 10)
    #expect(studio.coder.decodeOptions.count == 2)
    #expect(studio.runs(with: "encoded") == 10 && studio.runs(with: "decoded") == 2)
    await studio.settle()
    #expect(studio.disk.calls.count { if case .store = $0 { true } else { false } } == 11)
    #expect(studio.isAtRest)
  }

  @Test func picturesAndBytesShareTheTransferAndTheDecode() async throws {
    let studio = Studio()
    let url = studio.place(.small, chunkSize: 30)
    studio.loader.suspend(url)
    let picture = Task { try await studio.result(url) }
    let encoded = Task { try await studio.encoded(url) }
    while studio.manager.transferRuns.waitingCount < 4 { await Task.yield() }
    studio.loader.resume(url)
    #expect(try await encoded.value.bitmap() == picture.value.image.bitmap)
    #expect(studio.loader.callCount == 1 && studio.coder.decodeOptions.count == 1)
    await studio.settle()
  }

  @Test func whoWantsTheSameBytesInAnotherWaySharesTheEncode() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url, at: .end)
    let first = Task { try await studio.encoded(url) }
    let second = Task { try await studio.encoded(url, as: .print, .fromLoaderOnly) }
    while studio.manager.resultRuns.waitingCount < 2 || studio.manager.encodingRuns.waitingCount < 2 {
      await Task.yield()
    }
    #expect(studio.manager.resultRuns.count == 2)
    studio.loader.resume(url, at: .end)
    #expect(try await first.value.entityTag == second.value.entityTag)
    #expect(studio.coder.counts.encodes == 1 && studio.loader.callCount == 1)
    await studio.settle()
  }

  @Test func whoGivesUpLeavesTheOthersTheirBytes() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.coder.encodeGate.close()
    let (first, second) = (Task { try await studio.encoded(url) }, Task { try await studio.encoded(url) })
    await studio.coder.encodeGate.waitForWaiters()
    while studio.manager.resultRuns.waitingCount < 2 { await Task.yield() }
    first.cancel()
    let error = await #expect(throws: ImageError.self) { try await first.value }
    #expect(error?.isCancellation == true)
    studio.coder.encodeGate.open()
    #expect(try await second.value.size == PixelSize(width: 8, height: 6))
    await studio.settle()
  }

  @Test func theLastWhoGivesUpStopsTheEncoder() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.coder.encodeGate.close()
    let task = Task { try await studio.encoded(url) }
    await studio.coder.encodeGate.waitForWaiters()
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.value }
    // The gate lets a cancelled call go.
    await studio.settle()
    await waitUntil { studio.isAtRest }
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func aTaskThatWasCancelledBeforeLoadsNothing() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await studio.encoded(url)
    }
    let error = await #expect(throws: ImageError.self) { try await task.value }
    #expect(error?.isCancellation == true && studio.loader.callCount == 0)
  }

  @Test func thePriorityOfTheCallerReachesTheLoader() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url)
    let low = Task { try await studio.encoded(url, as: .print, .lowPriority) }
    await studio.loader.waitForPriority(.low, of: url)
    let high = Task { try await studio.encoded(url, as: .toy, .highPriority) }
    await studio.loader.waitForPriority(.high, of: url)
    studio.loader.resume(url)
    _ = try await (low.value, high.value)
    await studio.settle()
  }

  @Test func cancelAllAndCloseEndLoadsOfBytes() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url)
    let task = Task { try await studio.encoded(url) }
    await studio.loader.waitForStart(of: url)
    #expect(studio.manager.runningCount == 1)
    studio.manager.cancelAll()
    await #expect(throws: ImageError.self) { try await task.value }
    await studio.manager.close()
    #expect(await studio.encodedFailure(url)?.isCancellation == true)
  }

  @Test func aRemovalForgetsTheBytesAndWhatIsBeingMade() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    try await studio.warmEncoded(url)
    studio.coder.encodeGate.close()
    let other = EncodeRecipe(ToyImage.writtenFormat, quality: 0.3)
    let running = Task { try await studio.encoded(url, as: other) }
    await studio.coder.encodeGate.waitForWaiters()
    try await studio.manager.removeCachedImage(for: url)
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    #expect(studio.manager.resultRuns.count == 0)
    studio.coder.encodeGate.open()
    _ = try await running.value
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func eachSettingOfARecipeHasAKeyOfItsOwnAndEqualRecipesHaveOne() async throws {
    let studio = Studio()
    let request = ImageRequest(url: studio.place(.small))
    var settings = EncodeOptions.Settings()
    settings[EncodeOptions.Setting<Int>("speed")] = 3
    var withSettings = EncodeOptions()
    withSettings.settings = settings
    let options: [EncodeOptions] = [
      EncodeOptions(), EncodeOptions(quality: 0.5), EncodeOptions(lossless: true), EncodeOptions(maxFileBytes: 500),
      EncodeOptions(maxPixelSize: PixelSize(width: 4, height: 4)), EncodeOptions(backgroundColor: .black),
      EncodeOptions(firstFrameOnly: true), EncodeOptions(progressive: true), EncodeOptions(keepsMetadata: true),
      withSettings,
    ]
    let keys = options.map {
      studio.manager.cacheKey(for: request, as: EncodeRecipe(ToyImage.format, options: $0))
    }
    #expect(Set(keys).count == 10 && !keys.contains(nil))
    #expect(Set(keys.map { $0!.diskName }).count == 10)
    let same = [
      EncodeRecipe(ToyImage.format), EncodeRecipe(.webp, ToyImage.format),
      EncodeRecipe(firstOf: [ToyImage.format, ToyImage.writtenFormat]),
      try EncodeRecipe(parsing: "Encode(x-easel-toy,80)"),
    ]
    #expect(Set(same.map { studio.manager.cacheKey(for: request, as: $0) }) == [keys[0]])
    let asked = [
      EncodeRecipe(ToyImage.format, quality: 0.5), EncodeRecipe(.webp, ToyImage.format, options: options[1]),
      EncodeRecipe(ToyImage.format, quality: 0.500_000_1), try EncodeRecipe(parsing: "Encode(x-easel-toy,q50)"),
    ]
    #expect(Set(asked.map { studio.manager.cacheKey(for: request, as: $0) }) == [keys[1]])
  }
}
