/// A coder that can tell which files have no metadata, so that they may be sent unchanged.
public protocol MetadataCountingCoder: ImageCoder {
  /// The number of bytes in a file that belong neither to its picture nor to its colour profile.
  ///
  /// These are EXIF, texts, comments, and everything after the end of the picture. Nil means that the coder cannot
  /// tell. If metadata are to be removed, only files with the number 0 are sent unchanged.
  func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int?
}
