import Foundation

/// A file system in memory that is soon full, can be made read-only, and is unmounted with this object.
public final class SmallFileSystem: Sendable {
  private let path: String

  /// Mounts a file system of this size; `files` limits the number of files.
  public init(at path: String, size: String, files: Int? = nil) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let options = "mode=700,size=\(size)" + (files.map { ",nr_inodes=\($0)" } ?? "")
    guard Self.command("mount", ["-t", "tmpfs", "-o", options, "easel", path]) else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  deinit { _ = Self.command("umount", ["-l", path]) }

  /// Makes the file system read-only.
  public func makeReadOnly() throws {
    guard Self.command("mount", ["-o", "remount,ro", path]) else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Fills all free space.
  public func fill() throws {
    let descriptor = open("\(path)/filler", O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    let zeros = [UInt8](repeating: 0, count: 4096)
    while write(descriptor, zeros, zeros.count) > 0 {}
  }

  /// Creates files until no more fit.
  public func takeAllFiles() {
    var number = 0
    var descriptor: CInt = 0
    while descriptor >= 0 {
      descriptor = open("\(path)/filler-\(number)", O_WRONLY | O_CREAT, 0o600)
      if descriptor >= 0 { close(descriptor) }
      number += 1
    }
  }

  /// The reason why tests that need a small file system are skipped.
  public static let whyNot = "only root, where mounting is allowed, can make a small file system"

  /// True when this process may mount a file system.
  public static let isPossible: Bool = {
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
