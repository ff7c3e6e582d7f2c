import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Pictures do not pile up in memory when a reader is slower than the load.
struct SlowReaderTests {
  private func image(_ tag: UInt8) throws -> Image {
    var bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba8)
    bitmap.withUnsafeMutableBytes { $0[0] = tag }
    return Image(bitmap)
  }

  private func tag(_ image: Image?) -> UInt8? { image?.bitmap.withUnsafeBytes { $0[0] } }

  @Test func ofThePreviewsThatASlowReaderMissedOnlyTheNewestWaits() async throws {
    let channel = EventChannel()
    let stream = channel.stream()
    channel.send(.cached(try image(100)))
    for number in 1...10 {
      channel.send(.progress(received: number, expected: 10))
      channel.send(.preview(try image(UInt8(number))))
    }
    channel.finish()
    let events = await stream.reduce(into: [ImageTask.Event]()) { $0.append($1) }
    #expect(tag(events.first?.cached) == 100, "The picture from the cache comes before what was seen of the new one.")
    #expect(events.compactMap(\.preview).map { tag($0) } == [10])
    #expect(events.compactMap(\.progress).last == [10, 10])
  }

  @Test func aSlowReaderIsToldTheNewestProgressAndLittleThatIsOld() async throws {
    let channel = EventChannel()
    let stream = channel.stream()
    for number in 0...10_000 { channel.send(.progress(received: number, expected: 10_000)) }
    channel.finish()
    let steps = await stream.reduce(into: [ImageTask.Event]()) { $0.append($1) }.compactMap(\.progress)
    #expect(steps.count <= 16)
    #expect(steps.last == [10_000, 10_000])
  }

  @Test func aReaderThatKeepsUpHearsOfEveryPreview() async throws {
    let channel = EventChannel()
    var reader = channel.stream().makeAsyncIterator()
    for number in UInt8(1)...20 {
      channel.send(.preview(try image(number)))
      let event = await reader.next()
      #expect(tag(event?.preview) == number)
    }
    channel.finish()
    #expect(await reader.next() == nil)
  }

  @Test func readersWhoWaitAreWokenByTheNextEventAndByTheEnd() async throws {
    let channel = EventChannel()
    let isRead = AsyncGate()
    let stream = channel.stream()
    let reader = Task {
      var tags: [UInt8?] = []
      for await event in stream {
        tags.append(tag(event.preview))
        isRead.open()
      }
      return tags
    }
    await Task.yield()
    channel.send(.preview(try image(7)))
    try await isRead.pass()
    channel.finish()
    #expect(await reader.value == [7])
  }

  @Test func aReaderThatGivesUpIsWoken() async throws {
    let channel = EventChannel()
    let stream = channel.stream()
    let reader = Task { await stream.reduce(into: 0) { count, _ in count += 1 } }
    await Task.yield()
    reader.cancel()
    #expect(await reader.value == 0)
    channel.finish()
  }

  @Test func previewsDoNotQueueUpBeforeAListenerThatIsHeldUp() async throws {
    let run = SharedRun()
    let gate = Gate()
    let heard = Watched<[UInt8?]>([])
    let listener: @Sendable (RunEvent) -> Void = { event in
      guard case .preview(let image) = event else { return }
      gate.pass()
      heard.withLock { $0.append(image.bitmap.withUnsafeBytes { $0[0] }) }
    }
    run.join(RunPlace(priority: nil, listener: listener))
    let first = try image(1)
    PlainThread.start { run.emit(.preview(first)) }
    await gate.waitForWaiters()
    for number in UInt8(2)...9 { run.emit(.preview(try image(number))) }
    gate.open()
    await heard.wait { $0.last == 9 }
    #expect(heard.withLock { $0 } == [1, 9])
  }
}
