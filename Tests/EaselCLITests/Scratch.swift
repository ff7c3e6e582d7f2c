import Foundation

/// A directory that is deleted after use.
struct Scratch {
  let directory: URL

  static func with<Result>(_ body: (Scratch) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("easel-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(Scratch(directory: directory))
  }

  func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

  func path(_ name: String) -> String { url(name).path }

  func data(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  /// Writes bytes and returns the path.
  func write(_ data: Data, _ name: String) throws -> String {
    try data.write(to: url(name))
    return path(name)
  }
}
