import EaselCore
import EaselSupport
import Glibc

/// A file that appears complete or not at all.
///
/// Anything except a regular file, such as a pipe, is written directly.
final class OutputFile {
  private enum Place {
    /// The bytes are written directly to the path.
    case direct
    /// The file gets its final name once it is complete.
    case hidden(temporary: String?, final: String)
  }

  let name: String
  private let place: Place
  private let mayReplace: Bool
  private let descriptor: Int32
  private var isOver = false

  // The lock prevents that a file gets its name while the program ends; see `removeIncompleteFiles`.
  private static let naming = Locked(())
  /// The names of incomplete files, on systems without nameless files.
  private static let temporaries = Locked<Set<String>>([])

  /// Opens the file of a path; `-` is standard output.
  ///
  /// Unless `mayReplace` is true, an existing file is an error, even if it appears before this file is complete. `mode` is
  /// what others may do with the file; by default it follows the file that was there, or the mask of the process.
  init(_ path: String, mayReplace: Bool, mode: mode_t? = nil) throws(ImageError) {
    name = path
    self.mayReplace = mayReplace
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
    if exists && status.st_mode & S_IFMT == S_IFREG && !mayReplace { throw ExistingFiles.refusal(of: path) }
    if exists && status.st_mode & S_IFMT != S_IFREG {
      descriptor = open(target, O_WRONLY | O_CLOEXEC)
      place = .direct
    } else if exists && access(target, W_OK) != 0 {
      throw Self.failure("write to", path, errno)
    } else {
      (descriptor, place) = Self.openHidden(target)
    }
    guard descriptor >= 0 else { throw Self.failure("write to", path, errno) }
    if exists, case .hidden = place {
      // The file keeps its owner if the system allows this.
      _ = fchown(descriptor, status.st_uid, status.st_gid)
      fchmod(descriptor, status.st_mode & 0o777)
    }
    if let mode { fchmod(descriptor, mode) }
  }

  deinit {
    close(descriptor)
    if !isOver, case .hidden(let temporary?, _) = place { Self.remove(temporary) }
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
    let code = Self.naming.withLock { _ -> Int32 in
      guard mayReplace || temporary != nil else { return Self.link(nameless: descriptor, to: final) }
      var source = temporary
      if source == nil {
        let made = Self.temporaryName(for: final)
        let code = Self.link(nameless: descriptor, to: made)
        guard code == 0 else { return code }
        source = made
      }
      let code = mayReplace ? rename(source!, final) == 0 ? 0 : errno : Self.move(source!, toFree: final)
      Self.remove(source!)
      return code
    }
    guard code == 0 else { throw code == EEXIST ? ExistingFiles.refusal(of: name) : Self.failure("make", name, code) }
  }

  /// Removes incomplete files, and then runs `end`, which must end the program.
  ///
  /// The lock ensures that no thread is just renaming a file.
  static func removeIncompleteFiles(andThen end: () -> Void) {
    naming.withLock { _ in
      for path in temporaries.withLock({ $0 }) { unlink(path) }
      end()
    }
  }

  /// Gives a nameless file a free name; returns the error's number, or 0.
  private static func link(nameless descriptor: Int32, to path: String) -> Int32 {
    linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
  }

  /// Gives a file a second, free name; returns the error's number, or 0.
  private static func move(_ source: String, toFree path: String) -> Int32 {
    guard Glibc.link(source, path) != 0 else { return 0 }
    // Some file systems do not support second names.
    guard errno == EPERM else { return errno }
    guard access(path, F_OK) != 0 else { return EEXIST }
    return rename(source, path) == 0 ? 0 : errno
  }

  private static func remove(_ temporary: String) {
    unlink(temporary)
    temporaries.withLock { _ = $0.remove(temporary) }
  }

  /// Writes all bytes to the file at a path.
  static func write(_ bytes: ImageBytes, to path: String, mayReplace: Bool) throws {
    let file = try OutputFile(path, mayReplace: mayReplace)
    try bytes.withUnsafeBytes { try file.write($0) }
    try file.finish()
  }

  /// Makes the directory of a file, and any missing parents.
  static func makeDirectory(of path: String) throws(ImageError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    try makeDirectory(String(path[..<slash]))
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

  /// Opens a nameless file if the system supports it, so that nothing remains if the program is killed.
  private static func openHidden(_ target: String) -> (Int32, Place) {
    let nameless = open(directory(of: target), O_WRONLY | O_CLOEXEC | O_TMPFILE, 0o666)
    if nameless >= 0 { return (nameless, .hidden(temporary: nil, final: target)) }
    let temporary = temporaryName(for: target)
    temporaries.withLock { _ = $0.insert(temporary) }
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
