import EaselCore
import FoundationEssentials
import Glibc

/// A directory that is deleted after the test, with operations on its files.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = "\(FileManager.default.temporaryDirectory.path)/easel-local-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The URL of a name; every byte except letters, digits and dots is escaped.
  func url(_ name: String) -> URL { url(Array(name.utf8)) }

  func url(_ name: [UInt8]) -> URL {
    let escaped = name.map { byte in
      let character = Character(UnicodeScalar(byte))
      guard character.isASCII, character.isLetter || character.isNumber || character == "." else {
        return (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
      return String(character)
    }
    return URL(string: "file://\(path)/\(escaped.joined())")!
  }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> URL {
    try write(bytes, to: Array(name.utf8))
    return url(name)
  }

  /// Writes to the file of that name; an existing file keeps its identity.
  func write(_ bytes: [UInt8], to name: [UInt8]) throws {
    let file = open(raw(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw SystemError(code: errno) }
    defer { close(file) }
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw SystemError(code: errno) }
  }

  func truncate(_ name: String, to count: Int) throws {
    guard Glibc.truncate("\(path)/\(name)", off_t(count)) == 0 else { throw SystemError(code: errno) }
  }

  /// Sets the time of a file's last change, to the nanosecond.
  func setModified(_ name: String, seconds: Int, nanoseconds: Int) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    guard utimensat(AT_FDCWD, "\(path)/\(name)", [time, time], 0) == 0 else { throw SystemError(code: errno) }
  }

  func rename(_ name: String, to other: String) throws {
    guard Glibc.rename("\(path)/\(name)", "\(path)/\(other)") == 0 else { throw SystemError(code: errno) }
  }

  func remove(_ name: String) throws {
    guard unlink("\(path)/\(name)") == 0 else { throw SystemError(code: errno) }
  }

  private func raw(_ name: [UInt8]) -> [CChar] {
    (Array("\(path)/".utf8) + name + [0]).map { CChar(bitPattern: $0) }
  }
}
