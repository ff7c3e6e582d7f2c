import FoundationEssentials
import Glibc

/// A directory that is deleted after the test.
package final class TemporaryDirectory {
  package let path: String

  package init() throws {
    let base = FileManager.default.temporaryDirectory.path
    path = "\(base)/easel-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }
}
