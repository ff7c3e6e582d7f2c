import Easel
import EaselTestSupport
import Testing

/// An author of a plug-in can make everything that the pipeline passes to it.
struct SingleCallTests {
  // Documentation: testing a plug-in.
  @Test func theRateCountsHitsAndMisses() {
    let rate = HitRate()
    let kinds: [ImageEvent.Kind] = [.started, .cacheHit(.memory), .cacheMiss]
    for kind in kinds { rate.observe(ImageEvent(kind)) }
    #expect(rate.share == 0.5)
  }

  // Documentation: testing a plug-in.
  @Test func aCancelledTransformerStops() throws {
    let image = Image(try Bitmap(size: PixelSize(width: 8, height: 8), format: .rgba8))
    let work = WorkContext(isCancelled: true)
    let error = #expect(throws: ImageError.self) { try Posterize(levels: 4).transform(image, work: work) }
    #expect(error?.code == .cancelled)
  }

  @Test func anEventCarriesWhatItWasMadeWith() {
    let plain = ImageEvent(.notModified)
    #expect(plain.key == nil && plain.run == nil && !plain.isJoined)
    let key = CacheKey(original: "http://host/a.png")
    let event = ImageEvent(
      .loaded(byteCount: 3, LoadResult.Metrics(total: .seconds(2))), load: 7, key: key, run: 8, isJoined: true)
    #expect(event.load == 7 && event.key == key && event.run == 8 && event.isJoined)
    guard case .loaded(3, let metrics?) = event.kind else {
      Issue.record("The event is \(event.kind).")
      return
    }
    #expect(metrics.total == .seconds(2))
  }

  @Test func theTimeOfWorkIsThatOfItsClock() throws {
    let clock = ManualClock()
    let work = WorkContext(limits: Limits(decodeTime: .seconds(5)), clock: clock)
    clock.advance(by: .seconds(5))
    try work.checkCancellation()
    clock.advance(by: .seconds(1))
    let error = #expect(throws: ImageError.self) { try work.checkCancellation() }
    #expect(error?.code == .limitExceeded)
  }

  @Test func workCarriesItsSource() {
    let work = WorkContext(
      context: [.scaleFactor(2)], url: .init(string: "http://host/a.png"), response: ResponseHead(status: 200))
    #expect(work.context[.scaleFactor] == 2)
    #expect(work.url?.absoluteString == "http://host/a.png" && work.response?.status == 200)
  }
}
