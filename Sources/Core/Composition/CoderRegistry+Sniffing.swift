extension CoderRegistry {
  /// The format of bytes that begin like this, nil when no coder knows them.
  ///
  /// The signature decides, never a name or what a server says; nothing is decoded, and the rest may be damaged. At
  /// least ``ImageCoder/sniffLength`` bytes should be given, where there are so many.
  public func format(of bytes: ImageBytes) throws(ImageError) -> ImageFormat? {
    try format(of: bytes, work: WorkContext())
  }

  func format(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> ImageFormat? {
    let prefix = try bytes.prefix(Self.sniffLength)
    for coder in coders.reversed() where coder.canDecode(prefix: prefix) {
      if coder.formats.count == 1 { return coder.formats[0] }
      // A coder of several formats tells them apart when it reads the header.
      if let format = try? coder.probe(bytes, work: work).format { return format }
    }
    return nil
  }
}
