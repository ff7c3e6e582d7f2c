import Glibc

/// A file that stays open while someone may read from it.
final class OpenFile: Sendable {
  let path: String
  let count: Int
  private let descriptor: CInt

  init(path: String) throws(ImageError) {
    // The system would stop reading there, and open another file than the one named.
    guard !path.utf8.contains(0) else {
      throw ImageError(.invalidURL, "A path cannot hold a null byte.", subject: path)
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure(.invalidURL, "open", path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw Self.failure(.invalidURL, "read the size of", path, code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw ImageError(.invalidURL, "\(path) is not a regular file.", subject: path)
    }
    self.path = path
    self.descriptor = descriptor
    count = Int(status.st_size)
  }

  deinit { close(descriptor) }

  func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
    var done = 0
    while done < target.count {
      let got = pread(descriptor, target.baseAddress! + done, target.count - done, offset + done)
      if got > 0 {
        done += got
      } else if got < 0 && errno == EINTR {
        continue
      } else if got < 0 {
        throw Self.failure(.badImageData, "read", path, errno)
      } else {
        let end = offset + done
        throw ImageError(
          .badImageData, "\(path) had \(count) bytes when it was opened and ends at \(end) now.", subject: path)
      }
    }
    return done
  }

  private static func failure(
    _ kind: ImageError.Code, _ action: String, _ path: String, _ code: CInt
  ) -> ImageError {
    ImageError(
      kind, "Could not \(action) \(path): \(String(cString: strerror(code))).", subject: path,
      cause: SystemError(code: code))
  }
}
