import EaselCore
import EaselHTTP
import EaselSupport
import EaselWorkers
import Synchronization

/// Receives the body of one attempt from the loader: checks the head, counts the bytes, and informs the run.
final class BodySink: LoadSink {
  private struct State {
    /// The head as the source sent it, before modifiers and checks.
    ///
    /// It is kept only for unsafe requests.
    var answer: ResponseHead?
    var head: ResponseHead?
    var failure: ImageError?
    var reported = 0
    /// The number of bytes between two progress reports.
    var step = 1
    var isClosed = false
    var epoch: Int
    var needsNoRoom = false
    var reservation: BodyMemory.Reservation?
  }

  private let rules: HeadRules
  private let room: BodyMemory?
  private let received = ReceivedBytes()
  private let progressStep: Double
  private let notesAnswer: Bool
  private let clock: any ImageClock
  private let state: Locked<State>

  init(
    rules: HeadRules, room: BodyMemory?, progressStep: Double, number: Int, notesAnswer: Bool, clock: any ImageClock
  ) {
    self.rules = rules
    self.room = room
    self.progressStep = progressStep
    self.notesAnswer = notesAnswer
    self.clock = clock
    // Each restart within an attempt adds one, so no two starts have the same number.
    state = Locked(State(epoch: number << 32))
  }

  private var run: SharedRun { rules.run }

  /// The request that the loader got.
  var request: LoadRequest { rules.request }

  /// The head after modifiers and checks.
  var head: ResponseHead? { state.withLock { $0.head } }

  /// The head of the response to an unsafe request, as the source sent it.
  var answer: ResponseHead? { state.withLock { $0.answer } }

  /// The reason why the sink stopped the load.
  var failure: ImageError? { state.withLock { $0.failure } }

  var receivedBytes: ImageBytes? { received.snapshot() }

  func beginAtOnce(_ head: ResponseHead) throws -> Bool {
    let head = head.withPlausibleLength
    if notesAnswer { state.withLock { $0.answer = head } }
    try refuseWhenClosed()
    guard rules.modifier == nil, takeRoom(for: head) else { return false }
    try accept(head)
    return true
  }

  func begin(_ head: ResponseHead) async throws {
    let head = head.withPlausibleLength
    if notesAnswer { state.withLock { $0.answer = head } }
    try refuseWhenClosed()
    try await acceptOnceThereIsRoom(modified(head))
  }

  /// The head after the changes of the response modifier.
  func modified(_ head: ResponseHead) async throws -> ResponseHead {
    do { return try await rules.modified(head) } catch let error as ImageError { throw fail(error) }
  }

  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand {
    let (isOpen, epoch, head) = state.withLock { state in
      (!state.isClosed && state.failure == nil, state.epoch, state.head)
    }
    guard isOpen, let head else { return .stop }
    let total = received.count + bytes.count
    if let limit = run.limit(exceededBy: total) {
      _ = fail(.overByteLimit(limit, subject: subject))
      return .stop
    }
    if let expected = head.expectedLength, total > expected {
      _ = fail(
        ImageError(
          .invalidResponse, "The source announced \(expected) bytes and sent at least \(total).",
          subject: subject))
      return .stop
    }
    guard received.append(bytes) else {
      _ = fail(.exhausted("There is no memory for a body of \(total) bytes.", subject: subject))
      return .stop
    }
    reportProgress(total, isEnd: false)
    run.emit(.arrived(ArrivingBody(received: received, epoch: epoch, head: head)))
    return .more
  }

  func restart(at offset: Int) {
    guard offset >= 0, offset <= received.count else {
      _ = fail(
        ImageError(
          .invalidResponse, "The source continued at byte \(offset), but it had sent only \(received.count) bytes.",
          subject: subject))
      return
    }
    let (epoch, head) = state.withLock { state in
      state.epoch += 1
      state.reported = min(state.reported, offset)
      return (state.epoch, state.head)
    }
    guard received.truncate(to: offset) else {
      _ = fail(.exhausted("There is no memory to receive the body again.", subject: subject))
      return
    }
    // The event is sent even if no bytes follow, so that no decoder finishes with the old bytes.
    run.emit(.arrived(ArrivingBody(received: received, epoch: epoch, head: head)))
  }

  /// Returns the whole body after the loader has ended.
  ///
  /// From then on the sink takes no more bytes.
  func finish() throws(ImageError) -> ImageBytes {
    let (head, failure) = state.withLock { state in
      state.isClosed = true
      return (state.head, state.failure)
    }
    if let failure { throw failure }
    guard let head else {
      throw ImageError(.network, "The loader ended before it delivered a response.", subject: subject)
    }
    let body = received.snapshot()
    if let expected = head.expectedLength, body.count < expected {
      throw ImageError(
        .truncatedBody, "The body ended after \(body.count) of \(expected) bytes.", subject: subject)
    }
    reportProgress(body.count, isEnd: true)
    return body
  }

  /// Checks the head of a body that is already complete elsewhere, and needs no room here.
  ///
  /// The body replaces everything that came through the sink before.
  func take(_ head: ResponseHead, of body: ImageBytes) async throws {
    if let failure { throw failure }
    var head = head
    head.expectedLength = body.count
    state.withLock { $0.needsNoRoom = true }
    if received.count > 0 { restart(at: 0) }
    if try !beginAtOnce(head) { try await begin(head) }
    // Everything decoded in an earlier attempt came from other bytes.
    run.emit(.arrived(ArrivingBody(received: received, epoch: state.withLock { $0.epoch }, head: head)))
    run.emit(.progress(received: body.count, expected: body.count))
  }

  /// Closes the sink: it takes no more bytes, and gives its room back.
  func close() {
    let reservation = state.withLock { state in
      state.isClosed = true
      return state.reservation.take()
    }
    reservation?.letGo()
  }

  /// Passes the room of the body to the caller.
  func takeReservation() -> BodyMemory.Reservation? { state.withLock { $0.reservation.take() } }

  private var subject: String { request.url.absoluteString }

  private func takeRoom(for head: ResponseHead) -> Bool {
    guard let room, mustTakeRoom else { return true }
    guard let reservation = room.takeAtOnce(head.expectedLength) else { return false }
    return keep(reservation)
  }

  /// Keeps the room for the body.
  ///
  /// If the load is already over, gives the room back and returns false.
  private func keep(_ reservation: BodyMemory.Reservation) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.reservation = reservation }
      return !state.isClosed
    }
    if !isOpen { reservation.letGo() }
    return isOpen
  }

  /// Throws when the sink is closed.
  ///
  /// A loader may keep its sink after the end of the load, and must then get no room.
  private func refuseWhenClosed() throws(ImageError) {
    guard state.withLock({ $0.isClosed }) else { return }
    throw ImageError(.cancelled, "The load has ended, and its sink accepts no more bytes.", subject: subject)
  }

  private func acceptOnceThereIsRoom(_ head: ResponseHead) async throws {
    if let room, mustTakeRoom {
      let reservation = try await room.take(head.expectedLength, at: run.priority)
      try Task.checkCancellation()
      guard keep(reservation) else { return try refuseWhenClosed() }
    }
    try accept(head)
  }

  /// True when the body still needs room.
  ///
  /// A body that starts again already has its room.
  private var mustTakeRoom: Bool { state.withLock { !$0.needsNoRoom && $0.reservation == nil } }

  private func accept(_ head: ResponseHead) throws(ImageError) {
    do throws(ImageError) {
      try head.checkSize(subject: subject)
      run.report(.response(head), began: clock.date)
      try rules.check(head)
    } catch {
      throw fail(error)
    }
    // A server may announce more bytes than it sends, so at most 32 MB are reserved.
    if let expected = head.expectedLength, head.status != 304 { _ = received.reserve(min(expected, 32 << 20)) }
    // The step is limited, because `progressStep` and the announced length can have any value.
    let step = head.expectedLength.map { Int(min(max(1, Double($0) * progressStep), 1e18)) } ?? 1
    state.withLock { state in
      state.head = head
      state.step = step
    }
    run.emit(.progress(received: 0, expected: head.expectedLength))
  }

  private func fail(_ error: ImageError) -> ImageError {
    state.withLock { state in
      if state.failure == nil { state.failure = error }
      return state.failure!
    }
  }

  /// Reports progress when enough bytes have arrived since the last report, and always at the end.
  private func reportProgress(_ count: Int, isEnd: Bool) {
    let expected = state.withLock { state -> Int?? in
      guard isEnd ? state.reported != count : count - state.reported >= state.step else { return .none }
      state.reported = count
      return .some(state.head?.expectedLength)
    }
    if let expected { run.emit(.progress(received: count, expected: expected)) }
  }
}
