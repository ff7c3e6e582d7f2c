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

/// What a widget shows of the pictures that it loads, in a real GTK.
@Suite(.tags(.alone), .serialized, .enabled(if: Screen.isReady, Screen.isMissing))
struct RemotePictureTests {
  let studio = Studio()
  let frame: Frame

  @GTKActor init() { frame = Frame() }

  @GTKActor private func place(
    _ color: PixelColor, at name: String = "a", width: Int = 16, height: Int = 16
  ) -> URL {
    studio.place(ToyImage(width: width, height: height, color: color), at: "http://host/\(name).toy")
  }

  @GTKActor @Test func aPictureIsShownInItsRoom() async throws {
    defer { frame.close() }
    let url = place(.allRed, width: 32, height: 16)
    let result = try await frame.load(url, from: studio.manager)
    #expect(result.image.size == PixelSize(width: 32, height: 16))
    #expect(frame.middle == .allRed && frame.picture.image != nil && !frame.picture.isLoading)
    // Above and below it there is nothing.
    #expect(frame.color(x: 32, y: 15) == .clear && frame.color(x: 32, y: 17) == .allRed)
    #expect(frame.color(x: 32, y: 46) == .allRed && frame.color(x: 32, y: 49) == .clear)
    frame.picture.contentFit = .fill
    #expect(frame.color(x: 1, y: 1) == .allRed && frame.color(x: 62, y: 62) == .allRed)
    frame.picture.contentFit = .scaleDown
    #expect(frame.color(x: 32, y: 22) == .clear && frame.color(x: 32, y: 26) == .allRed)
    #expect(frame.color(x: 14, y: 32) == .clear && frame.color(x: 17, y: 32) == .allRed)
  }

  @GTKActor @Test func allFormatsOfPixelsHaveTheirColors() async throws {
    defer { frame.close() }
    // The widget draws once it has room.
    _ = try await frame.load(place(.allRed), from: studio.manager)
    let color = PixelColor(red: 200, green: 100, blue: 50)
    for layout in [PixelFormat.Layout.rgba8, .bgra8, .rgba16] {
      for alpha in PixelFormat.Alpha.allCases {
        let bitmap = try Image.of(color).bitmap.converted(to: PixelFormat(layout, alpha: alpha))
        frame.picture.show(Image(bitmap))
        #expect(frame.middle == color, "\(layout), \(alpha)")
      }
    }
    frame.picture.show(Image(try Bitmap(width: 16, height: 16, format: .gray8)))
    #expect(frame.middle == .black)
  }

  @GTKActor @Test func thePlaceholderIsThereAtOnceAndThePictureAfterIt() async throws {
    defer { frame.close() }
    let url = place(.allRed)
    _ = try await frame.load(place(.allBlue, at: "first"), from: studio.manager)
    studio.loader.suspend(url)
    frame.picture.show(url, from: studio.manager, placeholder: .of(.allGreen))
    #expect(frame.middle == .allGreen && frame.picture.isLoading)
    await studio.loader.waitUntilSuspended(url)
    studio.loader.resume(url)
    _ = try await frame.load(url, from: studio.manager)
    #expect(frame.middle == .allRed)
  }

  @GTKActor @Test func nothingOfTheLastPictureIsShown() async throws {
    defer { frame.close() }
    let (old, new) = (place(.allRed, at: "old"), place(.allBlue, at: "new"))
    _ = try await frame.load(old, from: studio.manager)
    studio.loader.suspend(new)
    frame.picture.show(new, from: studio.manager)
    #expect(frame.middle == .clear)
    frame.picture.clear()
    #expect(frame.middle == .clear && frame.picture.image == nil)
  }

  @GTKActor @Test func aPictureInMemoryIsThereWhenShowReturns() async throws {
    defer { frame.close() }
    let (old, new) = (place(.allRed, at: "old"), place(.allBlue, at: "new"))
    _ = try await frame.load(old, from: studio.manager)
    _ = try await frame.load(new, from: studio.manager)
    frame.picture.transition = .fade()
    frame.picture.show(old, from: studio.manager, placeholder: .of(.allGreen))
    #expect(frame.middle == .allRed && frame.view.running == nil)
  }

  @GTKActor @Test func anotherURLCancelsAndTheFirstHearsOfIt() async throws {
    defer { frame.close() }
    let (old, new) = (place(.allRed, at: "old"), place(.allBlue, at: "new"))
    studio.loader.suspend(old)
    let ends = Watched<[ImageError.Code?]>([])
    frame.picture.show(old, from: studio.manager) { end in
      ends.withLock { ends in
        if case .failure(let error) = end { ends.append(error.code) } else { ends.append(nil) }
      }
    }
    await studio.loader.waitUntilSuspended(old)
    _ = try await frame.load(new, from: studio.manager)
    await studio.loader.waitForCancellation(of: old)
    #expect(ends.withLock { $0 } == [.cancelled] && frame.middle == .allBlue)
  }

  @GTKActor @Test func cancellingLeavesWhatIsShown() async throws {
    defer { frame.close() }
    let url = place(.allRed)
    studio.loader.suspend(url)
    let ends = Watched<[ImageError.Code?]>([])
    frame.picture.show(url, from: studio.manager, placeholder: .of(.allGreen)) { end in
      if case .failure(let error) = end { ends.withLock { $0.append(error.code) } }
    }
    await studio.loader.waitUntilSuspended(url)
    frame.picture.cancel()
    frame.picture.cancel()
    #expect(ends.withLock { $0 } == [.cancelled] && frame.middle == .allGreen && !frame.picture.isLoading)
    await studio.loader.waitForCancellation(of: url)
  }

  @GTKActor @Test func aWidgetThatLeavesTheScreenLoadsNothingUntilItIsBack() async throws {
    defer { frame.close() }
    let url = place(.allRed)
    studio.loader.suspend(url)
    let ends = Watched(0)
    frame.picture.show(url, from: studio.manager) { _ in ends.withLock { $0 += 1 } }
    await studio.loader.waitUntilSuspended(url)
    fixture_set_visible(frame.picture.widget, false)
    await studio.loader.waitForCancellation(of: url)
    #expect(ends.withLock { $0 } == 0 && !frame.picture.isLoading)
    studio.loader.resume(url)
    fixture_set_visible(frame.picture.widget, true)
    await ends.wait { $0 > 0 }
    // Its room may come later than a picture that is loaded at once.
    while frame.middle == nil { await Task.yield() }
    #expect(ends.withLock { $0 } == 1 && frame.middle == .allRed)
  }

  @GTKActor @Test func aWidgetThatWasNeverShownLoadsNothing() async throws {
    frame.close()
    let url = place(.allRed)
    let picture = RemotePicture()
    picture.show(url, from: studio.manager)
    #expect(studio.loader.callCount == 0 && !picture.isLoading)
  }

  @GTKActor @Test func aWidgetThatEndsCancelsItsLoad() async throws {
    let url = place(.allRed)
    studio.loader.suspend(url)
    let error = Watched<ImageError?>(nil)
    frame.picture.show(url, from: studio.manager) { end in
      if case .failure(let failure) = end { error.withLock { $0 = failure } }
    }
    await studio.loader.waitUntilSuspended(url)
    frame.close()
    await studio.loader.waitForCancellation(of: url)
  }

  @GTKActor @Test func aFailureShowsItsPictureAndAClickTriesAgain() async throws {
    defer { frame.close() }
    let url = URL(string: "http://host/a.toy")!
    studio.loader.script(url, .status(404))
    studio.loader.setBlocks(false, url)
    frame.picture.failurePicture = .of(.allBlue)
    frame.picture.retriesOnClick = true
    await #expect(throws: ImageError.self) { _ = try await frame.load(url, from: studio.manager) }
    #expect(frame.middle == .allBlue && frame.picture.error?.code == .badStatus)
    #expect(fixture_has_class(frame.picture.widget, "error"))
    _ = place(.allRed)
    studio.loader.suspend(url)
    #expect(fixture_click(frame.picture.widget))
    await studio.loader.waitUntilSuspended(url)
    #expect(frame.picture.error == nil && !fixture_has_class(frame.picture.widget, "error"))
    #expect(frame.middle == .clear)
    // A picture that loads hears no second click.
    #expect(!fixture_press(frame.picture.widget, 0xff0d))
    studio.loader.resume(url)
    _ = try await frame.load(url, from: studio.manager)
    #expect(frame.middle == .allRed)
    frame.picture.retriesOnClick = false
    #expect(!fixture_click(frame.picture.widget))
  }

  @GTKActor @Test func withoutAManagerTheErrorSaysWhatToDo() async throws {
    defer { frame.close() }
    frame.picture.show(URL(string: "http://host/a.toy"))
    #expect(frame.picture.error?.message.contains("RemotePicture.manager") == true)
  }

  @GTKActor @Test func asManyPixelsAreDecodedAsTheWidgetShowsAndMoreWhenItGrows() async throws {
    let wide = Frame(width: 100, height: 100)
    defer {
      wide.close()
      frame.close()
    }
    let url = place(.allRed, width: 400, height: 200)
    let result = try await wide.load(url, from: studio.manager)
    #expect(result.image.size == PixelSize(width: 128, height: 64))
    // It is as large as the whole picture all the same.
    #expect(wide.view.geometry.naturalWidth == 400 && wide.view.geometry.naturalHeight == 200)
    studio.coder.decodeGate.close()
    fixture_set_size(wide.picture.widget, 250, 250)
    await studio.coder.wait { $0.decodes + $0.decoders > 1 }
    #expect(wide.picture.image?.size == PixelSize(width: 128, height: 64) && !wide.picture.isLoading)
    studio.coder.decodeGate.open()
    while wide.picture.image?.size.width != 256 { await Task.yield() }
    while wide.view.phase == .sharpening { await Task.yield() }
    #expect(wide.view.phase == .shown && studio.loader.callCount == 1)
    // What has all of its pixels is not loaded again.
    wide.picture.decodesAtSize = false
    _ = try await wide.load(url, from: studio.manager)
    #expect(wide.picture.image?.size == PixelSize(width: 400, height: 200))
  }

  @GTKActor @Test func previewsComeBeforeThePicture() async throws {
    defer { frame.close() }
    let picture = ToyImage(width: 8, height: 64, seed: 5)
    let url = studio.place(picture, chunkSize: 256)
    studio.loader.suspend(url, at: .end)
    let shares = Watched<[Double?]>([])
    frame.picture.show(
      url, from: studio.manager, options: .progressive, progress: { share in shares.withLock { $0.append(share) } })
    await studio.coder.wait { $0.previews > 0 }
    while frame.picture.image == nil { await Task.yield() }
    #expect(frame.picture.image?.traits.contains(.partial) == true && frame.picture.isLoading)
    await shares.wait { !$0.isEmpty }
    studio.loader.resume(url, at: .end)
    while frame.picture.isLoading { await Task.yield() }
    #expect(frame.picture.image?.traits.contains(.partial) == false)
  }

  @GTKActor @Test func aHighRangeIsKeptWhereGTKDrawsIt() async throws {
    defer { frame.close() }
    let url = place(.allRed)
    _ = try await frame.load(url, from: studio.manager, context: [.keepsHighRange(true)])
    _ = try await frame.load(
      url, from: studio.manager, context: [.decodeOptions(DecodeOptions(keepsHighRange: true)), .queryLayers([])])
    #expect(studio.coder.decodeOptions.last?.keepsHighRange == Texture.drawsHighRange)
    // What comes in a high range has a texture of its own there, and is drawn by its numbers elsewhere.
    let bitmap = try Image.of(.allRed).bitmap.converted(to: PixelFormat(.rgba16, alpha: .opaque))
    var image = Image(bitmap)
    image.metadata.color = ColorDescription(coding: .init(primaries: 9, transfer: 16))
    frame.picture.show(image)
    #expect(frame.middle != nil && (Texture.drawsHighRange || frame.middle == .allRed))
  }
}
