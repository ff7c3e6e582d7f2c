import EaselListener
import ServiceLifecycle

/// Runs Easel's own listener as one of the services of a program.
///
/// It accepts no more connections once the program shuts down, and ends when everything is answered.
public struct ListenerService: Service {
  private let listener: Listener
  private let limit: Duration

  /// Takes a listener, and the longest time that open answers get at the end.
  public init(_ listener: Listener, drainingWithin limit: Duration = .seconds(30)) {
    self.listener = listener
    self.limit = limit
  }

  /// Serves until the program shuts down or the listener ends by itself.
  public func run() async throws {
    await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self) { [listener, limit] group in
        group.addTask { await listener.waitForEnd() }
        group.addTask {
          do { try await gracefulShutdown() } catch { return }
          await listener.drain(within: limit)
        }
        await group.next()
        group.cancelAll()
      }
    } onCancel: { [listener] in
      listener.stopNow()
    }
  }
}
