import EaselCore

/// A summary of the frames seen so far, so that nobody goes through all of them for each preview.
package struct FrameSummary: Sendable {
  /// Whether no frame shows a transparent pixel, as far as that follows from what the file says of them.
  package private(set) var areOpaque = true
  /// Whether some frame asks that what was there before it be restored.
  package private(set) var restoresBefore = false
  private var isOpaqueBelow: Bool

  /// Creates the summary of no frames; `ground` is what the canvas is before the first.
  package init(ground: PixelColor = .clear) { isOpaqueBelow = ground.alpha == .max }

  /// Takes in the next frame.
  package mutating func add(_ frame: StoredFrame, on canvas: PixelSize) {
    if frame.disposal == .restore { restoresBefore = true }
    guard areOpaque else { return }
    let hides = frame.rect.size == canvas
    areOpaque = isOpaqueBelow ? frame.isBlended || !frame.hasAlpha : hides && !frame.hasAlpha
    switch frame.disposal {
    case .keep: isOpaqueBelow = true
    case .clear(let color): isOpaqueBelow = color.alpha == .max
    case .restore: break
    }
  }
}
