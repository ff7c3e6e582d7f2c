import EaselCore

extension ImageHeader {
  /// Makes the picture of a file that is read row by row, at the size and the orientation that the options ask for.
  ///
  /// `row` returns a stored row, beginning with the top row: red, green, blue and alpha of each pixel, eight bits each.
  /// The limits are checked before memory is allocated. Between two rows the work ends if it was cancelled. Coders of
  /// files with a colour profile, 16 bits or frames use `ImageFinish` and `RowReducer` of EaselCoding themselves.
  public func image(_ options: DecodeOptions, work: WorkContext, row: (_ y: Int) throws -> [UInt8]) throws -> Image {
    try work.limits.check(frame: storedSize, claimedBy: "\(format): the header")
    let finish = ImageFinish(self, profile: nil, isGray: false, options: options)
    let reducer = try RowReducer(
      from: storedSize, to: finish.storedTarget, format: hasAlpha ? .rgba8 : .opaqueRGBA8,
      averagesLight: finish.averagesLight)
    for y in 0..<storedSize.height {
      try work.checkCancellation()
      let pixels = try row(y)
      guard pixels.count == 4 * storedSize.width else {
        throw ImageError(
          .badImageData,
          "\(format): row \(y) has \(pixels.count) bytes, and \(storedSize.width) pixels take \(4 * storedSize.width).")
      }
      try pixels.withUnsafeBytes { try reducer.push($0) }
    }
    return try finish.image(reducer.bitmap, format: format, isPartial: false, work: work)
  }
}
