import EaselCoding
import EaselCore
import EaselPixels

/// Converts the rows of a decoded frame a few at a time, crops them, and makes them smaller on the way.
///
/// Only the decoder's own planes are as large as the picture. If the target has at most half the width and height, the
/// planes are made smaller before they become pixels, which takes a fraction of the time. The matrix between planes and
/// pixels is linear, so the picture is the same, but is rounded less often. The curves of light are applied afterwards
/// in both cases. If light is to be averaged, the planes are only made as small as is sufficient, and their pixels are
/// made smaller once more.
struct AVIFRows {
  let reader: AVIFReader
  let format: PixelFormat
  let finish: ImageFinish
  let work: WorkContext

  private var target: PixelSize { finish.storedTarget }
  private var crop: PixelRect { reader.header.crop }
  private var coded: PixelSize { reader.header.codedSize }
  private var isWide: Bool { format.layout == .rgba16 }

  /// The picture of the frame that the reader has decoded.
  func bitmap() throws(ImageError) -> Bitmap {
    if let small = try madeOfSmallPlanes() { return small }
    return try strips.bitmap(write)
  }

  /// Writes the frame into a bitmap of the target's size.
  func draw(on bitmap: inout Bitmap) throws(ImageError) {
    if let small = try madeOfSmallPlanes() {
      bitmap = small
    } else {
      try strips.draw(on: &bitmap, write)
    }
  }

  private var strips: RowStrips {
    // An even number of rows with about a quarter of a million pixels.
    let rowsAtOnce = max(16, CancellationPace.lines(of: coded.width) & ~1)
    return RowStrips(
      of: coded, crop: crop, format: format, target: target, averagesLight: finish.averagesLight,
      rowsAtOnce: rowsAtOnce, work: work)
  }

  private func write(_ strip: RowStrips.Strip) throws(ImageError) -> Int {
    try reader.readRows(
      strip.rows, isWide: isWide, isInPicture: strip.isInPicture, into: strip.start, bytesPerRow: strip.bytesPerRow)
    return strip.rows.count
  }

  /// The picture from planes that were made smaller first; nil if the picture does not shrink enough.
  private func madeOfSmallPlanes() throws(ImageError) -> Bitmap? {
    let small = finish.averagesLight ? finish.sufficientSize : target
    guard 2 * small.width <= crop.width, 2 * small.height <= crop.height,
      let reducer = try reader.reducer(from: crop, to: small, isWide: isWide)
    else { return nil }
    let bitmap = try self.bitmap(of: small, by: reducer)
    return small == target ? bitmap : try bitmap.resized(to: target, linearLight: true, work: work)
  }

  private func bitmap(of size: PixelSize, by reducer: borrowing AVIFReducer) throws(ImageError) -> Bitmap {
    var bitmap = try Bitmap(unfilled: size, format: format)
    let bytesPerRow = bitmap.bytesPerRow
    let rowsAtOnce = max(1, CancellationPace.lines(of: crop.width) * size.height / crop.height)
    try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      for row in stride(from: 0, to: size.height, by: rowsAtOnce) {
        try work.checkCancellation()
        reducer.read(
          min(rowsAtOnce, size.height - row), into: bytes.baseAddress! + row * bytesPerRow, bytesPerRow: bytesPerRow)
      }
    }
    return bitmap
  }
}
