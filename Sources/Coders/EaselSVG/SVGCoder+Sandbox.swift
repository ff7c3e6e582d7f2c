import CEaselFonts
import EaselCore
import Glibc

extension SVGCoder: SandboxGuest {
  /// True, because drawing takes as long as the file wants, and only a process can be ended.
  public var staysInSandbox: Bool { true }

  /// True, because filters and the choice of fonts run on threads.
  public var startsThreads: Bool { true }

  /// Opens the fonts of the system; throws if this fails, because the process would draw boxes for letters.
  public func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes? {
    // Filters would use as many threads as there are processors, each with its own memory.
    setenv("RAYON_NUM_THREADS", "1", 1)
    switch easel_fonts_prepare_for_lock_in(threadsEnd) {
    case EASEL_FONTS_READY: return ImageBytes(Array(Self.sample(Self.text).utf8))
    case EASEL_FONTS_WITHOUT_TEXT: return ImageBytes(Array(Self.sample("").utf8))
    default:
      throw ImageError(
        .decoderCrashed,
        "SVG could not open the fonts of the system. It may lack memory, or have too many files open.")
    }
  }

  /// Four bytes for each pixel that the limits allow in the drawing and its pictures, and memory for the document.
  public func memoryBytes(forFileOf byteCount: Int, limits: Limits) -> Int? {
    let pixels = min(limits.framePixels, Self.mostPixels) * 4
    return Self.memoryForElements + 4 * min(byteCount, Self.mostPixels) + pixels
  }

  /// The cap on the number of pixels, above any real limit, so that sums cannot overflow.
  private static let mostPixels = 1 << 40
  /// The memory for the elements of a document, the libraries, and the layers of the drawing.
  private static let memoryForElements = 256 << 20

  private static let text = "<text y='9' font-size='9'>a</text>"

  /// A drawing that initializes the libraries.
  ///
  /// It has no filter, because the threads of a filter would stay.
  private static func sample(_ more: String) -> String {
    let images = pictures.map { "<image width='9' height='9' href='data:\($0);base64,\($1)'/>" }.joined()
    return """
      <svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'>
      <style>.a { fill: url(#b) }</style><linearGradient id='b'><stop stop-color='red'/></linearGradient>
      <rect class='a' width='9' height='9' opacity='.5'/><path d='M0 0 9 9' stroke='red'/>\(images)\(more)</svg>
      """
  }

  /// Pictures of one pixel in formats whose decoders are separate library files.
  private static let pictures = [
    (
      "image/png",
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd8"
        + "1ytgAAAABJRU5ErkJggg=="
    ),
    ("image/gif", "R0lGODlhAQABAIABAP8AAP///ywAAAAAAQABAAACAkQBADs="),
    ("image/svg+xml", "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSIxIiBoZWlnaHQ9IjEiLz4="),
  ]
}
