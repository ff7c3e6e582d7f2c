import CEaselGTK
import CEaselGTKFixtures
import EaselTestStudio
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselGTK
@testable import EaselManager

/// Measures, transitions, indicators, and what those hear who do not see the picture.
@Suite(.tags(.alone), .serialized, .enabled(if: Screen.isReady, Screen.isMissing))
struct PictureLooksTests {
  let studio = Studio()
  let frame: Frame

  @GTKActor init() { frame = Frame() }

  @GTKActor private func place(_ color: PixelColor, at name: String = "a") -> URL {
    studio.place(ToyImage(width: 16, height: 16, color: color), at: "http://host/\(name).toy")
  }

  @GTKActor @Test(arguments: RemotePicture.ContentFit.allCases) func itMeasuresAsAPictureOfGTK(
    _ fit: RemotePicture.ContentFit
  ) throws {
    defer { frame.close() }
    for (width, height) in [(200, 100), (30, 77), (1, 1)] {
      frame.picture.contentFit = fit
      frame.picture.show(.of(.allRed, width: width, height: height))
      let other = fixture_gtk_picture(
        Int32(width), Int32(height), Int32(easel_picture_content_fit(frame.picture.widget).rawValue))!
      for orientation in [Int32(0), 1] {
        for size in [Int32(-1), 10, 50, 400] {
          var (own, theirs) = ((minimum: Int32(-1), natural: Int32(-1)), (minimum: Int32(-1), natural: Int32(-1)))
          fixture_measure(frame.picture.widget, orientation, size, &own.minimum, &own.natural)
          fixture_measure(other, orientation, size, &theirs.minimum, &theirs.natural)
          #expect(own == theirs, "\(width)x\(height), \(fit), orientation \(orientation) for \(size)")
        }
      }
      easel_gtk_release(UnsafeMutableRawPointer(other))
    }
  }

  @GTKActor @Test func aFadeGoesFromOnePictureToTheNext() async throws {
    defer { frame.close() }
    _ = try await frame.load(place(.allRed, at: "old"), from: studio.manager)
    frame.picture.transition = .fade(.milliseconds(100))
    let new = place(.allBlue, at: "new")
    let isOver = Watched(false)
    frame.picture.show(new, from: studio.manager, placeholder: .of(.allRed), options: .waitTransition) { _ in
      isOver.withLock { $0 = true }
    }
    while frame.view.running == nil { await Task.yield() }
    #expect(frame.view.tick(at: .seconds(5)))
    #expect(frame.middle == .allRed && !isOver.withLock { $0 })
    #expect(frame.view.tick(at: .seconds(5) + .milliseconds(50)))
    let mixed = try #require(frame.middle)
    #expect(mixed.red > 40 && mixed.blue > 100 && mixed.blue > mixed.green)
    #expect(!frame.view.tick(at: .seconds(5) + .milliseconds(100)))
    #expect(frame.middle == .allBlue)
    await isOver.wait { $0 }
  }

  @GTKActor @Test func aTransitionOfOnesOwnMovesAndScales() async throws {
    defer { frame.close() }
    frame.picture.transition = .custom(.milliseconds(100)) { progress, last, next in
      last.opacity = 0
      next.x = 64 * (1 - progress)
      next.scale = progress
    }
    frame.picture.show(place(.allBlue), from: studio.manager)
    while frame.view.running == nil { await Task.yield() }
    _ = frame.view.tick(at: .zero)
    #expect(frame.middle == .clear)
    _ = frame.view.tick(at: .milliseconds(50))
    #expect(frame.middle == .clear && frame.color(x: 60, y: 32) == .allBlue && frame.color(x: 60, y: 10) == .clear)
    // Another picture ends it.
    frame.picture.show(.of(.allRed))
    #expect(frame.view.running == nil && frame.middle == .allRed)
  }

  @GTKActor @Test func theFrameClockOfTheScreenMovesATransition() async throws {
    defer { frame.close() }
    frame.view.ticksByHand = false
    frame.picture.transition = .fade(.milliseconds(1))
    _ = try await frame.load(place(.allBlue), from: studio.manager, options: .waitTransition)
    #expect(frame.view.running == nil && frame.middle == .allBlue)
  }

  @GTKActor @Test func anIndicatorIsThereWhileAPictureIsLoaded() async throws {
    defer { frame.close() }
    let url = place(.allRed)
    let widget = frame.picture.widget
    studio.loader.suspend(url)
    frame.picture.show(url, from: studio.manager)
    await studio.loader.waitUntilSuspended(url)
    #expect(fixture_child(widget) == nil && fixture_has_class(widget, "loading") && fixture_is_busy(widget, true))
    frame.picture.indicator = .spinner
    #expect(String(cString: fixture_type(UnsafeMutableRawPointer(fixture_child(widget)!))) == "GtkSpinner")
    frame.picture.indicator = .bar
    #expect(String(cString: fixture_type(UnsafeMutableRawPointer(fixture_child(widget)!))) == "GtkProgressBar")
    let own = easel_gtk_bar_new()!
    let shares = Watched<[Double?]>([])
    frame.picture.indicator = .custom(own) { share in shares.withLock { $0.append(share) } }
    #expect(fixture_child(widget) == own)
    studio.loader.resume(url)
    await shares.wait { !$0.isEmpty }
    while frame.picture.isLoading { await Task.yield() }
    #expect(fixture_child(widget) == nil && !fixture_has_class(widget, "loading") && fixture_is_busy(widget, false))
  }

  @GTKActor @Test func anIndicatorHasItsPlaceInTheFrameInWhichTheLoadBegins() async throws {
    frame.close()
    let url = place(.allRed)
    studio.loader.suspend(url)
    let picture = RemotePicture()
    picture.indicator = .spinner
    picture.show(url, from: studio.manager)
    let window = fixture_window(picture.widget, 64, 64, nil)
    defer { fixture_close(window) }
    await studio.loader.waitUntilSuspended(url)
    #expect(easel_picture_width(fixture_child(picture.widget)) > 0)
    studio.loader.resume(url)
    while picture.isLoading { await Task.yield() }
  }

  @GTKActor @Test func aPictureFromMemoryHasItsSizeWhenItsWidgetComesToTheScreen() async throws {
    defer { frame.close() }
    let url = place(.allRed)
    frame.picture.decodesAtSize = false
    _ = try await frame.load(url, from: studio.manager)
    let picture = RemotePicture()
    picture.decodesAtSize = false
    picture.show(url, from: studio.manager)
    // Its room is as high as it wants, and nothing before the picture has come.
    let window = fixture_natural_window(picture.widget)
    defer { fixture_close(window) }
    while picture.image == nil || easel_picture_height(picture.widget) == 0 { await Task.yield() }
    #expect(picture.image?.size == PixelSize(width: 16, height: 16))
  }

  @GTKActor @Test func itIsAPictureWithAText() {
    defer { frame.close() }
    #expect(fixture_role(frame.picture.widget) == 20)
    frame.picture.alternativeText = "A cat on a roof"
    #expect(fixture_has_label(frame.picture.widget, "A cat on a roof"))
    #expect(frame.picture.alternativeText == "A cat on a roof")
    frame.picture.alternativeText = nil
    #expect(frame.picture.alternativeText == nil && fixture_has_label(frame.picture.widget, ""))
  }

  @GTKActor @Test func aPictureOnRequestIsMirroredFromRightToLeft() async throws {
    defer { frame.close() }
    var image = ToyImage(width: 2, height: 1, color: .allRed)
    image.frames[0].pixels[1] = .allBlue
    let url = studio.place(image)
    frame.picture.contentFit = .fill
    _ = try await frame.load(url, from: studio.manager)
    #expect(frame.color(x: 1, y: 32) == .allRed && frame.color(x: 62, y: 32) == .allBlue)
    fixture_set_right_to_left(frame.picture.widget)
    #expect(frame.color(x: 1, y: 32) == .allRed)
    frame.picture.flipsInRightToLeft = true
    #expect(frame.color(x: 1, y: 32) == .allBlue && frame.color(x: 62, y: 32) == .allRed)
  }

  @GTKActor @Test func aFileOfGtkBuilderNamesIt() async throws {
    frame.close()
    RemotePicture.register()
    RemotePicture.manager = studio.manager
    defer { RemotePicture.manager = nil }
    let url = place(.allRed)
    let text = """
      <interface>
        <object class="EaselRemotePicture" id="cat">
          <property name="content-fit">cover</property>
          <property name="alternative-text">A cat</property>
          <property name="uri">\(url.absoluteString)</property>
        </object>
      </interface>
      """
    let widget = try #require(fixture_build(text, "cat"))
    let picture = try #require(RemotePicture(widget))
    easel_gtk_release(UnsafeMutableRawPointer(widget))
    #expect(picture.contentFit == .cover && picture.alternativeText == "A cat")
    let window = fixture_window(picture.widget, 64, 64, nil)
    defer { fixture_close(window) }
    while picture.image == nil { await Task.yield() }
    #expect(picture.image?.bitmap.pixel(x: 0, y: 0) == .allRed)
    fixture_set_text(picture.widget, "uri", nil)
    #expect(picture.image == nil && easel_picture_uri(picture.widget) == nil)
    picture.show(url, from: studio.manager)
    #expect(String(cString: easel_picture_uri(picture.widget)) == url.absoluteString)
    #expect(easel_remote_picture_register() && easel_remote_picture_get_type() != 0)
  }

  @GTKActor @Test func anotherWidgetIsNone() {
    defer { frame.close() }
    #expect(RemotePicture(easel_gtk_bar_new()) == nil)
  }
}
