import EaselCore
import Glibc

/// A file that appears complete or not at all.
///
/// Anything other than a regular file, such as a pipe, is written directly.
final class OutputFile {
  private enum Place {
    /// Written directly.
    case direct
    /// Given its final name once complete.
    case hidden(temporary: String?, final: String)
  }

  let name: String
  private let place: Place
  private let descriptor: Int32
  private var isOver = false

  /// Opens the file of a path; `-` is standard output.
  init(_ path: String) throws(ImageError) {
    name = path
    if path == "-" {
      descriptor = dup(STDOUT_FILENO)
      place = .direct
      guard descriptor >= 0 else { throw Self.failure("write to", path, errno) }
      return
    }
    let target = Self.target(of: path)
    var status = stat()
    let exists = stat(target, &status) == 0
    if exists && status.st_mode & S_IFMT == S_IFDIR { throw Self.failure("write to", path, EISDIR) }
    if exists && status.st_mode & S_IFMT != S_IFREG {
      descriptor = open(target, O_WRONLY | O_CLOEXEC)
      place = .direct
    } else if exists && access(target, W_OK) != 0 {
      throw Self.failure("write to", path, errno)
    } else {
      (descriptor, place) = Self.openHidden(target)
    }
    guard descriptor >= 0 else { throw Self.failure("write to", path, errno) }
    if exists, case .hidden = place { fchmod(descriptor, status.st_mode & 0o777) }
  }

  deinit {
    close(descriptor)
    if !isOver, case .hidden(let temporary?, _) = place { unlink(temporary) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0 {
        let code = errno
        if code == EINTR { continue }
        if name == "-" { BrokenPipe.endProgram(after: code) }
        throw Self.failure("write to", name, code)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Gives the file its final name.
  func finish() throws(ImageError) {
    defer { isOver = true }
    guard case .hidden(let temporary, let final) = place else { return }
    var source = temporary
    if source == nil {
      let made = Self.temporaryName(for: final)
      guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, made, AT_SYMLINK_FOLLOW) == 0 else {
        throw Self.failure("make", name, errno)
      }
      source = made
    }
    guard rename(source!, final) == 0 else {
      let code = errno
      unlink(source!)
      throw Self.failure("make", name, code)
    }
  }

  /// Writes all bytes to the file of a path.
  static func write(_ bytes: ImageBytes, to path: String) throws {
    let file = try OutputFile(path)
    try bytes.withUnsafeBytes { try file.write($0) }
    try file.finish()
  }

  /// Makes a directory and any missing parents.
  static func makeDirectory(_ path: String) throws(ImageError) {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else { throw failure("make the directory", path, ENOTDIR) }
      return
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    var made = path.hasPrefix("/") ? "" : "."
    for part in parts {
      made += "/" + part
      guard mkdir(made, 0o777) == 0 || errno == EEXIST else { throw failure("make the directory", path, errno) }
    }
  }

  /// Opens a file without a name if the system supports it, so that nothing remains if the program is killed.
  private static func openHidden(_ target: String) -> (Int32, Place) {
    let nameless = open(directory(of: target), O_WRONLY | O_CLOEXEC | O_TMPFILE, 0o666)
    if nameless >= 0 { return (nameless, .hidden(temporary: nil, final: target)) }
    let temporary = temporaryName(for: target)
    let named = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    return (named, .hidden(temporary: temporary, final: target))
  }

  private static let O_TMPFILE: Int32 = 0o20000000 | O_DIRECTORY

  private static func temporaryName(for target: String) -> String {
    "\(directory(of: target))/.easel-\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The target of a symbolic link, so that the link remains.
  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func failure(_ action: String, _ path: String, _ code: Int32) -> ImageError {
    ImageError(
      .encodeFailed, "Could not \(action) \(path): \(SystemError(code: code)).", subject: path,
      cause: SystemError(code: code))
  }
}
