/// The reason why a picture cannot be written in a format: a side has more pixels than files of the format can state.
package struct SideTooLong: Error, Hashable {
  package let format: ImageFormat
  package let pixels: Int

  package init(of format: ImageFormat, pixels: Int) {
    (self.format, self.pixels) = (format, pixels)
  }
}

extension ImageError {
  /// The format whose files cannot state so long a side, if that is the reason of the error.
  package var longestSide: SideTooLong? {
    for cause in causes {
      if let side = cause as? SideTooLong ?? (cause as? ImageError)?.longestSide { return side }
    }
    return nil
  }
}
