import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes frames one after another, and stores only the part of each frame that differs from the previous canvas.
struct GIFFrameWriter {
  private let most: Int
  private let diffusesError: Bool
  private let loss: GIFLoss?
  private let work: WorkContext
  private var file: GIFFileWriter?
  /// The colours for frames without a table of their own.
  private var shared = GIFColors()
  /// The canvas on which the next frame is drawn.
  private var canvas: Bitmap?

  /// Creates a writer that gives each frame at most `most` colours.
  init(most: Int, diffusesError: Bool, loss: GIFLoss?, work: WorkContext) {
    self.most = most
    self.diffusesError = diffusesError
    self.loss = loss
    self.work = work
  }

  /// Writes a frame.
  ///
  /// `next` is the next frame, which decides which pixels must be cleared from the canvas after this frame.
  ///
  /// `begin` is called once with the file, before the first frame is added.
  mutating func write(
    _ frame: GIFSourceFrame, before next: GIFSourceFrame?, delay: Int, begin: (GIFFileWriter) throws -> Void
  ) throws {
    let size = frame.bitmap.size
    let vanishing = next?.part(thatVanishedFrom: frame.bitmap)
    // A frame without changes is stored as a single pixel.
    let changing = canvas.map {
      frame.part(thatDiffersFrom: $0) ?? PixelRect(x: 0, y: 0, width: 1, height: 1)
    }
    let rect =
      vanishing.map { changing?.union($0) ?? PixelRect(covering: size) } ?? changing ?? PixelRect(covering: size)
    let part = GIFStoredArea(frame.bitmap, canvas, rect)
    let needsTransparent = frame.hasTransparent || vanishing != nil
    let colors = try choose(for: part, needsTransparent: needsTransparent, isMoving: next != nil)
    let transparent = needsTransparent || canvas != nil ? colors.transparent : nil
    if file == nil {
      shared = colors
      file = try GIFFileWriter(size: size, table: shared)
      try begin(file!)
    }
    let indices = try part.indices(
      in: colors, transparent: transparent, diffusion: diffusesError ? Self.diffusion : 0, work: work)
    let stored = GIFFileWriter.Frame(
      indices: indices, rect: rect, colors: colors.table == shared.table ? nil : colors, transparent: transparent,
      delay: delay, isCleared: vanishing != nil)
    if let loss {
      try file!.add(stored, of: part, tableOf: colors, loss: loss, work: work)
    } else {
      try file!.add(stored, work: work)
    }
    canvas = frame.bitmap
    guard vanishing != nil else { return }
    try canvas!.makeUnique()
    canvas!.fill(.clear, in: rect)
  }

  /// The share of its error that a pixel spreads, with which even parts and files gain most.
  private static let diffusion = 0.8

  /// The complete file.
  func finish() throws -> Data { try file!.finish() }

  private func choose(for part: GIFStoredArea, needsTransparent: Bool, isMoving: Bool) throws -> GIFColors {
    try work.checkCancellation()
    // An animation needs a transparent index for pixels that do not change.
    let takesTransparent = needsTransparent || isMoving || part.before != nil
    let room = most - (takesTransparent ? 1 : 0)
    if let exact = part.colors(atMost: room) {
      // A frame that uses the shared colours needs no table of its own.
      if shared.holds(exact, needsTransparent: takesTransparent) { return shared }
      return GIFColors(exact, hasTransparent: takesTransparent)
    }
    if !needsTransparent, let exact = part.withoutBefore.colors(atMost: most) {
      return GIFColors(exact, hasTransparent: false)
    }
    return GIFColors(try part.chosenColors(atMost: room, work: work), hasTransparent: takesTransparent)
  }
}

extension PixelRect {
  fileprivate func union(_ other: PixelRect) -> PixelRect {
    let (left, top) = (min(x, other.x), min(y, other.y))
    let (right, bottom) = (max(x + width, other.x + other.width), max(y + height, other.y + other.height))
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }
}
