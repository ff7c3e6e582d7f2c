import EaselCore
import EaselPixels
import EaselSupport

/// The frames of an animation, composed on one canvas on demand.
///
/// In order, each frame costs one drawing. Out of order, composing starts at the last earlier frame that hides all
/// frames below it. The source keeps the current canvas, and also the previous canvas while a frame asks to restore it.
public final class ComposedFrameSource: FrameSource {
  private struct Shown {
    var index: Int
    var canvas: Bitmap
    /// The previous canvas, kept if the frame asks to restore it.
    var before: Bitmap?
  }

  /// The number of frames.
  public let count: Int
  /// The number of times the animation is played; 0 is forever.
  public let loopCount: Int
  /// The size of each frame as it is shown.
  public let canvasSize: PixelSize

  private let stored: any StoredFrames
  private let finish: ImageFinish
  private let name: String
  private let limits: Limits
  private let context: ImageContext
  private let state: Locked<Shown?>

  /// Creates the source of at least one frame.
  ///
  /// `name` is the name of the format, which begins error messages. The source draws later frames under the limits of
  /// `work`, but its deadline and cancellation no longer apply. `first` is the canvas with the first frame on it, if
  /// the caller has already drawn this frame.
  public init(
    _ stored: any StoredFrames, finish: ImageFinish, name: String, first: Bitmap? = nil, work: WorkContext
  ) {
    let isUsable = stored.frame(at: 0).disposal != .restore
    state = Locked(isUsable ? first.map { Shown(index: 0, canvas: $0) } : nil)
    self.stored = stored
    self.finish = finish
    self.name = name
    count = stored.count
    loopCount = stored.loopCount
    canvasSize = finish.finalSize
    limits = work.limits
    context = work.context
  }

  /// The bytes of memory for drawing frames and for the canvas.
  public var memoryCost: Int {
    let canvas = stored.canvasSize.area * stored.canvasFormat.bytesPerPixel
    return stored.memoryCost + (stored.restoresBefore ? 2 * canvas : canvas)
  }

  /// The time a frame is shown, long enough to be seen.
  public func duration(at index: Int) -> Duration {
    (0..<count).contains(index) ? FrameDelay.effective(stored.frame(at: index).delay) : .zero
  }

  /// Draws a frame and all earlier frames on which it depends.
  public func frame(at index: Int) throws -> Bitmap {
    try frame(at: index, work: WorkContext(limits: limits, context: context))
  }

  /// Draws a frame under the cancellation and the deadline of `work`.
  public func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    guard (0..<count).contains(index) else {
      throw ImageError(.badImageData, "\(name): there is no frame \(index): the picture has \(count), counted from 0.")
    }
    let canvas = try state.withLock { state throws(ImageError) in try compose(index, &state, work: work) }
    return try finish(canvas, work: work)
  }

  private func compose(_ index: Int, _ state: inout Shown?, work: WorkContext) throws(ImageError) -> Bitmap {
    // The stored canvas is removed first: a frame that fails halfway must not leave a wrong canvas, and a second
    // reference would make each change copy the canvas.
    var shown = state
    state = nil
    var next = start(of: index, after: shown?.index)
    if shown?.index != next - 1 { shown = nil }
    while next <= index {
      try work.checkCancellation()
      let frame = stored.frame(at: next)
      if shown == nil {
        shown = Shown(index: next, canvas: try ground(of: next))
      } else {
        // A caller may still hold the previous frame.
        try shown!.canvas.makeUnique()
        dispose(of: stored.frame(at: next - 1), &shown!)
        shown!.index = next
      }
      shown!.before = frame.disposal == .restore ? shown!.canvas : nil
      try shown!.canvas.makeUnique()
      try stored.draw(next, on: &shown!.canvas, work: work)
      next += 1
    }
    state = shown
    return shown!.canvas
  }

  /// The first frame to draw on the way to `index`: the frame after the current one, or a frame that needs no other.
  private func start(of index: Int, after shown: Int?) -> Int {
    if let shown, shown == index { return index + 1 }
    // In order, only frames after the current one can matter.
    let least = shown.map { $0 < index ? $0 + 1 : 0 } ?? 0
    return (least...index).last { standsAlone($0) } ?? least
  }

  /// True if no frame before `index` can be seen.
  private func standsAlone(_ index: Int) -> Bool {
    index == 0 || stored.frame(at: index).hidesAll(of: stored.canvasSize) || colorLeft(before: index) != nil
  }

  /// The colour of the whole canvas before a frame; nil if other frames can be seen on the canvas.
  private func colorLeft(before index: Int) -> PixelColor? {
    guard index > 0 else { return stored.ground }
    let before = stored.frame(at: index - 1)
    guard case .clear(let color) = before.disposal, before.rect.size == stored.canvasSize else { return nil }
    return color
  }

  /// The empty canvas for a frame that needs no other.
  private func ground(of index: Int) throws(ImageError) -> Bitmap {
    let color = colorLeft(before: index) ?? .clear
    guard color != .clear else { return try Bitmap(size: stored.canvasSize, format: stored.canvasFormat) }
    var canvas = try Bitmap(unfilled: stored.canvasSize, format: stored.canvasFormat)
    canvas.fill(color)
    return canvas
  }

  private func dispose(of frame: StoredFrame, _ shown: inout Shown) {
    switch frame.disposal {
    case .keep: break
    case .clear(let color): shown.canvas.fill(color, in: frame.rect)
    case .restore: shown.canvas = shown.before!
    }
    shown.before = nil
  }
}
