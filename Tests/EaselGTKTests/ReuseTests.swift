import CEaselGTKFixtures
import EaselTestPixels
import EaselTestStudio
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselGTK
@testable import EaselManager

/// One widget that is used again and again, as the rows of a list are.
@Suite(.tags(.alone), .serialized, .enabled(if: Screen.isReady, Screen.isMissing))
struct ReuseTests {
  /// With `EASEL_LONG_RUN` it is used a hundred thousand times.
  private static let uses = ProcessInfo.processInfo.environment["EASEL_LONG_RUN"] == nil ? 600 : 100_000

  @GTKActor @Test func itNeverShowsThePictureOfAnotherURL() async throws {
    let studio = Studio()
    let frame = Frame(width: 16, height: 16)
    defer { frame.close() }
    var random = SeededRandom(seed: 11)
    let colors = stride(from: UInt8(10), to: 250, by: 30).map { PixelColor(red: $0, green: 255 - $0, blue: 7) }
    let urls = colors.enumerated().map { index, color in
      studio.place(ToyImage(width: 4, height: 4, color: color), at: "http://host/\(index).toy")
    }
    let broken = URL(string: "http://host/broken.toy")!
    studio.loader.script(broken, .status(404))
    studio.loader.setBlocks(false, broken)
    _ = try await frame.load(urls[0], from: studio.manager)
    let ends = Watched(0)
    var wrong = 0
    for _ in 0..<Self.uses {
      let index = random.below(urls.count + 1)
      let url = index < urls.count ? urls[index] : broken
      if random.below(3) == 0 { studio.loader.suspend(url) }
      frame.picture.show(
        url, from: studio.manager, placeholder: random.below(2) == 0 ? .of(.allBlue) : nil,
        options: random.below(2) == 0 ? .fromLoaderOnly : []
      ) { _ in ends.withLock { $0 += 1 } }
      let own = index < urls.count ? colors[index] : nil
      for _ in 0..<random.below(6) {
        let color = frame.middle
        if color != own && color != .allBlue && color != .clear { wrong += 1 }
        if random.below(2) == 0 { studio.loader.resume(url) }
        await Task.yield()
      }
      if random.below(4) == 0 { for url in urls { studio.loader.resume(url) } }
    }
    frame.picture.clear()
    #expect(wrong == 0)
    // Each use has ended once.
    #expect(ends.withLock { $0 } == Self.uses)
    for url in urls + [broken] { studio.loader.resume(url) }
  }
}
