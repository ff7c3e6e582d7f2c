import EaselTestSupport
import Foundation

/// A process that works on a directory beside the tests.
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

  /// Waits until it has said something.
  func waitForLine() { _ = output.fileHandleForReading.availableData }

  /// Kills the process once it has said this much; returns all that it said.
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
    // A line that was cut off in the middle says nothing.
    return String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  func waitForSuccess() -> Bool {
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }
}
