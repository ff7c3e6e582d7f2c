import CEaselCurl

/// How a thread of transfers gets its loop and lets it work; tests put in what fails, or what skips time.
struct LoopCalls: Sendable {
  /// Nil when the system refuses what a loop needs.
  var create: @Sendable (_ wakeup: CInt, _ keptConnections: Int) -> OpaquePointer? = easel_loop_create
  /// Waits for the system and lets curl work.
  var run: @Sendable (_ loop: OpaquePointer, _ patience: Int64) -> CURLMcode = easel_loop_run
}
