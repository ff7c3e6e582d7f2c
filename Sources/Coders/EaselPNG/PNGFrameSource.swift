import CEaselPNG
import EaselCoding
import EaselCore

/// The frames of a moving PNG, composed on one canvas when they are asked for.
final class PNGFrameSource: FrameSource {
  private struct State {
    /// The canvas with a frame on it, and what it was before when the frame asks to restore that.
    var shown: (index: Int, canvas: Bitmap, before: Bitmap?)?
  }

  let count: Int
  let loopCount: Int
  let canvasSize: PixelSize

  private let file: PNGFile
  private let frames: [PNGFrame]
  private let finish: PictureFinish
  private let isWide: Bool
  private let bytes: ImageBytes
  private let limits: Limits
  private let context: ImageContext
  private let state = Locked(State())

  init(_ file: PNGFile, _ finish: PictureFinish, isWide: Bool, bytes: ImageBytes, work: WorkContext) {
    self.file = file
    self.finish = finish
    self.isWide = isWide
    self.bytes = bytes
    frames = file.playableFrames
    limits = work.limits
    context = work.context
    count = frames.count
    loopCount = file.animation?.plays ?? 0
    canvasSize = finish.finalSize
  }

  var memoryCost: Int {
    bytes.memoryCost + file.header.size.area * (isWide ? 8 : 4)
  }

  func duration(at index: Int) -> Duration { FrameDelay.effective(frames[index].storedDelay) }

  func frame(at index: Int) throws -> Bitmap {
    guard frames.indices.contains(index) else {
      throw ImageError(.badImageData, "PNG: there is no frame \(index) among \(count).")
    }
    let work = WorkContext(limits: limits, context: context)
    let canvas = try state.withLock { state in
      var next = start(of: index, after: state.shown?.index)
      if state.shown?.index != next - 1 { state.shown = nil }
      while next <= index {
        // A frame that fails halfway leaves nothing that could be taken for a canvas.
        let shown = state.shown
        state.shown = nil
        state.shown = try compose(next, on: shown.map { ($0.canvas, $0.before) }, work: work)
        next += 1
      }
      return state.shown!.canvas
    }
    return try finish(canvas, work: work)
  }

  /// The first frame to compose on the way to another: the one after what is shown, or one that needs no other.
  private func start(of index: Int, after shown: Int?) -> Int {
    if let shown, shown == index { return index + 1 }
    let first = (0...index).last { standsAlone($0) } ?? 0
    if let shown, shown < index { return max(first, shown + 1) }
    return first
  }

  /// Whether nothing of the frames before can be seen beside or through this one.
  private func standsAlone(_ index: Int) -> Bool {
    let frame = frames[index]
    if index == 0 { return true }
    let coversAll = frame.rect.size == file.header.size && (!frame.isBlended || !file.hasAlpha)
    let before = frames[index - 1]
    return coversAll || before.disposal == .clear && before.rect.size == file.header.size
  }

  private func compose(
    _ index: Int, on shown: (canvas: Bitmap, before: Bitmap?)?, work: WorkContext
  ) throws(ImageError) -> (index: Int, canvas: Bitmap, before: Bitmap?) {
    let frame = frames[index]
    let pixels = try decode(frame, index: index, work: work)
    var canvas = try ground(for: index, shown)
    // What was there before the first frame is nothing.
    let before = frame.disposal == .restore && index > 0 ? canvas : nil
    let isOver = frame.isBlended && file.hasAlpha
    let (isWide, bytesPerRow, rect) = (isWide, canvas.bytesPerRow, frame.rect)
    let place = rect.y * bytesPerRow + rect.x * canvas.format.bytesPerPixel
    pixels.withUnsafeBytes { source in
      canvas.withUnsafeMutableBytes { target in
        easel_png_compose(
          isWide, isOver ? EASEL_PNG_BLEND_OVER : EASEL_PNG_BLEND_SOURCE, source.baseAddress, pixels.bytesPerRow,
          target.baseAddress! + place, bytesPerRow, rect.width, rect.height)
      }
    }
    return (index, canvas, before)
  }

  /// The canvas after the frame before was taken away as it asked for.
  private func ground(for index: Int, _ shown: (canvas: Bitmap, before: Bitmap?)?) throws(ImageError) -> Bitmap {
    let format = PixelFormat(isWide ? .rgba16 : .rgba8, alpha: .straight)
    guard index > 0, let shown else { return try Bitmap(size: file.header.size, format: format) }
    let last = frames[index - 1]
    switch last.disposal {
    case .keep: return shown.canvas
    case .restore where shown.before != nil: return shown.before!
    case .clear, .restore:
      var canvas = shown.canvas
      canvas.clear(last.rect)
      return canvas
    }
  }

  private func decode(_ frame: PNGFrame, index: Int, work: WorkContext) throws(ImageError) -> Bitmap {
    let reader = try PNGPixelReader(
      file, from: frame.data!, size: frame.rect.size, target: frame.rect.size, isWide: isWide)
    try reader.advance(over: bytes, isWhole: true, work: work)
    if let damage = reader.damage { throw .badPNG("frame \(index): \(damage).") }
    return reader.bitmap
  }
}

extension Bitmap {
  fileprivate mutating func clear(_ rect: PixelRect) {
    let (bytesPerRow, pixelBytes) = (bytesPerRow, format.bytesPerPixel)
    withUnsafeMutableBytes { bytes in
      for row in rect.y..<rect.y + rect.height {
        let start = row * bytesPerRow + rect.x * pixelBytes
        bytes[start..<start + rect.width * pixelBytes].initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
  }
}
