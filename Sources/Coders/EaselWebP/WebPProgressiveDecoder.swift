import EaselCoding
import EaselCore
import EaselSupport

/// Decodes a WebP while it arrives; each byte is read once.
///
/// Previews show the rows of the picture or of the first frame, and play the complete frames. EXIF and XMP follow the
/// pixels. If they may contain an orientation, there is no preview before they arrive, because the picture could turn
/// at the end.
final class WebPProgressiveDecoder: ProgressiveDecoder {
  private struct State {
    var scanner: WebPScanner
    var reader: WebPPixelReader?
    /// The bytes received so far, from which previews read frames.
    var bytes: ImageBytes?
    var shown = Progress()
  }

  /// Grows with everything that can be shown.
  private struct Progress: Equatable {
    var rows = 0
    var frames = 0
  }

  private let options: DecodeOptions
  private let work: WorkContext
  private let state: Locked<State>

  init(options: DecodeOptions, work: WorkContext) {
    self.options = options
    self.work = work
    state = Locked(State(scanner: WebPScanner(limits: work.limits)))
  }

  func update(_ bytes: ImageBytes) throws {
    try state.withLock { try advance(&$0, over: bytes, isWhole: false) }
  }

  private func advance(_ state: inout State, over bytes: ImageBytes, isWhole: Bool) throws {
    state.bytes = bytes
    try state.scanner.advance(over: bytes, isWhole: isWhole, work: work)
    guard let file = state.scanner.file, file.first != nil else { return }
    if state.reader == nil {
      state.reader = try WebPImage(file, options: options).makeReader(showsParts: true)
    }
    try state.reader?.advance(over: bytes, isWhole: isWhole, work: work)
  }

  func preview() throws -> Image? {
    try state.withLock { state in
      guard let file = state.scanner.file, let reader = state.reader, !mayOrientationFollow(file) else { return nil }
      let progress = Progress(rows: reader.rows, frames: file.playableFrames.count)
      guard progress.rows > 0, progress != state.shown, let bytes = state.bytes else { return nil }
      state.shown = progress
      return try WebPImage(file, options: options).preview(from: reader, of: bytes, work: work)
    }
  }

  private func mayOrientationFollow(_ file: WebPFile) -> Bool {
    let isSized = options.thumbnailSize != nil || options.scaleDownLimitBytes != nil
    return file.mayTurn && (options.appliesOrientation || isSized)
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    try state.withLock { state in
      try advance(&state, over: bytes, isWhole: true)
      guard let file = state.scanner.file, let reader = state.reader else {
        throw ImageError.bad("WebP", "there are no pixels in the \(bytes.count) bytes of the file")
      }
      return try WebPImage(file, options: options).image(from: reader, of: bytes, work: work)
    }
  }
}
