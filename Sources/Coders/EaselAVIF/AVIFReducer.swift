import CEaselAVIF
import EaselCore

/// Makes the planes of a decoded frame smaller, and converts them to pixels, from top to bottom.
///
/// It reads the planes of a reader, which must not decode another frame in the meantime.
struct AVIFReducer: ~Copyable {
  private let reducer: OpaquePointer
  // The reader is kept alive, because the reducer reads its planes.
  private let reader: AVIFReader

  /// Takes over a reducer for the reader's frame.
  init(_ reducer: OpaquePointer, of reader: AVIFReader) {
    self.reducer = reducer
    self.reader = reader
  }

  deinit { easel_avif_reducer_destroy(reducer) }

  /// Writes the next rows of the target as RGBA with straight alpha.
  func read(_ rows: Int, into target: UnsafeMutableRawPointer, bytesPerRow: Int) {
    easel_avif_reducer_read_rows(reducer, rows, target, bytesPerRow)
  }
}
