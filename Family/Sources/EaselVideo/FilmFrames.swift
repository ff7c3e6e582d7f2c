import EaselCore
import Glibc

/// The poster and the seconds of a film, as pages.
final class FilmFrames: FrameSource, @unchecked Sendable {
  let count: Int
  let canvasSize: PixelSize

  private let film: Film
  private let limits: Limits
  /// The lock of the film, whose address must not change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ film: Film, options: DecodeOptions, work: WorkContext) {
    self.film = film
    limits = work.limits
    canvasSize = Self.target(film, options)
    // More seconds than the limit allows cannot be had at this size.
    count = max(1, min(film.header.frameCount, limits.totalPixels / max(1, canvasSize.area)))
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  var loopCount: Int { 1 }
  var memoryCost: Int { 16 << 20 }
  func duration(at index: Int) -> Duration { .zero }
  func frame(at index: Int) throws -> Bitmap { try frame(at: index, work: WorkContext(limits: limits)) }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    guard (0..<count).contains(index) else {
      throw ImageError(.badImageData, "Video: there is no second \(index): the film has \(count).")
    }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if index == 0 {
      try Poster(film: film, work: work).choose()
    } else {
      try film.move(to: Double(index), work: work)
    }
    return try film.bitmap(canvasSize, work: work)
  }

  /// The least size that is enough for the options.
  private static func target(_ film: Film, _ options: DecodeOptions) -> PixelSize {
    let target = options.targetSize(for: film.header)
    guard let least = options.leastSize, !least.isEmpty, least.width <= target.width, least.height <= target.height
    else { return target }
    let scale = max(Double(least.width) / Double(target.width), Double(least.height) / Double(target.height))
    return PixelSize(
      width: max(least.width, Int((Double(target.width) * scale).rounded())),
      height: max(least.height, Int((Double(target.height) * scale).rounded())))
  }
}
