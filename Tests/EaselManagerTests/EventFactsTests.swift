import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Events tell which URL they are about, and when that began which they tell of.
struct EventFactsTests {
  @Test func anEventTellsWhenThatBeganWhichItTellsOf() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let start = studio.clock.date
    studio.loader.suspend(url)
    let first = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    studio.clock.advance(by: .seconds(2))
    let later = start.addingTimeInterval(2)
    // It joins the transfer, and is told of what happened before.
    let second = studio.manager.load(url, context: [.thumbnailSize(PixelSize(width: 4, height: 4))])
    while studio.manager.transferRuns.waitingCount < 4 { await Task.yield() }
    studio.loader.resume(url)
    _ = try await (first.image, second.image)
    let events = studio.observer.events
    let loads = events.filter { if case .started = $0.kind { true } else { false } }.map(\.load)
    func began(_ name: String, _ load: Int) -> Date? {
      events.first { $0.load == loads[load] && $0.kind.name == name }?.began
    }
    #expect(began("started", 0) == start && began("succeeded", 0) == start)
    #expect(began("started", 1) == later && began("succeeded", 1) == later)
    for load in 0..<2 {
      #expect(began("loading", load) == start && began("loaded", load) == start)
      #expect(began("response", load) == later && began("decoded", load) == later)
    }
  }

  @Test func ofWorkItIsTheBeginningAndNotTheEnd() {
    let now = Date(timeIntervalSince1970: 100)
    let time = Duration.milliseconds(1500)
    let size = PixelSize(width: 1, height: 1)
    for kind in [
      ImageEvent.Kind.decoded(size, time), .transformed(key: "a", time), .encoded(.png, byteCount: 1, time),
    ] { #expect(kind.beginning(before: now) == Date(timeIntervalSince1970: 98.5)) }
    #expect(ImageEvent.Kind.cacheMiss.beginning(before: now) == now)
  }

  @Test func theURLIsToldWithoutItsUser() async throws {
    let studio = Studio()
    let url = studio.place(.small, at: "http://me:secret@host/a.toy?b=c")
    _ = try await studio.result(url)
    let events = studio.observer.events
    #expect(!events.isEmpty && events.allSatisfy { $0.url?.absoluteString == "http://***@host/a.toy?b=c" })
    let other = Studio()
    _ = try await other.manager.image(from: ImageBytes(ToyImage.small.bytes))
    #expect(!other.observer.events.isEmpty && other.observer.events.allSatisfy { $0.url == nil })
  }
}
