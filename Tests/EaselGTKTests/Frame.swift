import CEaselGTK
import CEaselGTKFixtures
import EaselCore
import EaselManager
import EaselTestSupport
import FoundationEssentials

@testable import EaselGTK

/// A picture in a window of its own.
@GTKActor
final class Frame {
  let picture = RemotePicture()
  let window: OpaquePointer
  let width: Int
  let height: Int

  init(width: Int = 64, height: Int = 64) {
    (self.width, self.height) = (width, height)
    window = fixture_window(picture.widget, Int32(width), Int32(height), nil)!
    view.ticksByHand = true
  }

  /// A window on a screen of this kind, whose frames move what depends on time.
  init(on kind: Screen.Kind, width: Int = 64, height: Int = 64) throws {
    (self.width, self.height) = (width, height)
    let display = try Screen.display(kind).map { UnsafeMutableRawPointer($0) }
    window = fixture_window(picture.widget, Int32(width), Int32(height), display)!
  }

  var view: PictureView { PictureView.of(picture.widget)! }

  func close() { fixture_close(window) }

  /// Shows the picture of a URL, and returns when it is there or has failed.
  func load(
    _ url: URL?, from manager: ImageManager, placeholder: Image? = nil, options: ImageOptions = [],
    context: ImageContext = []
  ) async throws -> ImageResult {
    try await withUnsafeThrowingContinuation { continuation in
      picture.show(url, from: manager, placeholder: placeholder, options: options, context: context) {
        continuation.resume(with: $0)
      }
    }
  }

  /// The pixels that the widget draws now; nil while it has another size.
  var pixels: Bitmap? {
    guard
      var bitmap = try? Bitmap(
        size: PixelSize(width: width, height: height), format: PixelFormat(.bgra8, alpha: .premultiplied))
    else { return nil }
    let isDrawn = bitmap.withUnsafeMutableBytes {
      fixture_draw(
        picture.widget, Int32(width), Int32(height), $0.baseAddress!.assumingMemoryBound(to: UInt8.self))
    }
    return isDrawn ? bitmap : nil
  }

  /// The colour that the widget draws at a place.
  func color(x: Int, y: Int) -> PixelColor? { pixels?.pixel(x: x, y: y) }

  /// The colour in its middle.
  var middle: PixelColor? { color(x: width / 2, y: height / 2) }
}

extension PixelColor {
  static let allRed = PixelColor(red: 255, green: 0, blue: 0, alpha: 255)
  static let allGreen = PixelColor(red: 0, green: 255, blue: 0, alpha: 255)
  static let allBlue = PixelColor(red: 0, green: 0, blue: 255, alpha: 255)
}

extension Image {
  /// A picture of one colour.
  static func of(_ color: PixelColor, width: Int = 16, height: Int = 16) -> Image {
    Image(try! ToyImage(width: width, height: height, color: color).expectedBitmap())
  }
}
