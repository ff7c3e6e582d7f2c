import EaselCore
import EaselSupport
import Glibc

/// A regular file that is open for reading.
final class LocalFile {
  private static let partSize = 1 << 20

  let identity: FileIdentity
  private let path: LocalPath
  private let descriptor: CInt

  /// Opens a regular file; refuses everything else, because opening a pipe or a device may block or have side effects.
  init(_ path: LocalPath) throws(ImageError) {
    try Self.requireFile(Self.status(of: path), path)
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    guard descriptor >= 0 else { throw Self.failure(errno, path) }
    do throws(ImageError) {
      let status = try Self.status(of: descriptor, path)
      // The file may have been replaced after the first check.
      try Self.requireFile(status, path)
      identity = FileIdentity(status)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The identity of the file at a path; nil when there is no regular file.
  static func identity(at path: LocalPath) -> FileIdentity? {
    guard let status = try? status(of: path), isFile(status) else { return nil }
    return FileIdentity(status)
  }

  /// Reads all bytes into memory.
  func contents(_ cancellation: Cancellation) throws -> ImageBytes {
    guard identity.size > 0 else { return ImageBytes([]) }
    guard let buffer = BufferPool.shared.buffer(ofAtLeast: identity.size) else {
      throw ImageError.exhausted(
        "There is no memory for the \(identity.size) bytes of \(path.text).", subject: path.text)
    }
    var done = 0
    while done < identity.size {
      if cancellation.isCancelled { throw CancellationError() }
      let wanted = min(Self.partSize, identity.size - done)
      let got = pread(descriptor, buffer.bytes.baseAddress! + done, wanted, off_t(done))
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw Self.failure(errno, path) }
      guard got > 0 else {
        throw ImageError(
          .truncatedBody, "\(path.text) had \(identity.size) bytes, but now it ends at \(done).", subject: path.text)
      }
      done += got
    }
    return ImageBytes(buffer, count: done)
  }

  /// Throws when the file was changed after it was opened.
  func requireUnchanged() throws(ImageError) {
    guard FileIdentity(try Self.status(of: descriptor, path)) == identity else { throw Self.change(of: path) }
  }

  static func change(of path: LocalPath) -> ImageError {
    ImageError(
      .truncatedBody, "\(path.text) was changed after the request was made. Make a new request.",
      subject: path.text)
  }

  private static func status(of path: LocalPath) throws(ImageError) -> stat {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { throw failure(errno, path) }
    return status
  }

  private static func status(of descriptor: CInt, _ path: LocalPath) throws(ImageError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
    return status
  }

  private static func isFile(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

  private static func requireFile(_ status: stat, _ path: LocalPath) throws(ImageError) {
    guard !isFile(status) else { return }
    let kind =
      switch status.st_mode & S_IFMT {
      case S_IFDIR: "a directory"
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
    throw ImageError(.invalidURL, "\(path.text) is \(kind), not a file.", subject: path.text)
  }

  private static func failure(_ code: CInt, _ path: LocalPath) -> ImageError {
    let cause = SystemError(code: code)
    let message =
      switch code {
      case ENOENT, ENOTDIR: "There is no file \(path.text)."
      case EACCES, EPERM: "This process may not read the file \(path.text)."
      default: "The file \(path.text) cannot be read: \(cause)."
      }
    return ImageError(.invalidURL, message, subject: path.text, cause: cause)
  }
}
