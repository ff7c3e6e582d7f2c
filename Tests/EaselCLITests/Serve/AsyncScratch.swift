import Foundation

/// A directory for tests that wait.
struct AsyncScratch: Sendable {
  let directory: URL

  var path: String { directory.path }

  static func with(_ body: (AsyncScratch) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("es-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(AsyncScratch(directory: directory))
  }

  func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

  func path(_ name: String) -> String { url(name).path }

  /// An address in which `FOLDER` stands for this directory.
  func filled(_ address: String) -> String { address.replacing("FOLDER", with: directory.path) }
}
