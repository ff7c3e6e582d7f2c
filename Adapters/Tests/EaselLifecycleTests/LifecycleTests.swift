import AdapterStudio
import Easel
import EaselLifecycle
import EaselListener
import EaselService
import EaselTestSupport
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

struct LifecycleTests {
  @Test func drainsInOrder() async throws {
    let studio = try AdapterStudio()
    let steps = Steps()
    let clock = SteppingClock()
    let server = Server(steps: steps)
    let group = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: Noting(base: ClosingService(studio.pictures), name: "closed", steps: steps)),
          .init(service: server),
          .init(
            service: Noting(
              base: ReadinessService(studio.pictures, clock: clock), name: "noticed", steps: steps),
            successTerminationBehavior: .ignore),
        ], logger: Logger(label: "test")))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      try await server.hasStarted.pass()
      #expect(await studio.pictures.response(to: .init(target: "/pictures/ready")).status == 200)
      await group.triggerGracefulShutdown()
      try await clock.waitForSleeper()
      // Balancers are told, and the server still takes requests.
      #expect(await studio.pictures.response(to: .init(target: "/pictures/ready")).status == 503)
      #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path)).status == 200)
      #expect(steps.names.isEmpty)
      clock.wake()
      try await tasks.next()
    }
    #expect(steps.names == ["noticed", "server ended", "closed"])
    #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path + "@jpg")).status != 200)
  }

  @Test func theListenerEndsWithTheProgram() async throws {
    let studio = try AdapterStudio()
    let listener = try Listener(on: [.tcp(host: "127.0.0.1", port: 0)], handler: studio.pictures)
    try await testGracefulShutdown { trigger in
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await ListenerService(listener).run() }
        trigger.triggerGracefulShutdown()
        try await tasks.next()
      }
    }
    await listener.waitForEnd()
    #expect(listener.addresses.count == 1)
  }

  @Test func aCancelledListenerStops() async throws {
    let studio = try AdapterStudio()
    let listener = try Listener(on: [.tcp(host: "127.0.0.1", port: 0)], handler: studio.pictures)
    let task = Task { try await ListenerService(listener).run() }
    task.cancel()
    try await task.value
    #expect(listener.addresses.count == 1)
  }
}

/// Remembers what ended, in order.
private final class Steps: Sendable {
  private let kept = Mutex<[String]>([])
  var names: [String] { kept.withLock { $0 } }
  func add(_ name: String) { kept.withLock { $0.append(name) } }
}

private struct Noting: Service {
  let base: any Service
  let name: String
  let steps: Steps

  func run() async throws {
    try await base.run()
    steps.add(name)
  }
}

private struct Server: Service {
  let steps: Steps
  let hasStarted = AsyncGate()

  func run() async throws {
    hasStarted.open()
    try await gracefulShutdown()
    steps.add("server ended")
  }
}

/// A clock whose one sleeper wakes when a test says so.
private final class SteppingClock: Clock {
  typealias Instant = ContinuousClock.Instant

  private let asleep = AsyncGate()
  private let morning = AsyncGate()

  var now: Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    asleep.open()
    try await morning.pass()
  }

  func waitForSleeper() async throws { try await asleep.pass() }
  func wake() { morning.open() }
}
