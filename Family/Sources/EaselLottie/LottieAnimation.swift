import CEaselLottie
import EaselCore
import EaselPixels

/// An animation that rlottie has read.
///
/// Its calls must not overlap.
final class LottieAnimation {
  let header: ImageHeader
  /// The time of a frame.
  let frameTime: Duration

  private let animation: OpaquePointer

  init(_ bytes: ImageBytes, work: WorkContext) throws {
    try work.checkCancellation()
    var text = try bytes.part(at: 0, count: bytes.count)
    let isArchive = LottieArchive.isArchive(text)
    if isArchive { text = try LottieArchive(text, limits: work.limits).animation() }
    // A zero would end the text for rlottie.
    guard !text.contains(0) else { throw LottieArchive.bad("the file is no text of JSON") }
    let opened = (text + [0]).withUnsafeBytes { easel_lottie_open($0.bindMemory(to: CChar.self).baseAddress) }
    guard let opened else { throw LottieArchive.bad("the file is no animation that rlottie reads") }
    animation = opened
    let facts = easel_lottie_facts_of(opened)
    // Numbers above any limit, so that they can be integers.
    let size = PixelSize(width: Int(min(facts.width, 1 << 30)), height: Int(min(facts.height, 1 << 30)))
    let count = Int(min(facts.frames, 1 << 30))
    guard count > 0, facts.rate.isFinite, facts.rate > 0.01 else {
      throw LottieArchive.bad("the animation has no frames, or no rate")
    }
    guard count <= work.limits.frames else {
      throw ImageError(
        .limitExceeded,
        "Lottie: the animation has \(count) frames, over the \(work.limits.frames) allowed. "
          + "Raise Limits.frames to allow more.")
    }
    frameTime = .seconds(1 / min(facts.rate, 1000))
    var header = ImageHeader(
      format: isArchive ? .dotLottie : .lottie, storedSize: size, frameCount: count, hasAlpha: true)
    header.loopCount = 0
    header.storedDelays = count > 1 ? [Duration](repeating: frameTime, count: count) : []
    self.header = header
    try work.limits.check(frame: size, claimedBy: "Lottie: the animation")
  }

  deinit { easel_lottie_close(animation) }

  /// Draws a frame.
  func bitmap(ofFrame index: Int, size: PixelSize, work: WorkContext) throws -> Bitmap {
    try work.checkCancellation()
    try work.limits.check(frame: size, claimedBy: "Lottie: the drawing")
    var bitmap = try Bitmap(size: size, format: PixelFormat(.bgra8, alpha: .premultiplied))
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { pixels in
      easel_lottie_draw(
        animation, index, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), stride, size.width, size.height)
    }
    return try bitmap.converted(to: .rgba8, work: work)
  }
}
