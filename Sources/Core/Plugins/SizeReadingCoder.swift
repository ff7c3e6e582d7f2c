/// A coder that reads the size of a picture at less cost than its whole header.
public protocol SizeReadingCoder: ImageCoder {
  /// Reads the size as stored, before the orientation is applied, and as little else as possible.
  ///
  /// It is the size in the header of ``ImageCoder/probe(_:work:)``. A file may state its orientation and frames behind
  /// its pixels, so a probe has to step over all of them; the size is at the beginning. The rest may be damaged or
  /// missing.
  func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize
}

extension ImageCoder {
  /// The stored size, read alone if the coder can do that, or else with the header.
  package func usualSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    if let reader = capability((any SizeReadingCoder).self) { return try reader.storedSize(of: bytes, work: work) }
    return try probe(bytes, work: work).storedSize
  }
}
