import EaselCore

/// The description of pixels that a child wrote into its output file.
struct StoredBitmap: Equatable {
  var size: PixelSize
  var format: PixelFormat
  var bytesPerRow: Int
  /// The place of the first byte in the file.
  var offset: Int

  /// The number of bytes that the pixels take in the file.
  var byteCount: Int { bytesPerRow * size.height }

  init(_ bitmap: Bitmap, offset: Int) {
    size = bitmap.size
    format = bitmap.format
    bytesPerRow = bitmap.bytesPerRow
    self.offset = offset
  }

  /// Reads a description; throws if its numbers contradict each other.
  init(_ reader: inout MessageReader) throws(MessageReader.Malformed) {
    size = try PixelSize(&reader)
    guard let layout = PixelFormat.Layout(rawValue: UInt8(clamping: try reader.int())),
      let alpha = PixelFormat.Alpha(rawValue: UInt8(clamping: try reader.int()))
    else { throw MessageReader.Malformed() }
    format = PixelFormat(layout, alpha: alpha)
    bytesPerRow = try reader.int()
    offset = try reader.count()
    guard !size.isEmpty, size.isPlausible else { throw MessageReader.Malformed() }
    let packed = size.width * format.bytesPerPixel
    // Coders pad rows to a few bytes at most.
    guard (packed...packed + 256).contains(bytesPerRow), size.area <= 1 << 40 else { throw MessageReader.Malformed() }
  }

  func write(to writer: inout MessageWriter) {
    size.write(to: &writer)
    writer.add(Int(format.layout.rawValue))
    writer.add(Int(format.alpha.rawValue))
    writer.add(bytesPerRow)
    writer.add(offset)
  }
}
