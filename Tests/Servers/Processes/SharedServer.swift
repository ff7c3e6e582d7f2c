import EaselCore
import EaselSupport

/// One server for all tests of a process, started at its first use.
struct SharedServer<Server: Sendable>: Sendable {
  private let starting: @Sendable () async throws -> Server

  /// `start` runs once, on its own thread, because it blocks.
  init(_ start: @escaping @Sendable () throws -> Server) {
    let running = Locked<Task<Server, any Error>?>(nil)
    starting = {
      let task = running.withLock { running in
        let task =
          running
          ?? Task {
            try await withCheckedThrowingContinuation { continuation in
              PlainThread.start { continuation.resume(with: Result(catching: start)) }
            }
          }
        running = task
        return task
      }
      return try await task.value
    }
  }

  /// The server; throws if it could not be started.
  func get() async throws -> Server { try await starting() }
}
