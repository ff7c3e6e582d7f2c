import CEaselJPEG
import EaselCore
import FoundationEssentials

/// Writes one file with the library.
final class JPEGWriter {
  private let library: OpaquePointer

  init(_ layout: easel_jpeg_layout) throws(ImageError) {
    var layout = layout
    guard let library = easel_jpeg_writer_create(&layout) else {
      throw ImageError.exhausted("JPEG: there is no memory to write a picture.")
    }
    self.library = library
  }

  deinit { easel_jpeg_writer_destroy(library) }

  func write(
    _ samples: JPEGWrittenSamples, _ segments: [(marker: Int32, bytes: [UInt8])], work: WorkContext
  ) throws(ImageError) -> Data {
    try check(easel_jpeg_writer_begin(library))
    for segment in segments {
      try check(easel_jpeg_writer_marker(library, segment.marker, segment.bytes, segment.bytes.count))
    }
    try samples.inBands { (rows, bytesPerRow, count) throws(ImageError) in
      try work.checkCancellation()
      try check(easel_jpeg_writer_rows(library, rows, bytesPerRow, UInt32(count)))
    }
    try check(easel_jpeg_writer_finish(library))
    var count = 0
    let bytes = easel_jpeg_writer_bytes(library, &count)
    return bytes.map { Data(bytes: $0, count: count) } ?? Data()
  }

  private func check(_ status: easel_jpeg_status) throws(ImageError) {
    if status == EASEL_JPEG_OK { return }
    if status == EASEL_JPEG_NO_MEMORY {
      throw ImageError.exhausted("JPEG: there is no memory to write the picture.")
    }
    let message = String(cString: easel_jpeg_writer_message(library))
    throw ImageError(.encodeFailed, "JPEG: libjpeg-turbo cannot write the picture (\(message)).")
  }
}
