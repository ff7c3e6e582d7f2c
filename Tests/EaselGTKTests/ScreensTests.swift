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

/// The widget on screens of X11 and of Wayland, moved by their own frame clocks.
@Suite(
  .tags(.alone), .serialized, .enabled(if: Screen.isReady, Screen.isMissing),
  .enabled(if: Screen.isWaylandReady, Screen.isWaylandMissing))
struct ScreensTests {
  let studio = Studio()

  @GTKActor private func place(_ image: ToyImage, at name: String = "a") -> URL {
    studio.place(image, at: "http://host/\(name).toy")
  }

  @GTKActor @Test func bothKindsAreWhatTheySay() throws {
    for (kind, type, scale) in [(Screen.Kind.x11, "GdkX11Display", Int32(1)), (.wayland, "GdkWaylandDisplay", 2)] {
      let frame = try Frame(on: kind)
      defer { frame.close() }
      #expect(String(cString: fixture_display_type(frame.picture.widget)) == type)
      #expect(easel_picture_scale(frame.picture.widget) == scale)
      #expect(easel_picture_is_drawn_by_cairo(frame.picture.widget))
    }
  }

  @GTKActor @Test func theSamePictureIsDrawnOnBoth() async throws {
    let picture = ToyImage(width: 48, height: 20, seed: 3)
    let url = place(picture)
    for fit in RemotePicture.ContentFit.allCases {
      var drawn: [Bitmap] = []
      for kind in Screen.Kind.allCases {
        let frame = try Frame(on: kind)
        defer { frame.close() }
        frame.picture.contentFit = fit
        _ = try await frame.load(url, from: studio.manager)
        drawn.append(try #require(frame.pixels))
      }
      #expect(drawn[0] == drawn[1], "\(fit)")
      #expect(drawn[0].pixel(x: 32, y: 32) != .clear)
    }
  }

  @GTKActor @Test(arguments: Screen.Kind.allCases) func asManyPixelsAreDecodedAsTheScreenHas(
    _ kind: Screen.Kind
  ) async throws {
    let frame = try Frame(on: kind, width: 100, height: 100)
    defer { frame.close() }
    let url = place(ToyImage(width: 1000, height: 500, color: .allRed))
    let result = try await frame.load(url, from: studio.manager)
    #expect(
      result.image.size == (kind == .x11 ? PixelSize(width: 128, height: 64) : PixelSize(width: 256, height: 128)))
    // A larger room asks for more of them, quietly.
    fixture_set_size(frame.picture.widget, 200, 200)
    let width = kind == .x11 ? 256 : 512
    while frame.picture.image?.size.width != width { await Task.yield() }
    #expect(studio.loader.callCount == 1 && !frame.picture.isLoading)
  }

  @GTKActor @Test(arguments: Screen.Kind.allCases) func aFadeIsMovedByTheFramesOfTheScreen(
    _ kind: Screen.Kind
  ) async throws {
    let frame = try Frame(on: kind)
    defer { frame.close() }
    _ = try await frame.load(place(ToyImage(width: 16, height: 16, color: .allRed), at: "old"), from: studio.manager)
    let shares = Watched<[Double]>([])
    frame.picture.transition = .custom(.milliseconds(60)) { share, last, next in
      shares.withLock { $0.append(share) }
      last.opacity = 1 - share
      next.opacity = share
    }
    let url = place(ToyImage(width: 16, height: 16, color: .allBlue), at: "new")
    _ = try await frame.load(url, from: studio.manager, options: .waitTransition)
    #expect(frame.middle == .allBlue && frame.view.running == nil)
    // It began at its beginning, and went one way.
    let seen = shares.withLock { $0 }
    #expect(seen.first == 0 && seen == seen.sorted() && seen.allSatisfy { $0 < 1 })
  }

  @GTKActor @Test(arguments: Screen.Kind.allCases) func aMovingPicturePlaysByTheFramesOfTheScreen(
    _ kind: Screen.Kind
  ) async throws {
    let frame = try Frame(on: kind)
    defer { frame.close() }
    let source = FakeFrameSource(durations: Array(repeating: .milliseconds(30), count: 3), loopCount: 2)
    let url = URL(string: "http://host/moving.toy")!
    studio.loader.script(url, .image(Image(try source.frame(at: 0), frames: source)))
    _ = try await frame.load(url, from: studio.manager, context: [.storeLayers(.memory)])
    while frame.view.playing != nil { await Task.yield() }
    // Twice three frames take the time of the screen's frames, and the last one stays.
    #expect(frame.view.clock.uptime >= .milliseconds(180) && frame.color(x: 15, y: 15)?.red == 2)
    let stopped = frame.view.clock.uptime
    // Nothing moves a clock that nobody waits for.
    frame.picture.show(url, from: studio.manager)
    frame.picture.clear()
    #expect(frame.view.clock.uptime == stopped)
  }

  @GTKActor @Test(arguments: Screen.Kind.allCases) func aWidgetThatLeavesTheScreenGivesUpItsLoad(
    _ kind: Screen.Kind
  ) async throws {
    let frame = try Frame(on: kind)
    defer { frame.close() }
    let url = place(ToyImage(width: 16, height: 16, color: .allGreen))
    studio.loader.suspend(url)
    frame.picture.show(url, from: studio.manager)
    await studio.loader.waitUntilSuspended(url)
    fixture_set_visible(frame.picture.widget, false)
    await studio.loader.waitForCancellation(of: url)
    studio.loader.resume(url)
    fixture_set_visible(frame.picture.widget, true)
    while frame.picture.image == nil || frame.picture.isLoading { await Task.yield() }
    // The picture may be there before the widget has its room again.
    while frame.pixels == nil { await Task.yield() }
    #expect(frame.middle == .allGreen)
  }

  @GTKActor @Test(arguments: [UInt8(255), 128, 0]) func cairoGetsTheSameColors(_ alpha: UInt8) throws {
    let straight = Image.of(PixelColor(red: 200, green: 100, blue: 50, alpha: alpha)).bitmap
    for layout in [PixelFormat.Layout.rgba8, .bgra8] {
      for form in PixelFormat.Alpha.allCases where form != .opaque || alpha == 255 {
        let bitmap = try straight.converted(to: PixelFormat(layout, alpha: form))
        let pixels = try [false, true].map { isForCairo in
          let texture = try #require(Texture(bitmap, isForCairo: isForCairo))
          var pixel = [UInt8](repeating: 0, count: 4)
          fixture_first_pixel(texture.pointer, Int32(bitmap.width), Int32(bitmap.height), &pixel)
          return pixel
        }
        // They may round in another way.
        let isSame = zip(pixels[0], pixels[1]).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
        #expect(isSame, "\(layout), \(form): \(pixels)")
      }
    }
  }
}
