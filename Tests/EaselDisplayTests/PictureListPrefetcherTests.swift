import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselDisplay

/// Rows ahead of the visible ones are loaded, and those behind them are given up.
struct PictureListPrefetcherTests {
  let studio = Studio()
  let urls: [URL]

  init() {
    urls = (0..<40).map { URL(string: "http://host/\($0).toy")! }
    for url in urls { studio.place(.small, at: url.absoluteString) }
  }

  private func prefetcher(screens: Double = 1, concurrency: Int = 100) -> PictureListPrefetcher {
    PictureListPrefetcher(manager: studio.manager, screens: screens, concurrency: concurrency) { [urls] row in
      urls.indices.contains(row) ? ImageRequest(url: urls[row]) : nil
    }
  }

  private func suspend(_ rows: Range<Int>) { for row in rows { studio.loader.suspend(urls[row]) } }

  private var loaded: [Int] { urls.indices.filter { studio.loader.callCount(for: urls[$0]) > 0 } }

  @Test func rowsBelowComeNextAndNearestFirst() async {
    suspend(0..<40)
    let prefetcher = prefetcher(concurrency: 1)
    prefetcher.show(0..<5)
    for row in 5..<10 {
      await studio.loader.waitUntilSuspended(urls[row])
      #expect(loaded == Array(5...row))
      studio.loader.resume(urls[row])
      await studio.loader.waitForEnd(of: urls[row])
    }
    prefetcher.stop()
  }

  @Test func theDirectionIsFollowedAndWhatIsBehindIsGivenUp() async {
    suspend(0..<40)
    let prefetcher = prefetcher()
    prefetcher.show(20..<25)
    for row in 25..<30 { await studio.loader.waitUntilSuspended(urls[row]) }
    #expect(loaded == Array(25..<30))
    prefetcher.show(18..<23)
    for row in 13..<18 { await studio.loader.waitUntilSuspended(urls[row]) }
    for row in 25..<30 { await studio.loader.waitForCancellation(of: urls[row]) }
    #expect(loaded == Array(13..<18) + Array(25..<30))
    // There are no rows before the first.
    prefetcher.show(2..<7)
    for row in 0..<2 { await studio.loader.waitUntilSuspended(urls[row]) }
    for row in 13..<18 { await studio.loader.waitForCancellation(of: urls[row]) }
    prefetcher.stop()
    for row in 0..<2 { await studio.loader.waitForCancellation(of: urls[row]) }
  }

  @Test func aRowThatBecomesVisibleJoinsItsLoad() async throws {
    suspend(0..<40)
    let prefetcher = prefetcher()
    prefetcher.show(0..<5)
    await studio.loader.waitUntilSuspended(urls[6])
    prefetcher.show(5..<10)
    let load = studio.manager.load(urls[6])
    studio.loader.resume(urls[6])
    _ = try await load.result
    #expect(studio.loader.callCount(for: urls[6]) == 1)
    prefetcher.stop()
  }

  @Test func rowsThatAreNotThereAreNotAskedForAgain() async {
    suspend(0..<40)
    let prefetcher = prefetcher(screens: 2)
    prefetcher.show(30..<36)
    for row in 36..<40 { await studio.loader.waitUntilSuspended(urls[row]) }
    prefetcher.show(30..<36)
    #expect(loaded == Array(36..<40) && studio.loader.callCount == 4)
    prefetcher.show(0..<0)
    for row in 36..<40 { await studio.loader.waitForCancellation(of: urls[row]) }
  }

  @Test func itsEndCancelsItsLoads() async {
    suspend(0..<40)
    var prefetcher: PictureListPrefetcher? = prefetcher()
    prefetcher?.show(0..<3)
    await studio.loader.waitUntilSuspended(urls[3])
    prefetcher = nil
    await studio.loader.waitForCancellation(of: urls[3])
  }
}
