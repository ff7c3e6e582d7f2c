import EaselCore

/// Reads the pictures of a format behind the scanner of the format.
package protocol ArrivingPicture: Sendable {
  associatedtype Scanner: FileScanner
  /// The reader of the still picture or of the first frame, with its state.
  associatedtype Reader

  var work: WorkContext { get }

  /// Makes the reader of a file whose pixels have begun.
  func makeReader(of file: Scanner.File, in bytes: ImageBytes) throws -> Reader

  /// Reads the pixels in the bytes so far; `isWhole` means that no more bytes will come.
  func advance(_ reader: inout Reader, over bytes: ImageBytes, isWhole: Bool) throws

  /// The amount of the picture that can be shown.
  func progress(of reader: Reader, in file: Scanner.File) -> ArrivingProgress

  /// True while nothing is shown because the picture may still turn.
  func mayTurn(_ file: Scanner.File) -> Bool

  /// The picture so far; nil if there is nothing to show after all.
  func preview(of file: Scanner.File, from reader: Reader, _ bytes: ImageBytes) throws -> Image?

  /// The whole picture, after the reader has read all bytes.
  func image(of file: Scanner.File, from reader: Reader, _ bytes: ImageBytes) throws -> Image
}

extension ArrivingPicture {
  package func mayTurn(_ file: Scanner.File) -> Bool { false }
}

/// A value that changes as soon as more of an arriving picture can be shown.
package struct ArrivingProgress: Hashable, Sendable {
  package var rows: Int
  package var frames: Int

  package init(rows: Int, frames: Int) { (self.rows, self.frames) = (rows, frames) }
}
