import CEaselJPEG
import EaselCore

/// Lets the library read a file at any place, because it reads all scans of a picture next to each other.
final class JPEGFileAccess {
  private let bytes: ImageBytes
  private let count: Int
  private var error: ImageError?

  /// Gives access to no more than so many bytes.
  init(_ bytes: ImageBytes, limit: Int) {
    self.bytes = bytes
    count = min(limit, bytes.count)
  }

  /// Calls the library, which keeps no pointer to bytes in memory.
  func call(
    _ body: (UnsafePointer<easel_jpeg_file>) -> easel_jpeg_status
  ) throws(ImageError) -> easel_jpeg_status {
    let status = bytes.withBytesInMemory { all in
      var file = easel_jpeg_file(
        bytes: all.baseAddress?.assumingMemoryBound(to: UInt8.self), count: count, context: nil, read: nil)
      return body(&file)
    }
    if let status { return status }
    var file = easel_jpeg_file(bytes: nil, count: count, context: Unmanaged.passUnretained(self).toOpaque()) {
      context, place, target, count in
      let access = Unmanaged<JPEGFileAccess>.fromOpaque(context!).takeUnretainedValue()
      return access.read(at: place, into: UnsafeMutableRawBufferPointer(start: target, count: count))
    }
    let read = body(&file)
    if let error { throw error }
    return read
  }

  private func read(at place: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
    do throws(ImageError) {
      guard try bytes.read(at: place, into: target) == target.count else {
        throw .bad("JPEG", "the file became shorter while it was read")
      }
      return true
    } catch {
      self.error = error
      return false
    }
  }
}
