import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Previews while the body arrives, and decoding during arrival.
struct PreviewTests {
  let url = URL(string: "http://host/a.toy")!
  /// The first chunk has the header and the first frame's delay; each further chunk has two rows.
  let picture = ToyImage(width: 8, height: 6, seed: 7)

  private func studio(interval: Duration = .zero, _ coder: ToyCoder = ToyCoder()) -> Studio {
    let studio = Studio(coder: coder) { $0.minimumPreviewInterval = interval }
    let bytes = picture.bytes
    var steps = [FakeLoader.Script.Step.head(ResponseHead(status: 200, expectedLength: bytes.count))]
    for start in [0, 96, 160] {
      steps.append(.chunk(Array(bytes[start..<[0: 96, 96: 160, 160: 224][start]!])))
    }
    studio.loader.script(url, FakeLoader.Script(steps))
    return studio
  }

  /// Waits for a preview that shows this many rows.
  private func preview(_ rows: Int, of task: ImageTask) async throws -> Image {
    for await event in task.events {
      if let image = event.preview, try rowsShown(by: image) == rows { return image }
    }
    throw ImageError(.badImageData, "No preview showed \(rows) rows.")
  }

  private func rowsShown(by image: Image) throws -> Int {
    let whole = try picture.expectedBitmap()
    let row = whole.bytesPerRow
    return try (0..<whole.height).count { y in
      try whole.withUnsafeBytes { expected in
        try image.bitmap.withUnsafeBytes { shown in
          try #require(shown.count == expected.count)
          return shown[y * row..<(y + 1) * row].elementsEqual(expected[y * row..<(y + 1) * row])
        }
      }
    }
  }

  @Test func previewsShowWhatHasArrived() async throws {
    let studio = studio()
    studio.loader.suspend(url, at: .step(2))
    studio.loader.suspend(url, at: .step(3))
    let task = studio.manager.load(url, options: .progressive)
    let first = try await preview(2, of: task)
    studio.loader.resume(url, at: .step(2))
    let second = try await preview(4, of: task)
    studio.loader.resume(url, at: .step(3))
    let image = try await task.image
    #expect(first.traits.contains(.partial) && second.traits.contains(.partial))
    #expect(!image.traits.contains(.partial))
    #expect(try image.bitmap == picture.expectedBitmap())
    #expect(studio.coder.counts.finishes == 1 && studio.coder.counts.decodes == 0)
  }

  @Test func previewsPassThroughTheTransformersAndAreNeverStored() async throws {
    let studio = studio()
    studio.loader.suspend(url, at: .step(2))
    let tags = TransformerPipeline([TaggingTransformer(1), TaggingTransformer(2)])
    let task = studio.manager.load(url, options: .progressive, context: [.transformer(tags)])
    var shown: Image?
    for await event in task.events {
      if let image = event.preview {
        shown = image
        break
      }
    }
    #expect(shown.map(TaggingTransformer.tags) == [1, 2])
    #expect(shown?.traits.contains(.partial) == true)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    studio.loader.resume(url, at: .step(2))
    #expect(TaggingTransformer.tags(of: try await task.image) == [1, 2])
    await studio.settle()
    #expect(studio.memory.entries.values.allSatisfy { $0.image?.traits.contains(.partial) == false })
  }

  @Test func onePreviewAtATimeAndTheNewestDataWins() async throws {
    let studio = studio()
    studio.coder.previewGate.close()
    studio.loader.suspend(url, at: .end)
    let task = studio.manager.load(url, options: .progressive)
    await studio.loader.waitUntilSuspended(url, at: .end)
    await studio.coder.previewGate.waitForWaiters()
    #expect(studio.coder.previewGate.waitingCount == 1)
    let events = studio.events(of: task)
    studio.coder.previewGate.open()
    // The waiting decode shows its own part, and the next shows everything that arrived; there is none in between.
    await studio.coder.wait { $0.previews >= 1 }
    studio.loader.resume(url, at: .end)
    _ = try await task.image
    #expect(await events.value.compactMap(\.preview).count <= 2)
    #expect(studio.coder.counts.decoders == 1)
  }

  @Test func theIntervalBoundsThem() async throws {
    let studio = studio(interval: .seconds(1))
    studio.loader.suspend(url, at: .step(2))
    studio.loader.suspend(url, at: .step(3))
    let task = studio.manager.load(url, options: .progressive)
    let events = studio.events(of: task)
    _ = try await preview(2, of: task)
    studio.loader.resume(url, at: .step(2))
    await studio.loader.waitUntilSuspended(url, at: .step(3))
    studio.loader.resume(url, at: .step(3))
    _ = try await task.image
    #expect(await events.value.compactMap(\.preview).count == 1)
    #expect(studio.coder.counts.previews == 1)
  }

  @Test func afterTheIntervalThereIsAnother() async throws {
    let studio = studio(interval: .seconds(1))
    studio.loader.suspend(url, at: .step(2))
    let task = studio.manager.load(url, options: .progressive)
    _ = try await preview(2, of: task)
    studio.clock.advance(by: .seconds(1))
    studio.loader.suspend(url, at: .step(3))
    studio.loader.resume(url, at: .step(2))
    _ = try await preview(4, of: task)
    studio.loader.resume(url, at: .step(3))
    _ = try await task.image
  }

  @Test func withoutTheOptionThereAreNone() async throws {
    let studio = studio()
    let task = studio.manager.load(url)
    let events = studio.events(of: task)
    _ = try await task.image
    #expect(await events.value.compactMap(\.preview).isEmpty)
    #expect(studio.coder.counts.previews == 0)
  }

  @Test func theProcessorMayAskForThem() async throws {
    let coder = ToyCoder()
    let studio = Studio(coder: coder) {
      $0.minimumPreviewInterval = .zero
      $0.optionsProcessor = FakeOptionsProcessor(adding: .progressive)
    }
    studio.place(picture, chunkSize: 96)
    studio.loader.suspend(url, at: .step(2))
    let task = studio.manager.load(url)
    _ = try await preview(2, of: task)
    studio.loader.resume(url, at: .step(2))
    _ = try await task.image
  }

  @Test func aDecryptorAllowsNone() async throws {
    let studio = studio()
    let key = XORDecryptor(key: 3)
    studio.loader.script(url, .body(key.encrypt(picture.bytes), chunkSize: 96))
    let task = studio.manager.load(url, options: .progressive, context: [.decryptor(key)])
    let events = studio.events(of: task)
    #expect(try await task.image.bitmap == picture.expectedBitmap())
    #expect(await events.value.compactMap(\.preview).isEmpty)
    #expect(studio.coder.counts.decoders == 0 && studio.coder.counts.decodes == 1)
  }

  @Test func aCoderThatCannotShowsNone() async throws {
    let studio = studio(ToyCoder(isProgressive: false))
    let task = studio.manager.load(url, options: .progressive)
    let events = studio.events(of: task)
    #expect(try await task.image.bitmap == picture.expectedBitmap())
    #expect(await events.value.compactMap(\.preview).isEmpty)
    #expect(studio.coder.counts.decodes == 1)
  }

  /// A sandbox makes a process for each look at a header.
  @Test func whatIsDecodedAsAWholeIsNotLookedAtBefore() async throws {
    let studio = studio(ToyCoder(isProgressive: false))
    studio.loader.suspend(url, at: .step(3))
    let task = studio.manager.load(url, context: [.transformer(.custom(NarrowTo(width: 4)))])
    await studio.loader.waitUntilSuspended(url, at: .step(3))
    studio.loader.resume(url, at: .step(3))
    #expect(try await task.image.size == PixelSize(width: 4, height: 3))
    #expect(studio.coder.counts.probes == 1 && studio.coder.counts.decodes == 1)
  }

  @Test func aLateCallerOfARunThatNobodyWatchedSeesWhatIsHeld() async throws {
    let studio = studio()
    studio.loader.suspend(url, at: .step(3))
    let plain = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url, at: .step(3))
    let late = studio.manager.load(url, options: .progressive)
    _ = try await preview(4, of: late)
    studio.loader.resume(url, at: .step(3))
    _ = try await late.image
    _ = try await plain.image
    #expect(studio.coder.counts.decoders == 1 && studio.loader.callCount == 1)
  }

  @Test func aLateCallerIsToldTheNewestPreview() async throws {
    let studio = studio()
    studio.loader.suspend(url, at: .step(3))
    let first = studio.manager.load(url, options: .progressive)
    _ = try await preview(4, of: first)
    let late = studio.manager.load(url, options: .progressive)
    _ = try await preview(4, of: late)
    studio.loader.resume(url, at: .step(3))
    _ = try await late.image
    _ = try await first.image
  }

  @Test func whoDidNotAskSeesNoneOfAnothersPreviews() async throws {
    let studio = studio()
    studio.loader.suspend(url, at: .step(2))
    let watching = studio.manager.load(url, options: .progressive)
    let plain = studio.manager.load(url)
    let events = studio.events(of: plain)
    _ = try await preview(2, of: watching)
    studio.loader.resume(url, at: .step(2))
    _ = try await plain.image
    _ = try await watching.image
    #expect(await events.value.compactMap(\.preview).isEmpty)
  }

  @Test func thereAreNoneAfterTheEnd() async throws {
    let studio = studio()
    studio.coder.previewGate.close()
    studio.loader.suspend(url, at: .step(3))
    let task = studio.manager.load(url, options: .progressive)
    let events = studio.events(of: task)
    await studio.coder.previewGate.waitForWaiters()
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    studio.coder.previewGate.open()
    #expect(await events.value.compactMap(\.preview).isEmpty)
  }

  @Test(arguments: [true, false]) func anotherAttemptIsDecodedFromItsOwnBytes(_ throughRestart: Bool) async throws {
    let studio = Studio {
      $0.minimumPreviewInterval = .zero
      $0.retryPolicy = FakeRetryPolicy(.retry(after: .zero))
    }
    let wrong = ToyImage(width: 8, height: 6, seed: 99)
    if throughRestart {
      var script = FakeLoader.Script.body(picture.bytes, chunkSize: 100)
      script.steps.insert(contentsOf: [.chunk(Array(wrong.bytes.prefix(190))), .restart(at: 0)], at: 1)
      studio.loader.script(url, script)
    } else {
      studio.loader.script(
        url, .failure(ImageError(.network, "Cut."), after: 190, of: wrong.bytes), .body(picture.bytes, chunkSize: 100))
    }
    let image = try await studio.manager.image(for: url, options: .progressive)
    #expect(try image.bitmap == picture.expectedBitmap())
  }

  @Test func aRestartThatNothingFollowsCountsToo() async throws {
    let studio = studio()
    var script = FakeLoader.Script.body(picture.bytes, announcesLength: false)
    script.steps += [.chunk([1, 2, 3]), .restart(at: picture.bytes.count)]
    studio.loader.script(url, script)
    #expect(try await studio.result(url, .progressive).image.bitmap == picture.expectedBitmap())
  }

  @Test(arguments: [1, 7, 50, 224]) func finishingEqualsDecodingInOneGo(_ chunk: Int) async throws {
    let moving = ToyImage(width: 4, height: 4, seed: 3, frameCount: 3)
    for toy in [picture, moving, ToyImage(width: 5, height: 3, orientation: .left)] {
      let studio = Studio { $0.minimumPreviewInterval = .zero }
      studio.place(toy, chunkSize: chunk)
      let image = try await studio.result(url, .progressive).image
      let whole = try ToyCoder().decode(toy.imageBytes, options: DecodeOptions(), work: WorkContext())
      #expect(image.bitmap == whole.bitmap && image.frames?.count == whole.frames?.count)
      #expect(image.traits == whole.traits && image.metadata == whole.metadata)
    }
  }
}
