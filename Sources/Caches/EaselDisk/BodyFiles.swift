import CEaselDisk
import EaselCore
import EaselSupport
import Glibc

/// The large bodies of a store: files in 256 folders, each of which is complete before it gets its name.
struct BodyFiles: Sendable {
  let directory: CacheDirectory

  /// The name of a file: the id of its row, and a number that no other body of that row ever gets.
  struct Name: Hashable {
    var id: Int64
    var number: Int64

    var text: String { Self.digits(id) + "-" + Self.digits(number) }

    /// The path of the file inside the directory of the store.
    var path: String { "\(BodyFiles.folder(id))/\(text)" }

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

  /// One of the folders, held open.
  ///
  /// A link is not opened. A folder is refused unless this user or root owns it and nobody else may write it.
  final class Folder {
    let descriptor: CInt

    fileprivate init(_ descriptor: CInt) throws(SystemError) {
      self.descriptor = descriptor
      var status = stat()
      guard fstat(descriptor, &status) == 0, CacheDirectory.isOwnFolder(status) else {
        throw SystemError(code: EPERM)
      }
    }

    deinit { close(descriptor) }

    /// Removes a file; returns true when it existed.
    @discardableResult
    func remove(_ name: String) -> Bool { unlinkat(descriptor, name, 0) == 0 }

    /// Removes a file if it is older than an hour; the writer of a younger file may still need it.
    func removeOld(_ name: String) {
      var status = stat()
      guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, time(nil) - status.st_mtim.tv_sec > 3600
      else { return }
      remove(name)
    }

    /// Lists the names of all files.
    ///
    /// Names that do not belong to bodies are leftovers.
    func names() -> (bodies: [Name], leftovers: [String]) {
      // Reading a directory moves the position of its descriptor, so the stream gets another descriptor.
      let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard own >= 0 else { return ([], []) }
      guard let stream = fdopendir(own) else {
        close(own)
        return ([], [])
      }
      defer { closedir(stream) }
      var (bodies, leftovers): ([Name], [String]) = ([], [])
      while let entry = readdir(stream) {
        let text = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if text == "." || text == ".." { continue }
        if let name = Name(text) { bodies.append(name) } else { leftovers.append(text) }
      }
      return (bodies, leftovers)
    }
  }

  /// A body that is written but has no name yet; it disappears if the process ends.
  final class Unnamed {
    fileprivate let descriptor: CInt
    fileprivate let folder: Folder
    /// The temporary name; nil when the system supports files without names.
    fileprivate var name: String?

    fileprivate init(_ descriptor: CInt, in folder: Folder, name: String?) {
      self.descriptor = descriptor
      self.folder = folder
      self.name = name
    }

    deinit {
      close(descriptor)
      if let name { folder.remove(name) }
    }
  }

  /// Writes a body to an unnamed file.
  func write(_ bytes: UnsafeRawBufferPointer, for name: Name) throws(SystemError) -> Unnamed {
    let file = try make(name)
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

  /// Gives a body its name.
  ///
  /// After that, the next trim removes the file unless a row of the database refers to it.
  func place(_ file: Unnamed, as name: Name) throws(SystemError) {
    let folder = file.folder.descriptor
    if let temporary = file.name {
      guard renameat(folder, temporary, folder, name.text) == 0 else { throw SystemError(code: errno) }
      file.name = nil
    } else {
      guard easel_disk_name(file.descriptor, folder, name.text) == 0 else { throw SystemError(code: errno) }
    }
  }

  /// Reads a body by its path in the directory; returns nil when the file is missing, has another length or is not
  /// trusted.
  ///
  /// Throws when the file may exist, but cannot be read now.
  func read(_ path: String, count: Int) throws(SystemError) -> PooledBuffer? {
    // The file is opened without blocking, because the path may lead to a pipe.
    let file = easel_disk_open_below(directory.descriptor, path, O_RDONLY | O_NONBLOCK, 0)
    guard file >= 0 else {
      guard !Self.saysNothing(errno) else { throw SystemError(code: errno) }
      return nil
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw SystemError(code: errno) }
    guard CacheDirectory.reasonAgainst(status) == nil, Int(status.st_size) == count else { return nil }
    guard let buffer = BufferPool.shared.buffer(ofAtLeast: count) else { throw SystemError(code: ENOMEM) }
    var done = 0
    while done < count {
      let got = Glibc.read(file, buffer.bytes.baseAddress! + done, count - done)
      if got > 0 {
        done += got
      } else if got == 0 {
        return nil
      } else if errno != EINTR {
        throw SystemError(code: errno)
      }
    }
    return buffer
  }

  /// True for errors that say nothing about the file, because the process or the system lacks a resource at the moment.
  private static func saysNothing(_ code: CInt) -> Bool {
    [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, EIO, ENOBUFS].contains(code)
  }

  /// Removes a body; returns true when it existed.
  @discardableResult
  func remove(_ name: Name) -> Bool { (try? openFolder(Self.folder(name.id)).remove(name.text)) ?? false }

  /// Opens one of the 256 folders; returns nil when it is missing or not trusted.
  func folder(number: Int) -> Folder? { try? openFolder(Self.folder(Int64(bitPattern: UInt64(number) << 56))) }

  /// Removes every body.
  func removeAll() {
    for number in 0..<256 {
      guard let folder = folder(number: number) else { continue }
      for name in folder.names().bodies { folder.remove(name.text) }
    }
  }

  private func make(_ name: Name) throws(SystemError) -> Unnamed {
    do {
      return try makeInExistingFolder(name)
    } catch {
      guard error.code == ENOENT else { throw error }
      try makeFolder(for: name)
      return try makeInExistingFolder(name)
    }
  }

  private func makeInExistingFolder(_ name: Name) throws(SystemError) -> Unnamed {
    let folder = try openFolder(Self.folder(name.id))
    let descriptor = easel_disk_open_unnamed(folder.descriptor)
    if descriptor >= 0 { return Unnamed(descriptor, in: folder, name: nil) }
    guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else { throw SystemError(code: errno) }
    let temporary = name.text + ".new"
    let named = openat(folder.descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard named >= 0 else { throw SystemError(code: errno) }
    return Unnamed(named, in: folder, name: temporary)
  }

  private func makeFolder(for name: Name) throws(SystemError) {
    mkdirat(directory.descriptor, Self.parent, 0o700)
    let parent = try openFolder(Self.parent)
    let path = Self.folder(name.id)
    guard mkdirat(parent.descriptor, String(path.dropFirst(Self.parent.count + 1)), 0o700) == 0 || errno == EEXIST
    else {
      throw SystemError(code: errno)
    }
  }

  private func openFolder(_ path: String) throws(SystemError) -> Folder {
    let descriptor = easel_disk_open_folder_below(directory.descriptor, path)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    return try Folder(descriptor)
  }

  private static let parent = "bodies"

  private static func folder(_ id: Int64) -> String {
    "\(parent)/" + hexadecimal([UInt8(UInt64(bitPattern: id) >> 56)])
  }
}
