import FoundationEssentials
import Glibc

/// A program built with the tests, for behaviour that needs a separate process.
package enum ProgramBesideTests {
  /// The path of an executable target; nil if it was not built.
  package static func path(_ name: String) -> String? {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folders = [tests, CommandLine.arguments[0]].compactMap {
      $0.map { URL(filePath: $0).deletingLastPathComponent() }
    }
    return folders.map { $0.appending(path: name).path }.first { access($0, X_OK) == 0 }
  }
}
