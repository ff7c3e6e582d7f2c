import Foundation

/// Runs the built program as a stranger would.
enum EaselProcess {
  struct Outcome {
    let status: Int32
    let wasKilled: Bool
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The lines as JSON objects; a line that is none throws.
    func objects() throws -> [[String: Any]] {
      try lines.map { line in
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try (value as? [String: Any]) ?? { throw CocoaError(.coderInvalidValue) }()
      }
    }

    func object() throws -> [String: Any] {
      let all = try objects()
      guard all.count == 1 else { throw CocoaError(.coderInvalidValue) }
      return all[0]
    }

    /// The name of the code of the only error.
    func errorCode() throws -> String? { (try object()["error"] as? [String: Any])?["code"] as? String }
  }

  static let path: String = {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folders = [tests, CommandLine.arguments[0]].compactMap { $0 }.map {
      URL(fileURLWithPath: $0).deletingLastPathComponent()
    }
    return folders.map { $0.appendingPathComponent("easel").path }
      .first(where: FileManager.default.isExecutableFile) ?? "easel-was-not-built"
  }()

  // Files take what it says: a pipe that nobody empties would stop it.
  static func run(
    _ arguments: [String], input: Data = Data(), environment: [String: String] = [:], in directory: String? = nil
  ) throws -> Outcome {
    try Scratch.with { scratch in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: path)
      process.arguments = arguments
      // How whoever runs the tests likes colours is not to matter.
      process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "NO_COLOR" }
        .merging(environment) { $1 }
      if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
      try input.write(to: scratch.url("in"))
      try Data().write(to: scratch.url("out"))
      try Data().write(to: scratch.url("err"))
      process.standardInput = try FileHandle(forReadingFrom: scratch.url("in"))
      process.standardOutput = try FileHandle(forWritingTo: scratch.url("out"))
      process.standardError = try FileHandle(forWritingTo: scratch.url("err"))
      try process.run()
      process.waitUntilExit()
      return Outcome(
        status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
        output: try Data(contentsOf: scratch.url("out")),
        errors: String(decoding: try Data(contentsOf: scratch.url("err")), as: UTF8.self))
    }
  }
}
