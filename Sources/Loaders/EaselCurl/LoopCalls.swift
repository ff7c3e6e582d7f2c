import CEaselCurl

/// The calls that create and run an engine's loop.
///
/// Tests replace them to simulate failures or to skip time.
struct LoopCalls: Sendable {
  /// Nil when the system lacks a resource that the loop needs.
  var create: @Sendable (_ wakeup: CInt, _ keptConnections: Int) -> OpaquePointer? = easel_loop_create
  /// Waits for events and lets curl work.
  var run: @Sendable (_ loop: OpaquePointer, _ patience: Int64) -> CURLMcode = easel_loop_run
}
