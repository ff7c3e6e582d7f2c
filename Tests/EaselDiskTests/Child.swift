import EaselTestSupport
import Foundation

/// A process that uses a directory at the same time as the tests.
final class Child {
  private let process = Process()
  private let output = Pipe()

  init(_ arguments: [String]) throws {
    guard let path = ProgramBesideTests.path("EaselDiskChild") else { throw CocoaError(.fileNoSuchFile) }
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  var number: Int32 { process.processIdentifier }

  /// Waits until the process has printed something.
  func waitForLine() { _ = output.fileHandleForReading.availableData }

  /// Kills the process once it has printed this many bytes; returns its output as lines.
  func kill(afterBytes count: Int) -> [String] {
    var said = Data()
    while said.count < count {
      let chunk = output.fileHandleForReading.availableData
      if chunk.isEmpty { break }
      said += chunk
    }
    Foundation.kill(process.processIdentifier, SIGKILL)
    said += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // The last line may be incomplete and is dropped.
    return String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  func waitForSuccess() -> Bool {
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }
}
