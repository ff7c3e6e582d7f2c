/// A coder that tells which of its files have no metadata, so that they may go out untouched.
public protocol MetadataCountingCoder: ImageCoder {
  /// The number of bytes in a file that belong neither to its picture nor to its colour profile.
  ///
  /// These are EXIF, texts, comments and whatever follows the end. The number is nil when the coder cannot tell. Only
  /// bytes without any go out untouched when metadata are to be removed.
  func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int?
}
