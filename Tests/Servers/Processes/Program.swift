import Foundation

/// The installed programs, by name.
enum Program {
  /// The path of a program; nil if it is not installed.
  static func path(_ name: String) -> String? {
    let listed = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    // Debian keeps servers in directories that are not in a user's PATH.
    let directories = listed + ["/usr/sbin", "/usr/local/sbin", "/usr/bin"]
    return directories.map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program to its end and returns its standard output.
  @discardableResult
  static func run(_ path: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    let complaints = Pipe()
    process.standardOutput = output
    process.standardError = complaints
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let result = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaint = try complaints.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let command = ([path] + arguments).joined(separator: " ")
      throw ServerFailure("\(command) failed: \(String(decoding: complaint, as: UTF8.self))")
    }
    return result
  }
}
