import EaselSupport
import Foundation

/// Runs the built program as a user would.
enum EaselProcess {
  typealias Outcome = Child.Outcome

  static let path: String = {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folders = [tests, CommandLine.arguments[0]].compactMap { $0 }.map {
      URL(fileURLWithPath: $0).deletingLastPathComponent()
    }
    return folders.map { $0.appendingPathComponent("easel").path }
      .first(where: FileManager.default.isExecutableFile) ?? "easel-was-not-built"
  }()

  static func run(
    _ arguments: [String], input: Data = Data(), environment: [String: String] = [:]
  ) throws -> Outcome {
    // The colour preference of the person who runs the tests must not matter.
    let inherited = ProcessInfo.processInfo.environment.filter { $0.key != "NO_COLOR" }
    return try Child.run([path] + arguments, input: input, environment: inherited.merging(environment) { $1 })
  }

  /// Runs the program with each of these arguments, as many at a time as there are processors; the outcomes in their order.
  static func runEach(
    _ commands: [[String]], input: Data = Data(), environment: [String: String] = [:]
  ) throws -> [Outcome] {
    let outcomes = Locked([Result<Outcome, any Error>?](repeating: nil, count: commands.count))
    DispatchQueue.concurrentPerform(iterations: commands.count) { index in
      let outcome = Result { try run(commands[index], input: input, environment: environment) }
      outcomes.withLock { $0[index] = outcome }
    }
    return try outcomes.withLock { $0 }.map { try $0!.get() }
  }
}
