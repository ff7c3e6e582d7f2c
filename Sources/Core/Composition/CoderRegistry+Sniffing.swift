extension CoderRegistry {
  /// The format of bytes with this beginning; nil when no coder recognizes them.
  ///
  /// Only the signature decides, not a file name or the type that a server states. Nothing is decoded, and the rest of
  /// the bytes may be damaged. Pass at least ``ImageCoder/sniffLength`` bytes if there are as many.
  public func format(of bytes: ImageBytes) throws(ImageError) -> ImageFormat? {
    try format(of: bytes, work: WorkContext())
  }

  func format(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> ImageFormat? {
    let prefix = try bytes.prefix(Self.sniffLength)
    for coder in coders.reversed() where coder.canDecode(prefix: prefix) {
      if coder.formats.count == 1 { return coder.formats[0] }
      // A coder of several formats tells them apart by the header.
      if let format = try? coder.probe(bytes, work: work).format { return format }
    }
    return nil
  }
}
