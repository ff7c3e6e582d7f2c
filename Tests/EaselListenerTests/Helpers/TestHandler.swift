import EaselCore
import EaselListener
import EaselService
import EaselTestSupport
import Testing

/// A handler that notes what it is asked; a test decides when and what it answers.
final class TestHandler: RequestHandler {
  /// The notes of a handler.
  struct Notes {
    var requests: [ServiceRequest] = []
    var cancelled: [String] = []
  }

  let notes = Watched(Notes())
  /// Requests whose target begins with `/gate` wait here.
  let gate = AsyncGate()
  private let respond: @Sendable (ServiceRequest) -> ServiceResponse

  init(_ respond: @escaping @Sendable (ServiceRequest) -> ServiceResponse = TestHandler.echo) {
    self.respond = respond
  }

  var targets: [String] { notes.withLock { $0.requests.map(\.target) } }

  func immediateResponse(to request: ServiceRequest) -> ServiceResponse? {
    notes.withLock { $0.requests.append(request) }
    return request.target.hasPrefix("/later") || request.target.hasPrefix("/gate") ? nil : respond(request)
  }

  func response(to request: ServiceRequest) async -> ServiceResponse {
    if request.target.hasPrefix("/gate") {
      do { try await gate.pass() } catch { notes.withLock { $0.cancelled.append(request.target) } }
    }
    return respond(request)
  }

  /// The target of the request as the body.
  static let echo: @Sendable (ServiceRequest) -> ServiceResponse = { request in
    ServiceResponse(
      status: 200, headers: ["Content-Type": "text/plain"], body: [ImageBytes(Array(request.target.utf8))])
  }

  /// A body of a given size for every request.
  static func body(_ count: Int) -> @Sendable (ServiceRequest) -> ServiceResponse {
    let bytes = ImageBytes([UInt8](repeating: 0x2E, count: count))
    return { _ in ServiceResponse(status: 200, body: [bytes]) }
  }
}

/// A listener on a port of loopback, with its handler and a clock that only the test moves.
struct TestListener {
  let listener: Listener
  let handler: TestHandler
  let clock = ManualClock()

  init(
    on addresses: [ListenerAddress] = [.tcp(host: "127.0.0.1", port: 0)], handler: TestHandler = TestHandler(),
    _ change: (inout ListenerSettings) -> Void = { _ in }
  ) throws {
    var settings = ListenerSettings()
    change(&settings)
    self.handler = handler
    listener = try Listener(on: addresses, settings: settings, handler: handler, sending: nil, clock: clock)
  }

  func client(from source: String? = nil, receiveBuffer: CInt? = nil) throws -> ListenerClient {
    try ListenerClient(listener.addresses[0], from: source, receiveBuffer: receiveBuffer)
  }

  /// Moves the clock and lets the listener look at it.
  func advance(by duration: Duration) {
    clock.advance(by: duration)
    listener.checkDeadlines()
  }

  /// Waits until the only thread of the listener has seen all that was sent before.
  func settle() async throws {
    // Events are handled in the order in which they happen, so an answer to a later client means that all is seen.
    let client = try client()
    client.get("/settle")
    _ = try #require(await client.answer())
    client.close()
  }

  /// Ends the listener; its counts are final then.
  func stop() async -> ListenerCounts {
    listener.stopNow()
    await listener.waitForEnd()
    return listener.counts
  }
}
