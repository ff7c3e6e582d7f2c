import CEaselWire
import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// A connection on which many callers send requests; the replies come back in the same order.
///
/// The thread of the loop reads all replies. A caller writes its request itself if nobody else is writing. While many
/// others wait for replies, the loop writes the request, together with requests that come in the meantime. A caller
/// that is cancelled gets its cancellation at once, and its reply is later dropped. If a reply comes too late or is
/// malformed, the whole connection ends, so that no caller ever gets a reply that was meant for another.
///
/// The type of the replies is erased, because generic code is several times slower when another module uses it.
final class WirePipe: WireChannel {
  typealias Reply = any Sendable

  private struct Waiting {
    var caller: CheckedContinuation<Reply, any Error>?
    let deadline: Duration
  }

  private struct State {
    var waiting: [Waiting] = []
    /// The index of the first waiting request without a reply.
    var answered = 0
    /// The number of the first element of `waiting`, counted over the whole life of the connection.
    var firstNumber: UInt64 = 0
    var outgoing = WireOutbox()
    var isWriting = false
    /// True when the loop has been told that there are bytes to write.
    var isLeftToLoop = false
    /// True when the socket got room while a thread was writing.
    var hasRoom = false
    var key: UInt64?
    var failure: WireError?
    /// True once the socket must be neither read nor written any more.
    var isEnded = false
  }

  /// The most bytes, and the most requests, that may wait.
  private static let mostBytes = 64 << 20
  private static let mostRequests = 16_384
  /// With this many waiting requests, it is worth while to send several at once.
  private static let manyRequests = 3

  private let socket: WireSocket
  private let state = Locked(State())
  private let parser: Locked<any WireParser>
  /// A lock, because OpenSSL must not read and write at the same time.
  ///
  /// The state is not `Void`: ThreadSanitizer mistakes a value without size for the head of the object around it.
  private let session = Locked(false)
  private let pushes: (@Sendable (Reply) -> Void)?
  private let closing: (@Sendable (WireError) -> Void)?

  private init(
    _ socket: WireSocket, _ parser: sending any WireParser, _ pushes: (@Sendable (Reply) -> Void)?,
    _ closing: (@Sendable (WireError) -> Void)?
  ) {
    self.socket = socket
    self.parser = Locked(parser)
    self.pushes = pushes
    self.closing = closing
  }

  deinit { socket.end() }

  /// Connects to an engine, on a separate thread.
  ///
  /// With `pushes`, everything that the engine sends is passed to that closure, and not taken as replies. The loop's
  /// thread calls it, so it must be quick. The same is true for `closing`, which is called once when the connection has
  /// ended.
  static func connect(
    to address: WireAddress, tls: WireTLS? = nil, within limit: Duration,
    pushes: (@Sendable (Reply) -> Void)? = nil, closing: (@Sendable (WireError) -> Void)? = nil,
    parser: @escaping @Sendable () -> sending any WireParser
  ) async throws(WireError) -> WirePipe {
    let loop = try WireLoop.shared.get()
    let result = await withCheckedContinuation {
      (caller: CheckedContinuation<Result<WirePipe, WireError>, Never>) in
      let isStarted = PlainThread.start {
        caller.resume(
          returning: Result { () throws(WireError) in
            let socket = try WireSocket(address, tls, within: limit)
            let connection = WirePipe(socket, parser(), pushes, closing)
            try connection.join(loop)
            return connection
          })
      }
      if !isStarted { caller.resume(returning: .failure(.init(.unreachable, "The system gives no thread."))) }
    }
    return try result.get()
  }

  private func join(_ loop: WireLoop) throws(WireError) {
    let key = try loop.add(self, socket.descriptor)
    let hasEnded = state.withLock { state in
      state.key = key
      return state.isEnded
    }
    if hasEnded { loop.remove(key) }
  }

  /// True until the connection has ended.
  var isOpen: Bool { state.withLock { $0.failure == nil } }

  /// Sends a request and waits for its reply.
  func send(_ request: [UInt8], within limit: Duration) async throws -> Reply {
    let number = Locked<UInt64?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        enqueue(request, Waiting(caller: caller, deadline: SystemClock().uptime + limit), number)
      }
    } onCancel: {
      if let number = number.withLock({ $0 }) { leave(number) }
    }
  }

  /// Sends a request whose reply is read and dropped.
  ///
  /// On a connection with `pushes` there are no replies, and the limit is ignored.
  func post(_ request: [UInt8], within limit: Duration) {
    let waiting = pushes == nil ? Waiting(caller: nil, deadline: SystemClock().uptime + limit) : nil
    enqueue(request, waiting, nil)
  }

  /// Ends the connection; all who wait for a reply get the error.
  func end(_ failure: WireError) {
    let (lost, isFirst) = state.withLock { state -> ([Waiting], Bool) in
      guard state.failure == nil else { return ([], false) }
      state.failure = failure
      state.outgoing = WireOutbox()
      let lost = Array(state.waiting[state.answered...])
      (state.waiting, state.answered) = ([], 0)
      return (lost, true)
    }
    guard isFirst else { return }
    // The loop notices the end and closes the socket, so that nobody reads from a descriptor that has a new use.
    socket.shutDown()
    for waiting in lost { waiting.caller?.resume(throwing: failure) }
    closing?(failure)
  }

  private enum Next {
    case nothing, write
    /// The loop writes the request.
    case leave(UInt64)
  }

  private func enqueue(_ request: [UInt8], _ waiting: Waiting?, _ number: Locked<UInt64?>?) {
    let (failure, next) = state.withLock { state -> (WireError?, Next) in
      if let failure = state.failure { return (failure, .nothing) }
      guard state.outgoing.count + request.count <= Self.mostBytes, state.waiting.count < Self.mostRequests else {
        return (WireError(.full, "Too many requests wait for the engine. It is slower than they come."), .nothing)
      }
      let isBusy = state.waiting.count - state.answered >= Self.manyRequests
      if let waiting {
        let own = state.firstNumber + UInt64(state.waiting.count)
        number?.withLock { $0 = own }
        state.waiting.append(waiting)
      }
      state.outgoing.append(request)
      if state.isWriting || state.isLeftToLoop { return (nil, .nothing) }
      if isBusy, let key = state.key {
        state.isLeftToLoop = true
        return (nil, .leave(key))
      }
      state.isWriting = true
      return (nil, .write)
    }
    if let failure { waiting?.caller?.resume(throwing: failure) }
    switch next {
    case .nothing: break
    case .write: writeAll()
    case .leave(let key): if let loop = try? WireLoop.shared.get() { loop.write(key) }
    }
    // A cancellation had no effect before the request had its number, so it is handled now.
    if failure == nil, waiting != nil, Task.isCancelled, let own = number?.withLock({ $0 }) { leave(own) }
  }

  /// Ends the wait of a caller that was cancelled.
  private func leave(_ number: UInt64) {
    let now = SystemClock().uptime
    let (caller, isOverdue) = state.withLock { state -> (CheckedContinuation<Reply, any Error>?, Bool) in
      guard number >= state.firstNumber else { return (nil, false) }
      let index = Int(number - state.firstNumber)
      guard index >= state.answered, index < state.waiting.count else { return (nil, false) }
      return (state.waiting[index].caller.take(), state.waiting[state.answered].deadline <= now)
    }
    caller?.resume(throwing: CancellationError())
    if isOverdue { end(Self.lateness) }
  }

  private static var lateness: WireError {
    WireError(.late, "The engine did not answer in time. The connection is given up.")
  }

  // MARK: Writing

  /// Writes bytes that wait for room in the socket.
  func write() {
    let mustWrite = state.withLock { state in
      state.isLeftToLoop = false
      guard !state.isWriting else {
        // The thread that is writing may have found no room just before this.
        state.hasRoom = true
        return false
      }
      state.isWriting = state.outgoing.count > 0
      return state.isWriting
    }
    if mustWrite { writeAll() }
  }

  /// Writes until nothing is left, or until the socket takes no more; only one thread writes at a time.
  private func writeAll() {
    while var batch = takeBatch() {
      switch write(&batch) {
      case .done: continue
      case .failed:
        state.withLock { $0.isWriting = false }
        return end(WireError(.lost, "The connection to the engine has ended."))
      case .wouldBlock: if !mayTryAgain(with: batch) { return }
      }
    }
  }

  private func takeBatch() -> WireOutbox? {
    state.withLock { state in
      guard state.failure == nil, state.outgoing.count > 0 else {
        state.isWriting = false
        return nil
      }
      state.hasRoom = false
      defer { state.outgoing = WireOutbox() }
      return state.outgoing
    }
  }

  private func mayTryAgain(with rest: WireOutbox) -> Bool {
    state.withLock { state in
      state.outgoing.putBack(rest)
      state.isWriting = state.hasRoom && state.failure == nil
      return state.isWriting
    }
  }

  private enum WriteResult { case done, wouldBlock, failed }

  private func write(_ batch: inout WireOutbox) -> WriteResult {
    while batch.count > 0 {
      let count = batch.withBytes { bytes in
        guard socket.session != nil else {
          return easel_wire_write(socket.descriptor, nil, bytes.baseAddress, bytes.count)
        }
        return session.withLock { _ in
          easel_wire_write(socket.descriptor, socket.session, bytes.baseAddress, bytes.count)
        }
      }
      if count == Int(EASEL_WIRE_WOULD_BLOCK) { return .wouldBlock }
      guard count >= 0 else { return .failed }
      batch.removeFirst(count)
    }
    return .done
  }

  // MARK: Reading

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    if state.withLock({ $0.failure != nil }) {
      leaveLoop()
      return false
    }
    let count: Int
    if socket.session == nil {
      count = easel_wire_read(socket.descriptor, nil, buffer.baseAddress, buffer.count)
    } else {
      count = session.withLock { _ in
        easel_wire_read(socket.descriptor, socket.session, buffer.baseAddress, buffer.count)
      }
    }
    if count == Int(EASEL_WIRE_WOULD_BLOCK) { return false }
    guard count > 0 else {
      end(WireError(.lost, "The engine has closed the connection."))
      leaveLoop()
      return false
    }
    do throws(WireError) {
      try parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    } catch {
      end(error)
      leaveLoop()
      return false
    }
    // TLS may have to read before it can continue writing.
    if socket.session != nil { write() }
    // The end of the connection may have come with the last bytes, and the system reports it only once, so reading goes
    // on.
    return true
  }

  private func parse(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    var replies: [Reply] = []
    let failure = parser.withLock { parser -> WireError? in
      do throws(WireError) {
        try parser.feed(bytes)
        while let reply = try parser.next() { replies.append(reply) }
        return nil
      } catch {
        return error
      }
    }
    // Replies that were complete before the malformed bytes are valid.
    try deliver(replies, before: failure)
  }

  /// Passes replies to the callers that wait for them, and ends the connection if the bytes after them are malformed.
  ///
  /// All callers are taken before the first one gets its reply. Otherwise, a request that this caller then sends at
  /// once could get a reply that arrived before it, and that nobody asked for.
  private func deliver(_ replies: [Reply], before damage: WireError?) throws(WireError) {
    var failure = damage
    if let pushes {
      for reply in replies { pushes(reply) }
    } else {
      let callers = takeCallers(atMost: replies.count)
      if callers.count < replies.count {
        failure = WireError(.malformed, "The engine sent a reply that nobody asked for.")
      }
      // The connection ends before the callers continue, so that they send nothing more on it.
      if let failure { end(failure) }
      for (waiting, reply) in zip(callers, replies) { waiting.caller?.resume(returning: reply) }
    }
    if let failure { throw failure }
  }

  private func takeCallers(atMost most: Int) -> [Waiting] {
    state.withLock { state in
      let end = min(state.waiting.count, state.answered + most)
      let callers = Array(state.waiting[state.answered..<end])
      for index in state.answered..<end { state.waiting[index].caller = nil }
      state.answered = end
      if state.answered == state.waiting.count || state.answered >= 256 {
        state.firstNumber += UInt64(state.answered)
        state.waiting.removeFirst(state.answered)
        state.answered = 0
      }
      return callers
    }
  }

  func checkTime(_ now: Duration) -> Bool {
    let (isWaiting, isOverdue) = state.withLock { state in
      guard state.answered < state.waiting.count else { return (false, false) }
      return (true, state.waiting[state.answered].deadline <= now)
    }
    if isOverdue { end(Self.lateness) }
    return isWaiting
  }

  private func leaveLoop() {
    let key = state.withLock { state in
      state.isEnded = true
      return state.key
    }
    if let key, let loop = try? WireLoop.shared.get() { loop.remove(key) }
  }
}
