import EaselCore

/// A running summary of the frames, so that previews need not examine all of them.
package struct FrameSummary: Sendable {
  /// True if the file's description of the frames proves that every frame is opaque.
  package private(set) var areOpaque = true
  /// True if at least one frame asks to restore the previous canvas.
  package private(set) var restoresBefore = false
  private var isOpaqueBelow: Bool

  /// Creates the summary of no frames; `ground` is the colour of the canvas before the first frame.
  package init(ground: PixelColor = .clear) { isOpaqueBelow = ground.alpha == .max }

  /// Adds the next frame.
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
