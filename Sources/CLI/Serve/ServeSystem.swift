import Easel
import EaselSupport
import FoundationEssentials
import Glibc

/// The parts of the system that the settings are read from.
struct ServeSystem: Sendable {
  var environment: [String: String]
  /// The text of a file, or the reason why it cannot be read.
  var text: @Sendable (_ path: String) -> Result<String, ServeMistake>
  /// True for a directory that can be read.
  var isFolder: @Sendable (_ path: String) -> Bool
  /// True for a file that can be read.
  var isFile: @Sendable (_ path: String) -> Bool
  /// True for a file that every user of the machine can read.
  var isOpenToAll: @Sendable (_ path: String) -> Bool = { _ in false }
  /// The memory that the system allows to the process; nil for no limit.
  var memoryLimit: @Sendable () -> Int? = { nil }

  /// The machine on which the program runs.
  static var real: ServeSystem {
    ServeSystem(
      environment: ProcessInfo.processInfo.environment, text: readText,
      isFolder: { path in kind(path) == S_IFDIR && access(path, R_OK | X_OK) == 0 },
      isFile: { path in kind(path) == S_IFREG && access(path, R_OK) == 0 },
      isOpenToAll: canAllRead,
      memoryLimit: { [ControlGroupMemory()?.limitBytes, dataLimit].compactMap { $0 }.min() })
  }

  /// The limit on the memory that the process may write to (`ulimit -d`).
  private static var dataLimit: Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
      return nil
    }
    return Int(clamping: limit.rlim_cur)
  }

  private static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// All can read a file if they may read it and pass each folder on the way to it.
  private static func canAllRead(_ path: String) -> Bool {
    guard let whole = realpath(path, nil) else { return false }
    defer { free(whole) }
    var rest = String(cString: whole)
    var status = stat()
    guard stat(rest, &status) == 0, status.st_mode & S_IROTH != 0 else { return false }
    while let slash = rest.lastIndex(of: "/"), rest != "/" {
      rest = slash == rest.startIndex ? "/" : String(rest[..<slash])
      guard stat(rest, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
    }
    return true
  }

  private static func readText(_ path: String) -> Result<String, ServeMistake> {
    let shown = printable(path)
    // Not to wait for a writer if the path is a pipe.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      return .failure(ServeMistake("\(shown) cannot be read: \(String(cString: strerror(errno)))."))
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= ConfigurationFile.mostBytes {
      let count = read(file, &room, room.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else {
        return .failure(ServeMistake("\(shown) cannot be read: \(String(cString: strerror(errno)))."))
      }
      if count == 0 { break }
      bytes += room.prefix(count)
    }
    guard bytes.count <= ConfigurationFile.mostBytes else {
      return .failure(ServeMistake("\(shown) is larger than \(ConfigurationFile.mostBytes) bytes and so no such file."))
    }
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      return .failure(ServeMistake("\(shown) is not a text in UTF-8."))
    }
    return .success(text)
  }
}
