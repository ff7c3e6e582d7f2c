import CEaselDisk
import EaselCore
import Glibc

/// The large bodies of a store: files in 256 folders, each written whole before it gets its name.
struct BodyFiles: Sendable {
  let directory: String

  /// A file's name: the row that it belongs to, and a number that no other body of that row had.
  struct Name: Hashable {
    var id: Int64
    var number: Int64

    var text: String { Self.digits(id) + "-" + Self.digits(number) }

    init(id: Int64, number: Int64) {
      self.id = id
      self.number = number
    }

    init?(_ text: String) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 16 }), let id = UInt64(parts[0], radix: 16),
        let number = UInt64(parts[1], radix: 16)
      else { return nil }
      self.init(id: Int64(bitPattern: id), number: Int64(bitPattern: number))
    }

    private static func digits(_ number: Int64) -> String {
      withUnsafeBytes(of: UInt64(bitPattern: number).bigEndian) { hexadecimal($0) }
    }
  }

  /// A body that is written and has no name yet; it disappears with the process.
  final class Unnamed {
    fileprivate let descriptor: CInt
    /// Where the system has no files without names, it is a file of this path.
    fileprivate var path: String?

    fileprivate init(_ descriptor: CInt, path: String?) {
      self.descriptor = descriptor
      self.path = path
    }

    deinit {
      close(descriptor)
      if let path { unlink(path) }
    }
  }

  /// Writes a body aside.
  func write(_ bytes: UnsafeRawBufferPointer, for name: Name) throws(SystemError) -> Unnamed {
    let folder = folder(name.id)
    let file = try open(in: folder, name)
    var done = 0
    while done < bytes.count {
      let count = Glibc.write(file.descriptor, bytes.baseAddress! + done, bytes.count - done)
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw SystemError(code: count == 0 ? ENOSPC : errno)
      }
    }
    return file
  }

  /// Gives a body its name; from then on only a row of the database keeps it from being swept away.
  func place(_ file: Unnamed, as name: Name) throws(SystemError) {
    let path = path(name)
    if let temporary = file.path {
      guard rename(temporary, path) == 0 else { throw SystemError(code: errno) }
      file.path = nil
    } else {
      guard easel_disk_name(file.descriptor, path) == 0 else { throw SystemError(code: errno) }
    }
  }

  /// A body, nil when its file is not there or not of this length.
  static func read(_ path: String, count: Int) -> PooledBuffer? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == count,
      let buffer = BufferPool.shared.buffer(ofAtLeast: count)
    else { return nil }
    var done = 0
    while done < count {
      let got = Glibc.read(descriptor, buffer.bytes.baseAddress! + done, count - done)
      if got > 0 { done += got } else if got == 0 || errno != EINTR { return nil }
    }
    return buffer
  }

  func remove(_ name: Name) { unlink(path(name)) }

  /// The names in one of the 256 folders; what is no body's name is a leftover, and its path is handed to `leftover`.
  func names(inFolder number: Int, leftover: (String) -> Void) -> [Name] {
    let folder = folder(Int64(bitPattern: UInt64(number) << 56))
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [Name] = []
    while let entry = readdir(stream) {
      let text = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if text == "." || text == ".." { continue }
      if let name = Name(text) { names.append(name) } else { leftover("\(folder)/\(text)") }
    }
    return names
  }

  private func open(in folder: String, _ name: Name) throws(SystemError) -> Unnamed {
    var code: CInt = 0
    for _ in 0..<2 {
      let descriptor = easel_disk_open_unnamed(folder)
      if descriptor >= 0 { return Unnamed(descriptor, path: nil) }
      code = errno
      if code == EOPNOTSUPP || code == EISDIR || code == EINVAL {
        let path = path(name) + ".new"
        let named = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if named >= 0 { return Unnamed(named, path: path) }
        code = errno
      }
      guard code == ENOENT else { break }
      mkdir(directory, 0o700)
      if mkdir(folder, 0o700) != 0, errno != EEXIST {
        code = errno
        break
      }
    }
    throw SystemError(code: code)
  }

  private func folder(_ id: Int64) -> String { "\(directory)/" + hexadecimal([UInt8(UInt64(bitPattern: id) >> 56)]) }

  func path(_ name: Name) -> String { "\(folder(name.id))/\(name.text)" }
}
