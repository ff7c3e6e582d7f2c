import EaselCore
import EaselSupport

/// Decodes a file while it arrives: a scanner runs ahead, and the reader of pixels follows and reads each byte once.
package final class ScanningDecoder<Picture: ArrivingPicture>: ProgressiveDecoder {
  private struct State {
    var scanner: Picture.Scanner
    var reader: Picture.Reader?
    /// The bytes received so far, from which previews read the frames.
    var bytes: ImageBytes?
    var shown = ArrivingProgress(rows: 0, frames: 0)
  }

  private let picture: Picture
  private let state: Locked<State>

  package init(_ picture: Picture) {
    self.picture = picture
    state = Locked(State(scanner: Picture.Scanner(limits: picture.work.limits)))
  }

  package func update(_ bytes: ImageBytes) throws {
    try state.withLock { try advance(&$0, over: bytes, isWhole: false) }
  }

  private func advance(_ state: inout State, over bytes: ImageBytes, isWhole: Bool) throws {
    state.bytes = bytes
    try state.scanner.advance(over: bytes, isWhole: isWhole, needsSizeOnly: false, work: picture.work)
    guard let file = state.scanner.file, file.hasPixels else { return }
    if state.reader == nil { state.reader = try picture.makeReader(of: file, in: bytes) }
    try picture.advance(&state.reader!, over: bytes, isWhole: isWhole)
  }

  package func preview() throws -> Image? {
    try state.withLock { state in
      guard let file = state.scanner.file, let reader = state.reader, let bytes = state.bytes else { return nil }
      let progress = picture.progress(of: reader, in: file)
      guard progress.rows > 0, progress != state.shown, !picture.mayTurn(file) else { return nil }
      state.shown = progress
      return try picture.preview(of: file, from: reader, bytes)
    }
  }

  package func finish(_ bytes: ImageBytes) throws -> Image {
    try state.withLock { state in
      try advance(&state, over: bytes, isWhole: true)
      guard let file = state.scanner.file, let reader = state.reader else {
        throw Picture.Scanner.File.withoutPixels(bytes)
      }
      return try picture.image(of: file, from: reader, bytes)
    }
  }
}
