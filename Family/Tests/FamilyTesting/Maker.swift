import Foundation

/// A directory in which other programs make documents; it is deleted after use.
package struct Maker {
  package let folder: URL

  package static func with<Result>(_ body: (Maker) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("easel-pdf-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(Maker(folder: folder))
  }

  package func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  package func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }

  @discardableResult package func write(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    return path(name)
  }

  package struct Outcome: Sendable {
    package let status: Int32
    package let output: Data
    package let errors: String
  }

  /// Runs a program of the system, found by its name, in the directory.
  @discardableResult package func run(_ words: String...) throws -> Outcome { try Self.run(words, in: folder) }

  /// A program has failed.
  package struct Failure: Error {
    let words: [String]
    let errors: String
  }

  /// Runs a program that must succeed.
  package func make(_ words: String...) throws { try make(words) }

  package func make(_ words: [String]) throws {
    let outcome = try Self.run(words, in: folder)
    guard outcome.status == 0 else { throw Failure(words: words, errors: outcome.errors) }
  }

  package static func run(_ words: [String], in folder: URL? = nil) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    let (output, errors) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, errors)
    try process.run()
    let written = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: written, errors: String(decoding: complaints, as: UTF8.self))
  }
}
