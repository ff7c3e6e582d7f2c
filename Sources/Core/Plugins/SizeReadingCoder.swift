/// A coder that can read the size of a picture without reading its whole header.
public protocol SizeReadingCoder: ImageCoder {
  /// Reads the stored size, before the orientation is applied, and as little else as possible.
  ///
  /// It is the size that ``ImageCoder/probe(_:work:)`` returns. A file may state its orientation and frames after its
  /// pixels, so a probe must step over the pixels; the size is at the beginning. The rest of the file may be damaged or
  /// missing.
  func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize
}

extension ImageCoder {
  /// The stored size, which is read without the rest of the header if the coder can do that.
  package func usualSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    if let reader = capability((any SizeReadingCoder).self) { return try reader.storedSize(of: bytes, work: work) }
    return try probe(bytes, work: work).storedSize
  }
}
