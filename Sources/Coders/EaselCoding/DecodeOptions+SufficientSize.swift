import EaselCore

extension DecodeOptions {
  /// The size in memory up to which a picture is decoded in full, if the caller only states a sufficient size.
  private static let mostBytesInFull = 16 << 20

  /// The decoded size, before the turn, of a picture that is too large to be decoded in full.
  ///
  /// The size is nil if the caller does not state a sufficient size, or if other options choose the size.
  public func sufficientSize(for header: ImageHeader) -> PixelSize? {
    let bytesPerPixel = keeps16Bits && header.bitDepth > 8 ? 8 : 4
    return header.storedSize.area > Self.mostBytesInFull / bytesPerPixel ? leastStoredSize(for: header) : nil
  }

  /// The least sufficient size before the turn; nil if other options choose the size.
  public func leastStoredSize(for header: ImageHeader) -> PixelSize? {
    guard let least = leastSize, thumbnailSize == nil, scaleDownLimitBytes == nil, !least.isEmpty else { return nil }
    let size = appliesOrientation && header.orientation.swapsSides ? least.transposed : least
    return size.width <= header.storedSize.width && size.height <= header.storedSize.height ? size : nil
  }
}
