/// A coder that takes whole files of other formats out of its own, as JPEG may be in JPEG XL.
public protocol UnpackingCoder: ImageCoder {
  /// The formats of which a whole file may be stored in a file of this format.
  func packedFormats(in format: ImageFormat) -> [ImageFormat]

  /// The whole file of another format that is stored in a file; nil when there is none.
  ///
  /// Both show the same picture. Bytes that are asked for in the other format then go out untouched.
  func packedFile(in bytes: ImageBytes, as format: ImageFormat, work: WorkContext) throws -> ImageBytes?
}
