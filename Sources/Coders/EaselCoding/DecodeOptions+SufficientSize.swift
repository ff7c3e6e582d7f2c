import EaselCore

extension DecodeOptions {
  /// A picture that takes no more memory is decoded in full if its caller only says what suffices.
  private static let mostBytesInFull = 16 << 20

  /// The size to which a picture too large to be decoded in full is decoded, before it is turned.
  ///
  /// Nil where the caller does not say what suffices, or other options choose the size.
  public func sufficientSize(for header: ImageHeader) -> PixelSize? {
    let bytesPerPixel = keeps16Bits && header.bitDepth > 8 ? 8 : 4
    return header.storedSize.area > Self.mostBytesInFull / bytesPerPixel ? leastStoredSize(for: header) : nil
  }

  /// The least size that suffices, before the picture is turned; nil where other options choose the size.
  public func leastStoredSize(for header: ImageHeader) -> PixelSize? {
    guard let least = leastSize, thumbnailSize == nil, scaleDownLimitBytes == nil, !least.isEmpty else { return nil }
    let size = appliesOrientation && header.orientation.swapsSides ? least.transposed : least
    return size.width <= header.storedSize.width && size.height <= header.storedSize.height ? size : nil
  }
}
