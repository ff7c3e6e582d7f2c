/// A coder that makes a whole file of another format without loss: a JPEG XL of a JPEG, or the JPEG inside a JPEG XL.
public protocol RepackingCoder: ImageCoder {
  /// The formats of which files can be made from files of `format`.
  func repackedFormats(of format: ImageFormat) -> [ImageFormat]

  /// The file of another format; nil when this file cannot become one, or not without its metadata.
  ///
  /// Both files show the same picture. If the other format is wanted, that file is sent, and no pixels are encoded.
  func repacked(_ file: ImageBytes, as format: ImageFormat, withMetadata: Bool, work: WorkContext) throws -> ImageBytes?
}
