import EaselCore
import Glibc

/// The frames of an animation, drawn on demand.
final class LottieFrames: FrameSource, @unchecked Sendable {
  let canvasSize: PixelSize

  private let animation: LottieAnimation
  private let limits: Limits
  /// The lock of the animation, whose address must not change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ animation: LottieAnimation, options: DecodeOptions, work: WorkContext) {
    self.animation = animation
    limits = work.limits
    canvasSize = Self.target(animation, options)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  var count: Int { animation.header.frameCount }
  var loopCount: Int { 0 }
  var memoryCost: Int { 4 << 20 }
  func duration(at index: Int) -> Duration { animation.frameTime }
  func frame(at index: Int) throws -> Bitmap { try frame(at: index, work: WorkContext(limits: limits)) }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    guard (0..<count).contains(index) else {
      throw ImageError(.badImageData, "Lottie: there is no frame \(index): the animation has \(count).")
    }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try animation.bitmap(ofFrame: index, size: canvasSize, work: work)
  }

  /// The size to draw at; lines are sharp at any size, so the least sufficient size is enough.
  private static func target(_ animation: LottieAnimation, _ options: DecodeOptions) -> PixelSize {
    let target = options.targetSize(for: animation.header)
    guard let least = options.leastSize, !least.isEmpty else { return target }
    guard least.width <= target.width, least.height <= target.height else { return least }
    let scale = max(Double(least.width) / Double(target.width), Double(least.height) / Double(target.height))
    return PixelSize(
      width: max(least.width, Int((Double(target.width) * scale).rounded())),
      height: max(least.height, Int((Double(target.height) * scale).rounded())))
  }
}
