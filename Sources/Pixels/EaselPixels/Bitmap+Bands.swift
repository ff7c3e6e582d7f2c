import EaselCore

extension Bitmap {
  /// Calls `body` with successive bands of rows, and checks for cancellation before each band.
  ///
  /// Every band except the last has a multiple of `unit` rows.
  static func inBands(
    of count: Int, length: Int, unit: Int = 1, work: WorkContext, _ body: (Range<Int>) throws(ImageError) -> Void
  ) throws(ImageError) {
    let most = max(1, CancellationPace.lines(of: length) / unit) * unit
    var first = 0
    while first < count {
      try work.checkCancellation()
      let next = min(count, first + most)
      try body(first..<next)
      first = next
    }
  }

  /// Calls `body` with the starts of the pixels of both bitmaps.
  func withStarts(
    writing target: inout Bitmap,
    _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    try target.makeUnique()
    try withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(ImageError) in
      try target.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) throws(ImageError) in
        try body(source.baseAddress!, target.baseAddress!)
      }
    }
  }

  /// Calls `body` with the start of the pixels, which it changes in place.
  mutating func withStart(
    _ body: (UnsafeMutableRawPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    try makeUnique()
    try withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      try body(bytes.baseAddress!)
    }
  }
}
