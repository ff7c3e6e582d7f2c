import EaselCoding
import EaselCore
import EaselSupport

/// Decodes a JPEG while it arrives; each byte is read once.
final class JPEGProgressiveDecoder: ProgressiveDecoder {
  private struct State {
    var scanner: JPEGScanner
    var picture: JPEGImage?
    var reader: JPEGPixelReader?
    var shownProgress = 0
  }

  private let coder: JPEGCoder
  private let options: DecodeOptions
  private let work: WorkContext
  private let state: Locked<State>

  init(coder: JPEGCoder, options: DecodeOptions, work: WorkContext) {
    self.coder = coder
    self.options = options
    self.work = work
    state = Locked(State(scanner: JPEGScanner(limits: work.limits)))
  }

  func update(_ bytes: ImageBytes) throws {
    try state.withLock { try advance(&$0, over: bytes, isWhole: false) }
  }

  private func advance(_ state: inout State, over bytes: ImageBytes, isWhole: Bool) throws {
    try state.scanner.advance(over: bytes, isWhole: isWhole, work: work)
    if state.picture == nil, state.scanner.hasReachedPixels, let file = state.scanner.file {
      let picture = try JPEGImage(file, of: bytes, options: options, limits: work.limits)
      state.picture = picture
      state.reader = try picture.makeReader()
    }
    try state.reader?.advance(over: bytes, isWhole: isWhole, work: work)
  }

  func preview() throws -> Image? {
    try state.withLock { state in
      guard let picture = state.picture, let reader = state.reader, reader.progress > state.shownProgress else {
        return nil
      }
      state.shownProgress = reader.progress
      guard let bitmap = try reader.bitmap(work: work) else { return nil }
      return try picture.image(bitmap, isPartial: true, work: work)
    }
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    try state.withLock { state in
      try advance(&state, over: bytes, isWhole: true)
      guard let picture = state.picture, let reader = state.reader else {
        throw ImageError.bad("JPEG", "there are no pixels in the \(bytes.count) bytes of the file")
      }
      guard !reader.mayImproveWhenDecodedWhole else { return try coder.decode(bytes, options: options, work: work) }
      return try picture.image(from: reader, of: bytes, work: work)
    }
  }
}
