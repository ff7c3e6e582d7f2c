import CEaselTIFF
import EaselCore
import EaselPixels
import FoundationEssentials

/// Compresses the strips of a page through libtiff.
final class TIFFStripWriter {
  private let pixels: TIFFWrittenPixels
  private let writer: OpaquePointer
  private let rows: Int
  private let size: PixelSize

  /// The size of a strip, long enough for good compression and short enough for decoding in one go.
  private static let stripBytes = 256 << 10

  init(_ pixels: TIFFWrittenPixels, _ settings: TIFFEncodeSettings) throws(ImageError) {
    self.pixels = pixels
    size = pixels.bitmap.size
    rows = min(size.height, max(1, Self.stripBytes / pixels.bytesPerRow))
    var writing = easel_tiff_writing()
    writing.width = UInt32(size.width)
    writing.height = UInt32(size.height)
    writing.components = UInt32(pixels.components)
    writing.is_wide = pixels.isWide
    writing.compression = settings.foreign
    writing.level = Int32(settings.level)
    writing.predicts = settings.predicts
    writing.rows_per_strip = UInt32(rows)
    var made: OpaquePointer?
    let status = easel_tiff_writer_create(&writing, &made)
    guard let made else { throw .exhausted("TIFF: there is no memory to write a picture of \(size).") }
    writer = made
    try check(status)
  }

  deinit { easel_tiff_writer_destroy(writer) }

  /// Adds the strips to a file; returns their lengths, and the number of rows in each strip but the last.
  func write(to file: inout Data, work: WorkContext) throws(ImageError) -> (counts: [Int], rows: Int) {
    let bitmap = pixels.bitmap
    try bitmap.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(ImageError) in
      for first in stride(from: 0, to: size.height, by: rows) {
        try work.checkCancellation()
        try check(
          easel_tiff_writer_strip(
            writer, bytes.baseAddress! + first * bitmap.bytesPerRow, bitmap.bytesPerRow,
            UInt32(pixels.sourceComponents), UInt32(min(rows, size.height - first))))
      }
    }
    var counts = [UInt32](repeating: 0, count: (size.height + rows - 1) / rows)
    var (start, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
    try check(easel_tiff_writer_finish(writer, &start, &count, &counts, counts.count))
    guard let start else { throw failure(EASEL_TIFF_BAD_DATA) }
    guard file.count + count < Int(UInt32.max) - (64 << 20) else {
      throw ImageError(
        .encodeFailed,
        "TIFF: the file would be larger than 4 GB, which its offsets cannot express. A smaller "
          + "EncodeOptions.maxPixelSize may help.")
    }
    // The capacity has room for a directory, so that the strips are not moved for it.
    file.reserveCapacity(file.count + count + 65_536)
    file.append(start, count: count)
    return (counts.map { Int($0) }, rows)
  }

  private func check(_ status: easel_tiff_status) throws(ImageError) {
    guard status == EASEL_TIFF_OK else { throw failure(status) }
  }

  private func failure(_ status: easel_tiff_status) -> ImageError {
    guard status != EASEL_TIFF_NO_MEMORY else {
      return .exhausted("TIFF: there is no memory to write a picture of \(size).")
    }
    let text = String(cString: easel_tiff_writer_message(writer))
    let said = text.isEmpty ? "" : " (libtiff: \(text))"
    return ImageError(.encodeFailed, "TIFF: libtiff cannot write this picture of \(size)\(said).")
  }
}
