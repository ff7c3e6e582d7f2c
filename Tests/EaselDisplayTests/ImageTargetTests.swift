import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselDisplay

struct ImageTargetTests {
  let studio = Studio()
  let view = FakeView()

  private func placeholder() throws -> Image {
    Image(try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba8))
  }

  private let small = PixelSize(width: 8, height: 6)
  private let one = PixelSize(width: 1, height: 1)

  @Test func thePlaceholderComesFirstAndThePictureWithATransition() async throws {
    let url = studio.place(.small)
    let load = view.setImage(url, from: studio.manager, placeholder: try placeholder(), options: .waitTransition)
    #expect(try await load.result.image.size == small)
    #expect(view.shown == [.show(one), .transition(small)])
    #expect(view.calls.withLock { $0 }.contains { if case .progress = $0 { true } else { false } })
  }

  @Test func aPictureInMemoryIsShownWithoutPlaceholderAndTransition() async throws {
    let url = studio.place(.small)
    _ = try await studio.manager.image(for: url)
    _ = try await view.setImage(url, from: studio.manager, placeholder: try placeholder()).result
    #expect(view.shown == [.show(small)])
  }

  @Test func aTransitionCanBeForced() async throws {
    let url = studio.place(.small)
    _ = try await studio.manager.image(for: url)
    let options: ImageOptions = [.forceTransition, .waitTransition]
    _ = try await view.setImage(url, from: studio.manager, options: options).result
    #expect(view.shown == [.transition(small)])
  }

  @Test func withoutWaitingForItTheResultComesBeforeTheTransition() async throws {
    let url = studio.place(.small)
    view.transitionGate.close()
    _ = try await view.setImage(url, from: studio.manager).result
    #expect(view.shown == [.show(nil)])
    view.transitionGate.open()
    await view.wait(for: .transition(small))
  }

  @Test(arguments: 0..<100) func theResultComesAfterTheViewWasTold(_: Int) async throws {
    let url = studio.place(.small)
    _ = try await view.setImage(url, from: studio.manager).result
    // Its gate is a suspension, so that it may not have recorded the end yet.
    #expect(view.begun.withLock { $0 } == [small])
    let plain = PlainView()
    _ = try await plain.setImage(url, from: studio.manager, options: .fromLoaderOnly).result
    #expect(plain.shown.withLock { $0 }.last == small)
  }

  @Test func theProcessorIsAskedOnceAndHasTheLastWordForTargetsToo() async throws {
    let processor = FakeOptionsProcessor(adding: .avoidAutoSet, context: [.targetKey("left")])
    let studio = Studio { $0.optionsProcessor = processor }
    let url = studio.place(.small)
    // The manager asks again for such an origin at each use, as for a file that may be edited.
    studio.loader.setOrigin(ImageOrigin(key: url.absoluteString, isLasting: false), of: url)
    studio.loader.suspend(url)
    let load = view.setImage(url, from: studio.manager)
    #expect(processor.urls == [url])
    #expect(view.imageTask(for: "left") === load.task && view.imageTask() == nil)
    studio.loader.resume(url)
    _ = try await load.result
    #expect(view.shown == [.show(nil)] && processor.urls == [url])
  }

  @Test func aTargetSaysWhatItIsLoading() async throws {
    let url = studio.place(.small)
    #expect(view.imageTask() == nil)
    studio.loader.suspend(url)
    let load = view.setImage(url, from: studio.manager)
    #expect(view.imageTask()?.request.url == url && view.imageTask() === load.task)
    studio.loader.resume(url)
    _ = try await load.result
    #expect(view.imageTask() == nil)
  }

  @Test func aDelayedPlaceholderIsShownOnlyOnFailure() async throws {
    let url = studio.place(.small)
    let options: ImageOptions = [.delayPlaceholder, .waitTransition]
    _ = try await view.setImage(url, from: studio.manager, placeholder: try placeholder(), options: options).result
    #expect(view.shown == [.transition(small)])

    let missing = URL(string: "http://host/missing.toy")
    let failing = view.setImage(missing, from: studio.manager, placeholder: try placeholder(), options: options)
    await #expect(throws: ImageError.self) { try await failing.result }
    #expect(view.shown == [.transition(small), .show(one)])
  }

  @Test func aNewPictureCancelsTheOldOne() async throws {
    let old = studio.place(.small, at: "http://host/old.toy")
    let new = studio.place(.moving, at: "http://host/new.toy")
    studio.loader.suspend(old)
    let first = view.setImage(old, from: studio.manager)
    await studio.loader.waitUntilSuspended(old)
    let second = view.setImage(new, from: studio.manager, options: .waitTransition)
    let error = await #expect(throws: ImageError.self) { try await first.result }
    #expect(error?.code == .cancelled)
    _ = try await second.result
    await studio.loader.waitForCancellation(of: old)
    #expect(view.shown.last == .transition(PixelSize(width: 4, height: 4)))
  }

  @Test func withoutCancellingThePictureAskedForBeforeIsStillNeverShown() async throws {
    let old = studio.place(.small, at: "http://host/old.toy")
    let new = studio.place(.moving, at: "http://host/new.toy")
    studio.loader.suspend(old)
    let first = view.setImage(old, from: studio.manager)
    await studio.loader.waitUntilSuspended(old)
    let options: ImageOptions = [.avoidAutoCancel, .waitTransition]
    _ = try await view.setImage(new, from: studio.manager, options: options).result
    studio.loader.resume(old)
    #expect(try await first.result.image.size == small)
    #expect(!view.shown.contains(.transition(small)) && !view.shown.contains(.show(small)))
  }

  @Test func twoTargetKeysDoNotDisturbEachOther() async throws {
    let left = studio.place(.small, at: "http://host/left.toy")
    let right = studio.place(.moving, at: "http://host/right.toy")
    studio.loader.suspend(left)
    let first = view.setImage(
      left, from: studio.manager, options: .waitTransition, context: [.targetKey("left")])
    await studio.loader.waitUntilSuspended(left)
    _ = try await view.setImage(right, from: studio.manager, context: [.targetKey("right")]).result
    studio.loader.resume(left)
    #expect(try await first.result.image.size == small)
    #expect(view.shown.contains(.transition(small)))
  }

  @Test func theCallerMayPutThePictureOnTheTarget() async throws {
    let url = studio.place(.small)
    let result = try await view.setImage(url, from: studio.manager, options: .avoidAutoSet).result
    #expect(result.image.size == small)
    #expect(view.shown == [.show(nil)])
  }

  @Test func noURLCancelsShowsThePlaceholderAndFails() async throws {
    let old = studio.place(.small)
    studio.loader.suspend(old)
    let first = view.setImage(old, from: studio.manager)
    await studio.loader.waitUntilSuspended(old)
    let load = view.setImage(nil, from: studio.manager, placeholder: try placeholder())
    let error = await #expect(throws: ImageError.self) { try await load.result }
    #expect(error?.code == .invalidURL)
    await #expect(throws: ImageError.self) { try await first.result }
    #expect(view.shown.last == .show(one))
  }

  @Test func previewsAreShownBeforeThePicture() async throws {
    let picture = ToyImage(width: 8, height: 64, seed: 5)
    let url = studio.place(picture, chunkSize: 256)
    studio.loader.suspend(url, at: .end)
    let options: ImageOptions = [.progressive, .waitTransition]
    let load = view.setImage(url, from: studio.manager, options: options)
    await view.wait(for: .show(picture.size))
    studio.loader.resume(url, at: .end)
    _ = try await load.result
    #expect(view.shown.last == .transition(picture.size))
  }

  @Test func aTargetThatGoesAwayGivesUpItsLoad() async {
    let url = studio.place(.small)
    studio.loader.suspend(url)
    var view: FakeView? = FakeView()
    let load = view!.setImage(url, from: studio.manager)
    await studio.loader.waitUntilSuspended(url)
    view = nil
    await studio.loader.waitForCancellation(of: url)
    await #expect(throws: ImageError.self) { try await load.result }
  }

  @Test func aPlayerShowsItsFramesUntilAnotherPictureIsAskedFor() async throws {
    let clock = ManualClock()
    let frames = FakeFrameSource(durations: [.milliseconds(20), .milliseconds(20)], canvasSize: small)
    let player = ImagePlayer(frames, budget: .patient(byteLimit: 1000), clock: clock)
    let playing = Task { try await view.play(player) }
    await clock.waitForSleepers()
    #expect(view.shown == [.show(small)])
    _ = try await view.setImage(studio.place(.small), from: studio.manager, options: .waitTransition).result
    clock.advance(by: .milliseconds(20))
    try await playing.value
    #expect(view.shown == [.show(small), .show(nil), .transition(small)])
  }
}
