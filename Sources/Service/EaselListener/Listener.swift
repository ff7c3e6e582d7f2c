import CEaselListener
import EaselCore
import EaselService
import EaselSupport
import Glibc

/// A listener for HTTP/1.1 and HTTP/1.0 that reads heads, asks a handler, and sends its responses.
///
/// It has threads of its own. The handler's ``EaselService/RequestHandler/immediateResponse(to:)`` is called on them, so
/// it must return at once; its ``EaselService/RequestHandler/response(to:)`` runs in a task, which is cancelled when the
/// client leaves. A client that closes only its sending side counts as one that has left, and gets no answer.
///
/// The requests of a connection are answered in order, one at a time. A request with a body is refused with 413, and
/// its connection ends. The listener itself writes the date, the length and what becomes of the connection.
///
/// The listener has no TLS and no HTTP/2; a server in front of it has both.
///
/// ```swift
/// let service = ImageService(ImageService.Configuration(.server(cacheDirectory: nil), signer: nil))
/// let listener = try Listener(on: [.tcp(host: "127.0.0.1", port: 8080)], handler: service)
/// await listener.waitForEnd()
/// ```
public final class Listener: Sendable {
  private struct Ending {
    var running: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The addresses with the ports that the system chose.
  public let addresses: [ListenerAddress]
  private let inboxes: [LoopInbox]
  private let counters: [Locked<ListenerCounts>]
  // Only until accepting ends, because a socket is closed with its last owner.
  private let sockets: Locked<[ListeningSocket]>
  private let ending: Locked<Ending>
  private let clock: any ImageClock
  private let limiter: ConnectionLimiter

  /// Opens the addresses and serves on them until the listener is stopped or released.
  public convenience init(
    on addresses: [ListenerAddress], settings: ListenerSettings = ListenerSettings(), handler: any RequestHandler
  ) throws(ListenerError) {
    try self.init(on: addresses, settings: settings, handler: handler, sending: (handler as? ImageService)?.metrics)
  }

  /// Opens the addresses and serves on them until the listener is stopped or released.
  ///
  /// `sending` is told of the answers of the handler while they are sent.
  package init(
    on addresses: [ListenerAddress], settings: ListenerSettings = ListenerSettings(), handler: any RequestHandler,
    sending: (any SendingObserver)?, clock: any ImageClock = SystemClock()
  ) throws(ListenerError) {
    let limiter = ConnectionLimiter(settings)
    var sockets: [ListeningSocket] = []
    var loops: [ListenerLoop.Parts] = []
    do throws(ListenerError) {
      for address in addresses { sockets += try ListeningSocket.open(address, settings) }
      for _ in 0..<max(1, settings.threads) {
        loops.append(try Self.makeLoop(sockets, settings, handler, sending, clock, limiter))
      }
    } catch {
      for loop in loops { loop.close() }
      for socket in sockets { socket.removeFile() }
      throw error
    }
    self.addresses = sockets.map(\.address)
    self.sockets = Locked(sockets)
    self.clock = clock
    self.limiter = limiter
    inboxes = loops.map(\.inbox)
    counters = loops.map(\.counts)
    ending = Locked(Ending(running: loops.count))
    for loop in loops {
      let hasStarted = PlainThread.start { [ending] in
        ListenerLoop.run(loop)
        Self.end(ending)
      }
      if !hasStarted {
        loop.close()
        Self.end(ending)
      }
    }
    guard ending.withLock({ $0.running == loops.count }) else {
      stopNow()
      throw ListenerError("Could not start \(loops.count) threads for the listener.")
    }
  }

  deinit { stopNow() }

  /// Accepts no more connections and closes idle ones; the others end with the answers to what they have asked.
  public func stopAccepting() { tell(.drain) }

  /// Stops accepting, and waits until everything is answered; what takes longer than `duration` is cut off.
  public func drain(within duration: Duration) async {
    stopAccepting()
    let cutting = Task { [clock, inboxes] in
      try await clock.sleep(for: duration)
      for inbox in inboxes { inbox.post(.stop) }
    }
    await waitForEnd()
    cutting.cancel()
  }

  /// Ends all connections at once, and cancels the tasks of their requests.
  public func stopNow() { tell(.stop) }

  /// Suspends until the listener has stopped and all its descriptors are closed.
  public func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let isRunning = ending.withLock { ending in
        if ending.running > 0 { ending.waiting.append(continuation) }
        return ending.running > 0
      }
      if !isRunning { continuation.resume() }
    }
  }

  /// The most connections at a time: those of the settings, or fewer if the process may not open as many descriptors.
  package var mostConnections: Int { limiter.most }

  /// The counts over all threads, as of the end of their last turns.
  package var counts: ListenerCounts {
    var sum = ListenerCounts()
    for counter in counters { sum.add(counter.withLock { $0 }) }
    return sum
  }

  /// Takes other limits and times for the connections that are open and for those that come.
  ///
  /// The number of threads, the backlog and the sharing of the port stay as they were.
  package func follow(_ settings: ListenerSettings) {
    limiter.follow(settings)
    for inbox in inboxes { inbox.post(settings) }
  }

  /// Makes the threads look at the clock, after a test has moved it.
  package func checkDeadlines() { for inbox in inboxes { inbox.post(.serve) } }

  private func tell(_ order: LoopInbox.Order) {
    // Those of Unix sockets, whose files must not be found any more.
    let sockets = sockets.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    for socket in sockets { socket.removeFile() }
    for inbox in inboxes { inbox.post(order) }
  }

  private static func end(_ ending: Locked<Ending>) {
    let waiting = ending.withLock { ending in
      ending.running -= 1
      guard ending.running == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { ending.waiting = [] }
      return ending.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  private static func makeLoop(
    _ sockets: [ListeningSocket], _ settings: ListenerSettings, _ handler: any RequestHandler,
    _ sending: (any SendingObserver)?, _ clock: any ImageClock, _ limiter: ConnectionLimiter
  ) throws(ListenerError) -> ListenerLoop.Parts {
    let poller = easel_poller_open()
    let waker = easel_waker_open()
    guard poller >= 0, waker >= 0 else {
      let reason = String(cString: strerror(errno))
      for descriptor in [poller, waker] where descriptor >= 0 { close(descriptor) }
      throw ListenerError("Could not start the listener: \(reason).")
    }
    return ListenerLoop.Parts(
      poller: poller, inbox: LoopInbox(waker: waker), sockets: Locked(sockets), settings: settings, handler: handler,
      sending: sending, clock: clock, limiter: limiter, counts: Locked(ListenerCounts()))
  }
}
