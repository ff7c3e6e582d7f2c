/// What lives on the thread of GTK's loop.
@globalActor
actor GTKActor {
  static let shared = GTKActor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { GTKExecutor.shared.asUnownedSerialExecutor() }
}
