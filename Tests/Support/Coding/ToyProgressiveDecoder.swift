import EaselCore
import EaselSupport

/// Shows the rows of a toy picture that have arrived.
final class ToyProgressiveDecoder: ProgressiveDecoder {
  private struct State {
    var file: ToyFile?
    var shownRows = 0
  }

  private let coder: ToyCoder
  private let options: DecodeOptions
  private let work: WorkContext
  private let state = Locked(State())

  init(coder: ToyCoder, options: DecodeOptions, work: WorkContext) {
    self.coder = coder
    self.options = options
    self.work = work
  }

  func update(_ bytes: ImageBytes) throws {
    try work.checkCancellation()
    guard bytes.count >= ToyImage.headerLength else { return }
    let file = try ToyFile(bytes)
    try file.check(work.limits, options)
    state.withLock { $0.file = file }
  }

  func preview() throws -> Image? {
    try coder.previewGate.pass(work)
    let known: ToyFile? = state.withLock { state in
      guard let file = state.file, file.wholeRows > state.shownRows else { return nil }
      state.shownRows = file.wholeRows
      return file
    }
    guard let known else { return nil }
    coder.count { $0.previews += 1 }
    let bitmap = try known.bitmap(frame: 0, rows: known.wholeRows, options: options, work: work)
    return known.image(bitmap, frames: nil, options: options, isPartial: true)
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    coder.count { $0.finishes += 1 }
    return try coder.whole(bytes, options, work)
  }
}
