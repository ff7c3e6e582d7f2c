import CEaselCurl
import EaselCore

/// A step that curl performs: one request and its response.
///
/// curl's callbacks only note what has happened, and pass bytes on.
final class CurlExchange {
  enum Phase {
    /// curl sends the request and waits for the head of the response.
    case awaitingHead
    /// The head asks for credentials. It is final only if curl does not send them in a second request.
    case holdingHead
    /// The sink decides whether to accept the head.
    case judging(IncomingBody)
    /// The body is passed to the sink.
    case receiving(IncomingBody)
    /// Unwanted bytes arrive, in the body of a redirect or of a refused response.
    case discarding(Discarding)
  }

  /// Reads unwanted bytes in order to keep the connection.
  struct Discarding {
    /// The action after the end of the step.
    enum NextStep {
      case followRedirect(ResponseHead)
      case reportNotModified(ResponseHead)
      case startAfresh
      case fail(ImageError)
      /// The load has ended, because its sink refused the head.
      case nothing

      /// True when another request follows at once.
      ///
      /// Over HTTP/1, only the order of responses tells which requests they belong to. The server that sends this
      /// response can predict the next request, and could send a response in advance that arrives just after the
      /// request. That request must therefore use another connection.
      var isAnotherRequest: Bool {
        switch self {
        case .followRedirect, .startAfresh: true
        case .reportNotModified, .fail, .nothing: false
        }
      }
    }

    /// The most unwanted bytes that are worth reading.
    static let mostBytes = 64 << 10

    let nextStep: NextStep
    let start: Int64
    var byteCount = 0
  }

  // The transfer releases the exchange when the step ends, which breaks this cycle of references.
  let transfer: Transfer
  let step: TransferStep
  let handle: EasyHandle
  let start: Int64
  var lastActivity: Int64
  var rate = TransferRate()
  var phase = Phase.awaitingHead
  private var callbackFailure: ImageError?
  var refusedAddress: AddressPolicy.IPAddress?
  /// The head of the request as sent, with the cookies that curl added.
  var sentHead = SentRequestHead()
  /// True when curl itself may respond to a status that asks for credentials.
  var mayBeAskedForCredentials = false

  init(_ step: TransferStep, of transfer: Transfer, handle: EasyHandle) {
    self.step = step
    self.transfer = transfer
    self.handle = handle
    start = transfer.engine.now
    lastActivity = start
    rate.begin(at: start, bytes: handle.bytes)
  }

  var job: LoadJob { transfer.job }
  var engine: CurlEngine { transfer.engine }
  var subject: String { transfer.subject }

  /// True when the pause comes from the sink, so that the silence of the server does not count.
  var isPaused: Bool {
    if case .judging = phase { return true }
    return transfer.isSinkPausing
  }

  /// True when the load already has its result, and the step continues only to keep the connection.
  var hasReported: Bool {
    if case .discarding(let discarding) = phase, case .nothing = discarding.nextStep { true } else { false }
  }

  /// Stores the error of the step; returns false, which a callback returns to end the step.
  @discardableResult
  func fail(_ error: ImageError) -> Bool {
    if callbackFailure == nil { callbackFailure = error }
    return false
  }

  /// The first error in a callback; nil if there was none.
  var failure: ImageError? {
    if case .discarding(let discarding) = phase, case .fail(let error) = discarding.nextStep { return error }
    return callbackFailure
  }

  // MARK: The body

  /// Takes a part of the body; returns the value that curl expects.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return 0 }
    if case .holdingHead = phase, !acceptHeldHead() { return 0 }
    switch phase {
    case .awaitingHead, .holdingHead:
      fail(.notHTTP(subject: subject))
      return 0
    case .judging(let body): return body.pauseCurl()
    case .receiving(let body):
      if transfer.isSinkPausing { return body.pauseCurl() }
      return unpack(bytes, of: body) ? bytes.count : 0
    case .discarding(var discarding):
      discarding.byteCount += bytes.count
      phase = .discarding(discarding)
      return discarding.byteCount <= Discarding.mostBytes ? bytes.count : 0
    }
  }

  /// Passes the bytes that were held during a pause to the sink; returns false to end the step.
  func deliverHeldBytes() -> Bool {
    guard case .receiving(let body) = phase, let unpacker = body.unpacker, unpacker.isHolding else { return true }
    return isUnpacked(unpacker.unpackHeld { deliverPart($0, of: body) }, of: body)
  }

  private func unpack(_ bytes: UnsafeRawBufferPointer, of body: IncomingBody) -> Bool {
    body.packedCount += bytes.count
    guard let unpacker = body.unpacker else { return deliver(bytes, of: body) }
    return isUnpacked(unpacker.unpack(bytes) { deliverPart($0, of: body) }, of: body)
  }

  /// Returns true when the sink wants more, false when it pauses, and nil when the step must end.
  private func deliverPart(_ part: UnsafeRawBufferPointer, of body: IncomingBody) -> Bool? {
    deliver(part, of: body) ? !transfer.isSinkPausing : nil
  }

  private func isUnpacked(_ progress: Unpacker.Progress, of body: IncomingBody) -> Bool {
    switch progress {
    case .done, .held: true
    case .stopped: false
    case .broken: fail(.brokenPacking(subject: subject, transfer.delivery?.head))
    case .tooLarge: fail(.packedTooLarge(limit: job.request.byteLimit, subject: subject))
    case .wasteful:
      fail(
        .wastefulPacking(
          packed: body.packedCount, unpacked: transfer.delivery?.byteCount ?? 0, subject: subject))
    }
  }

  /// Passes bytes to the sink; returns false to end the step.
  private func deliver(_ bytes: UnsafeRawBufferPointer, of body: IncomingBody) -> Bool {
    let count = (transfer.delivery?.byteCount ?? 0) + bytes.count
    if let joinedLength = body.joinedLength, count > joinedLength {
      // Whatever the head says, the server does not send the rest of this body.
      startDiscarding(then: .startAfresh)
      return false
    }
    transfer.delivery?.byteCount = count
    guard count <= job.request.byteLimit else {
      return fail(.tooLarge(limit: job.request.byteLimit, subject: subject))
    }
    switch job.sink.append(bytes) {
    case .more: return true
    case .pause:
      transfer.isSinkPausing = true
      engine.giveAwayPlace(of: transfer)
      let (commands, job) = (engine.commands, job)
      job.sink.whenReady { commands.add(.resume(job)) }
      return true
    case .stop:
      return fail(ImageError(.cancelled, "The receiver stopped the transfer of the body.", subject: subject))
    }
  }

  /// Starts to pass the body to the sink, which has accepted its head; returns false to end the step.
  func receive(_ body: IncomingBody) -> Bool {
    transfer.delivery = Transfer.Delivery(head: body.head)
    phase = .receiving(body)
    guard isAcceptable(body) else { return false }
    guard body.joinedLength != nil, let kept = transfer.partial else { return true }
    transfer.partial = nil
    do {
      return try kept.bytes.withUnsafeBytes { deliver($0, of: body) }
    } catch {
      return fail(.wrapping(error, as: .network, "The stored part of the body cannot be read.", subject: subject))
    }
  }

  /// Checks the announced body, after the sink has accepted the head; the body of a refused head does not matter.
  private func isAcceptable(_ body: IncomingBody) -> Bool {
    let limit = job.request.byteLimit
    if let packing = body.packing {
      body.unpacker = Unpacker(packing, limit: limit)
      if body.unpacker == nil { return fail(.unknownPacking(packing, subject: subject)) }
    }
    guard let length = body.head.expectedLength, length > limit else { return true }
    return fail(.tooLarge(announced: length, limit: limit, subject: subject))
  }

  func startDiscarding(then nextStep: Discarding.NextStep) {
    phase = .discarding(Discarding(nextStep: nextStep, start: engine.now))
    engine.noteDeadline(of: transfer)
  }
}
