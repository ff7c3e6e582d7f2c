/// The actor of the thread that runs GTK's loop.
@globalActor
actor GTKActor {
  static let shared = GTKActor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { GTKExecutor.shared.asUnownedSerialExecutor() }
}
