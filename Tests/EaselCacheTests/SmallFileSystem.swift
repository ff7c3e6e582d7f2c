import Foundation

/// A file system in memory that is soon full, and can be made read-only; it is gone with this object.
final class SmallFileSystem {
  private let path: String

  init(at path: String, size: String) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard Self.command("mount", ["-t", "tmpfs", "-o", "size=\(size)", "easel", path]) else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  deinit { _ = Self.command("umount", ["-l", path]) }

  func makeReadOnly() throws {
    guard Self.command("mount", ["-o", "remount,ro", path]) else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Takes all the room that is left.
  func fill() throws {
    let descriptor = open("\(path)/filler", O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    let zeros = [UInt8](repeating: 0, count: 4096)
    while write(descriptor, zeros, zeros.count) > 0 {}
  }

  /// Whether this process may mount one.
  static let isPossible: Bool = {
    let path = FileManager.default.temporaryDirectory.path + "/easel-mount-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    return geteuid() == 0 && (try? SmallFileSystem(at: path, size: "1m")) != nil
  }()

  private static func command(_ name: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/\(name)")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
