/// A coder whose files have other extensions than the second part of the MIME type.
public protocol FileNamingCoder: ImageCoder {
  /// The extensions of files in one of the coder's formats, without the dot and in lower case; the usual one is first.
  func fileExtensions(of format: ImageFormat) -> [String]
}

extension ImageCoder {
  /// The extensions that the coder names, or else the second part of the MIME type, such as `webp`.
  package func usualExtensions(of format: ImageFormat) -> [String] {
    if let naming = capability((any FileNamingCoder).self) { return naming.fileExtensions(of: format) }
    let name = format.mimeType.split(separator: "/").last?.prefix { $0 != "+" } ?? ""
    return name.isEmpty ? [] : [String(name)]
  }
}
