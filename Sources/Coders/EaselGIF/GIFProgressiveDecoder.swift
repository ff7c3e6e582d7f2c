import EaselCoding
import EaselCore
import EaselSupport

/// Decodes a GIF while it arrives: the first frame row by row, the others when they are complete.
///
/// Each byte is read once.
final class GIFProgressiveDecoder: ProgressiveDecoder {
  private struct State {
    var scanner: GIFScanner
    var canvas: Bitmap?
    var reader: GIFPixelReader?
    var bytes: ImageBytes?
    var shown = Progress()
  }

  private struct Progress: Hashable {
    var rows = 0
    var frames = 0
  }

  private let options: DecodeOptions
  private let work: WorkContext
  private let state: Locked<State>

  init(options: DecodeOptions, work: WorkContext) {
    self.options = options
    self.work = work
    state = Locked(State(scanner: GIFScanner(limits: work.limits)))
  }

  func update(_ bytes: ImageBytes) throws {
    try state.withLock { try advance(&$0, over: bytes, isWhole: false) }
  }

  private func advance(_ state: inout State, over bytes: ImageBytes, isWhole: Bool) throws {
    try state.scanner.advance(over: bytes, isWhole: isWhole, work: work)
    state.bytes = bytes
    guard let file = state.scanner.file, let first = file.first else { return }
    if state.reader == nil {
      state.canvas = try GIFImage.canvas(of: file)
      state.reader = try GIFPixelReader(first, canvas: file.canvas)
    }
    guard let reader = state.reader, !reader.isOver else { return }
    try reader.advance(over: bytes, isWhole: isWhole, on: &state.canvas!, work: work)
  }

  func preview() throws -> Image? {
    try state.withLock { state in
      guard let file = state.scanner.file, let canvas = state.canvas, let reader = state.reader,
        let bytes = state.bytes, reader.rows > 0
      else { return nil }
      let progress = Progress(rows: reader.rows, frames: file.frames.count)
      guard progress != state.shown else { return nil }
      state.shown = progress
      return try GIFImage(file, options: options).preview(of: canvas, from: reader, bytes, work: work)
    }
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    try state.withLock { state in
      try advance(&state, over: bytes, isWhole: true)
      guard let file = state.scanner.file, let canvas = state.canvas, let reader = state.reader else {
        throw ImageError.bad("GIF", "there is no frame in the \(bytes.count) bytes of the file")
      }
      return try GIFImage(file, options: options).image(of: canvas, from: reader, bytes, work: work)
    }
  }
}
