internal import CEaselGTK
import EaselSupport

/// The actor of the thread that runs GTK's loop, the only one that may touch widgets.
///
/// ```swift
/// try GTKActor.run {
///   let picture = RemotePicture()
///   picture.show(URL(string: "https://example.org/a.jpg"), from: manager)
/// }
/// ```
@globalActor
public actor GTKActor {
  /// The one actor of this kind, because a process has one thread for GTK.
  public static let shared = GTKActor()

  /// The executor, which runs jobs as work of GTK's loop, as urgent as drawing.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { GTKExecutor.shared.asUnownedSerialExecutor() }

  /// Starts GTK on the calling thread, runs `start` there, and then the loop until ``quit()``.
  ///
  /// The loop does not serve the main actor. An error of `start` ends the loop and is thrown.
  public static func run(_ start: @escaping @GTKActor () async throws -> Void) throws {
    try begin()
    let failure = Locked<(any Error)?>(nil)
    Task { @GTKActor in
      do {
        try await start()
      } catch {
        failure.withLock { $0 = error }
        quit()
      }
    }
    easel_gtk_run()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Ends the loop that ``run(_:)`` began.
  @GTKActor public static func quit() { easel_gtk_quit() }

  /// Starts GTK on the calling thread, for a program that runs the loop of the default context itself.
  public static func begin() throws(GTKUnavailable) {
    if let reason = easel_gtk_load() { throw GTKUnavailable(reason: String(cString: reason)) }
    guard easel_gtk_start() else {
      throw GTKUnavailable(reason: "There is no display for GTK: neither DISPLAY nor WAYLAND_DISPLAY leads to one.")
    }
  }

  /// Runs `body` as work of this actor, for signal handlers, which GTK calls on its thread.
  ///
  /// On any other thread it ends the program.
  public static func assumeIsolated<Result: Sendable>(
    _ body: @GTKActor () throws -> Result, file: StaticString = #fileID, line: UInt = #line
  ) rethrows -> Result {
    precondition(easel_gtk_is_on_thread(), "This is not the thread on which GTK runs.", file: file, line: line)
    return try onThread(body)
  }

  /// The same without a check, for calls that only GTK makes.
  static func onThread<Result: Sendable>(_ body: @GTKActor () throws -> Result) rethrows -> Result {
    typealias Isolated = @GTKActor () throws -> Result
    typealias Plain = () throws -> Result
    return try withoutActuallyEscaping(body) { (body: @escaping Isolated) throws -> Result in
      try unsafeBitCast(body, to: Plain.self)()
    }
  }
}
