import CEaselGTK
import CEaselGTKFixtures
import EaselTestStudio
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselDisplay
@testable import EaselGTK
@testable import EaselManager

/// Moving pictures play by the frames of the screen.
@Suite(.tags(.alone), .serialized, .enabled(if: Screen.isReady, Screen.isMissing))
struct MovingPictureTests {
  let studio = Studio()
  let frame: Frame
  let source = FakeFrameSource(durations: Array(repeating: .milliseconds(100), count: 3), loopCount: 2)
  let url = URL(string: "http://host/moving.toy")!

  @GTKActor init() { frame = Frame() }

  @GTKActor private func load() async throws {
    let image = Image(try source.frame(at: 0), frames: source)
    studio.loader.script(url, .image(image))
    _ = try await frame.load(url, from: studio.manager, context: [.storeLayers(.memory)])
  }

  /// Waits until the player of a widget shows a frame and sleeps until the next one.
  @GTKActor private func wait(for index: Int, in view: PictureView) async {
    while view.player?.currentFrame != index || view.clock.sleeperCount == 0 { await Task.yield() }
  }

  @GTKActor @Test func framesComeWhenTheyAreDue() async throws {
    defer { frame.close() }
    try await load()
    let view = frame.view
    await wait(for: 0, in: view)
    for (step, index) in [1, 2, 0, 1, 2].enumerated() {
      #expect(view.tick(at: .milliseconds(100 * step)))
      let isShown = view.player?.currentFrame
      #expect(view.tick(at: .milliseconds(100 * step + 99)) && view.player?.currentFrame == isShown)
      #expect(view.tick(at: .milliseconds(100 * step + 100)))
      await wait(for: index, in: view)
      #expect(frame.color(x: 15, y: 15)?.red == UInt8(index))
    }
    // It has been played twice, and its last frame stays.
    _ = view.tick(at: .milliseconds(700))
    while view.playing != nil { await Task.yield() }
    #expect(!view.tick(at: .milliseconds(800)) && frame.color(x: 15, y: 15)?.red == 2)
  }

  @GTKActor @Test func aWidgetThatIsNotOnTheScreenPauses() async throws {
    defer { frame.close() }
    try await load()
    let view = frame.view
    await wait(for: 0, in: view)
    _ = view.tick(at: .zero)
    _ = view.tick(at: .milliseconds(60))
    fixture_set_visible(frame.picture.widget, false)
    fixture_set_visible(frame.picture.widget, true)
    _ = view.tick(at: .seconds(100))
    _ = view.tick(at: .seconds(100) + .milliseconds(39))
    #expect(view.clock.sleeperCount == 1 && view.player?.currentFrame == 0)
    _ = view.tick(at: .seconds(100) + .milliseconds(40))
    await wait(for: 1, in: view)
  }

  @GTKActor @Test func allWidgetsOfAPictureShareItsFrames() async throws {
    let other = Frame()
    defer {
      frame.close()
      other.close()
    }
    try await load()
    _ = try await other.load(url, from: studio.manager)
    await wait(for: 0, in: frame.view)
    await wait(for: 0, in: other.view)
    await source.waitForFrames(count: 4)
    for view in [frame.view, other.view] {
      _ = view.tick(at: .zero)
      _ = view.tick(at: .milliseconds(100))
      await wait(for: 1, in: view)
    }
    // One of them was made by the test.
    #expect(source.made.count == 4)
  }

  @GTKActor @Test func itsPlayerSeeksAndTheUserMayBeginIt() async throws {
    defer { frame.close() }
    frame.picture.autoplays = false
    try await load()
    let player = try #require(frame.picture.player)
    #expect(player.isPaused)
    player.seek(toFrame: 2)
    while frame.color(x: 15, y: 15)?.red != 2 { await Task.yield() }
    player.seek(toFrame: 0)
    player.rate = 2
    player.resume()
    await wait(for: 0, in: frame.view)
    _ = frame.view.tick(at: .zero)
    _ = frame.view.tick(at: .milliseconds(50))
    await wait(for: 1, in: frame.view)
    frame.picture.clear()
    #expect(frame.picture.player == nil)
  }
}
