import EaselCore
import FoundationEssentials

/// Writes bytes to a file for code that must read them from a file.
enum SampleFile {
  /// Calls `body` with the bytes in a file, then deletes the file.
  static func with<Result>(_ bytes: [UInt8], _ body: (ImageBytes) throws -> Result) throws -> Result {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("easel-sample-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(ImageBytes(contentsOfFile: file.path))
  }

  /// Calls `body` with the bytes in a file, then deletes the file.
  static func with<Result>(
    _ bytes: [UInt8], awaiting body: (ImageBytes) async throws -> Result
  ) async throws -> Result {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("easel-sample-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(ImageBytes(contentsOfFile: file.path))
  }
}
