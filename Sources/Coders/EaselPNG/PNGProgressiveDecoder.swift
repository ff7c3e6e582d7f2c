import EaselCore

/// Decodes a PNG while it arrives; each byte is looked at once.
final class PNGProgressiveDecoder: ProgressiveDecoder {
  private struct State {
    var scanner: PNGScanner
    var picture: PNGPicture?
    var reader: PNGPixelReader?
    var shownProgress = 0
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
    try state.scanner.advance(over: bytes, isWhole: isWhole, work: work)
    if state.picture == nil, let file = state.scanner.file, file.data != nil {
      let picture = try PNGPicture(file, of: bytes, options: options, limits: work.limits)
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
      return try picture.preview(reader.bitmap, work: work)
    }
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    try state.withLock { state in
      try advance(&state, over: bytes, isWhole: true)
      guard let file = state.scanner.file, let reader = state.reader, let begun = state.picture else {
        throw ImageError.badPNG("there are no pixels in the \(bytes.count) bytes of the file.")
      }
      let picture = try PNGPicture(file, of: bytes, options: options, limits: work.limits)
      // An orientation that came after the pixels may ask for another size than the one that was made.
      guard picture.finish.storedTarget == begun.finish.storedTarget else {
        return try coder.decode(bytes, options: options, work: work)
      }
      return try picture.image(from: reader, of: bytes, work: work)
    }
  }
}
