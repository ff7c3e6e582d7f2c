import Easel

@testable import EaselCLI

/// Reads settings from places that a test makes up.
struct ServeBench {
  var words: [String] = []
  var environment: [String: String] = [:]
  var files: [String: String] = [:]
  var folders: Set<String> = []
  /// The files that every user can read.
  var openFiles: Set<String> = []
  /// The memory that the system allows.
  var memoryLimit: Int?

  static let description = CommandDescription(
    name: "serve", summary: "Serve pictures.", operands: .none, details: ServeTable.details,
    options: ServeTable.options, examples: [])

  /// The least that makes valid settings.
  static func unsafe(_ words: String...) -> ServeBench { ServeBench(words: ["--unsafe"] + words) }

  /// Settings in a file, beside the least that is needed.
  static func file(_ text: String) -> ServeBench {
    ServeBench(words: ["--unsafe", "--config", "easel.conf"], files: ["easel.conf": text])
  }

  /// Reads the settings, of a server that runs with a configuration if there is one.
  func read(replacing present: ServeConfiguration? = nil) throws -> ServeConfiguration {
    let arguments = try ArgumentParser(Self.description).parse(words)
    return try ServeConfiguration(
      arguments,
      ServeSystem(
        environment: environment,
        text: { [files] path in
          files[path].map { .success($0) }
            ?? .failure(ServeMistake("\(path) cannot be read: No such file or directory."))
        },
        isFolder: { [folders] in folders.contains($0) }, isFile: { [files] in files[$0] != nil },
        isOpenToAll: { [openFiles] in openFiles.contains($0) },
        memoryLimit: { [memoryLimit] in memoryLimit }), replacing: present)
  }

  func settings() throws -> ServeSettings { try read().settings }

  /// The mistakes; empty if the settings are valid.
  func mistakes() -> [String] {
    do {
      _ = try read()
      return []
    } catch let error as ServeMistakes {
      return error.messages
    } catch {
      return ["\(error)"]
    }
  }
}
