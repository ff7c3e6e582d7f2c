/// A coder that can take a whole file of another format out of its own, such as the JPEG in some JPEG XL files.
public protocol UnpackingCoder: ImageCoder {
  /// The formats whose whole files may be inside files of `format`.
  func packedFormats(in format: ImageFormat) -> [ImageFormat]

  /// The whole file of another format that is inside these bytes; nil when there is none.
  ///
  /// Both files show the same picture. If the other format is wanted, that file is sent unchanged.
  func packedFile(in bytes: ImageBytes, as format: ImageFormat, work: WorkContext) throws -> ImageBytes?
}
