import Foundation

/// Runs programs.
///
/// Their output goes to files, because a server that outlives them could keep a pipe open.
enum Child {
  struct Outcome {
    let status: Int32
    let wasKilled: Bool
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The lines parsed as JSON objects; throws for any other line.
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

    /// The code's name in the only error.
    func errorCode() throws -> String? { (try object()["error"] as? [String: Any])?["code"] as? String }
  }

  static func run(
    _ words: [String], input: Data = Data(), output: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Outcome {
    try Scratch.with { scratch in
      try input.write(to: scratch.url("in"))
      let outputPath = output ?? scratch.path("out")
      let status = try spawn(
        words, environment,
        files: [
          (0, scratch.path("in"), O_RDONLY), (1, outputPath, O_WRONLY | O_CREAT),
          (2, scratch.path("err"), O_WRONLY | O_CREAT),
        ])
      return Outcome(
        status: status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F, wasKilled: status & 0x7F != 0,
        output: output == nil ? try scratch.data("out") : Data(),
        errors: String(decoding: try scratch.data("err"), as: UTF8.self))
    }
  }

  /// The status in the form of `waitpid`.
  private static func spawn(
    _ words: [String], _ environment: [String: String], files: [(Int32, String, Int32)]
  ) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, path, flags) in files {
      posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
    }
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, words[0], &actions, nil, arguments, variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status
  }
}
