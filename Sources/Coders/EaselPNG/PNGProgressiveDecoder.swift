import EaselCoding
import EaselCore
import EaselSupport

/// Decodes a PNG while it arrives; each byte is read once.
///
/// Previews show the rows of the still picture, and play the complete frames.
final class PNGProgressiveDecoder: ProgressiveDecoder {
  private struct State {
    var scanner: PNGScanner
    var picture: PNGImage?
    var reader: PNGPixelReader?
    /// The bytes received so far, from which previews read frames.
    var bytes: ImageBytes?
    var shown = Progress()
  }

  /// Grows with everything that can be shown.
  private struct Progress: Equatable {
    var pixels = 0
    var frames = 0
  }

  private let coder: PNGCoder
  private let options: DecodeOptions
  private let work: WorkContext
  private let state: Locked<State>

  init(coder: PNGCoder, options: DecodeOptions, work: WorkContext) {
    self.coder = coder
    self.options = options
    self.work = work
    state = Locked(State(scanner: PNGScanner(limits: work.limits)))
  }

  func update(_ bytes: ImageBytes) throws {
    try state.withLock { try advance(&$0, over: bytes, isWhole: false) }
  }

  private func advance(_ state: inout State, over bytes: ImageBytes, isWhole: Bool) throws {
    state.bytes = bytes
    try state.scanner.advance(over: bytes, isWhole: isWhole, work: work)
    if state.picture == nil, let file = state.scanner.file, file.data != nil {
      let picture = try PNGImage(file, of: bytes, options: options, limits: work.limits)
      state.picture = picture
      state.reader = try picture.makeReader()
    }
    try state.reader?.advance(over: bytes, isWhole: isWhole, work: work)
  }

  func preview() throws -> Image? {
    try state.withLock { state in
      guard let picture = state.picture, let file = state.scanner.file, let reader = state.reader,
        let bytes = state.bytes
      else { return nil }
      let progress = Progress(pixels: reader.progress, frames: file.playableFrames.count)
      guard progress.pixels > 0, progress != state.shown else { return nil }
      state.shown = progress
      return try picture.knowing(file).preview(reader.bitmap, of: bytes, work: work)
    }
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    try state.withLock { state in
      try advance(&state, over: bytes, isWhole: true)
      guard let file = state.scanner.file, let reader = state.reader, let begun = state.picture else {
        throw ImageError.bad("PNG", "there are no pixels in the \(bytes.count) bytes of the file")
      }
      let picture = try PNGImage(file, of: bytes, options: options, limits: work.limits)
      // An orientation after the pixels may require another size than the one decoded.
      guard picture.finish.storedTarget == begun.finish.storedTarget else {
        return try coder.decode(bytes, options: options, work: work)
      }
      return try picture.image(from: reader, of: bytes, work: work)
    }
  }
}
