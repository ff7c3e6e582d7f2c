import CEaselCurl
import EaselCore
import FoundationEssentials

/// One load on the thread of transfers: a leg for each request that it takes, and what its sink was given.
///
/// Everything here happens on that thread; callbacks only note what they saw and pass bytes on.
final class Transfer {
  /// Where the leg stands.
  enum Stage {
    /// The head is not there yet.
    case head
    /// curl may answer this head itself, with the credentials that the server asks for.
    case held
    /// The sink thinks about the head.
    case asking
    /// The body goes to the sink.
    case body
    /// What comes is not wanted: the body of a redirect, or of a response that was refused.
    case discarding
  }

  /// What follows when the leg is over.
  enum Next {
    case end
    case redirect
    case notModified
    case afresh
  }

  let job: LoadJob
  // Each holds the other until the transfer is over: the callbacks have no time to count references.
  let engine: Engine
  var priority = LoadPriority.normal
  var link = QueueLink()

  var leg: Leg
  var handle: EasyHandle?
  var stage = Stage.head
  var next = Next.end
  var failure: ImageError?
  var head: ResponseHead?
  /// The head that the sink has taken.
  var takenHead: ResponseHead?
  /// The bytes that lie in the sink.
  var received = 0
  var discarded = 0
  /// The length of the body on its way, and what came of it.
  var announcedLength: Int?
  var packedCount = 0
  /// How the body is packed, and what unpacks it.
  var packing: String?
  var unpacker: Unpacker?
  /// Whether nothing but the end of the connection says that the body is whole.
  var endsWithConnection = false
  var isSinkPausing = false
  var isPausedInCurl = false
  var isAnswered = false
  /// How the leg ended while the sink was still thinking.
  var earlyEnd: CURLcode?
  /// What was kept of an earlier load, until it is used or found to be of no use.
  var partial: PartialBody?
  var resumptions = 0
  var refusedAddress: IPAddress?
  var redirectTarget: String?
  var started: Int64 = 0
  var legStarted: Int64 = 0
  var lastActivity: Int64 = 0
  var tally = Tally()

  init(_ job: LoadJob, engine: Engine) {
    self.job = job
    self.engine = engine
    leg = Leg(job)
    partial = job.partial
    priority = job.firstPriority
  }

  var host: String { job.host }
  var subject: String { job.url }
  var isRevalidation: Bool {
    job.request.headers["If-None-Match"] != nil || job.request.headers["If-Modified-Since"] != nil
  }

  /// Whether the server's silence is not its fault.
  var isPaused: Bool { stage == .asking || isSinkPausing }

  /// Ends the leg with this as soon as the callback returns.
  func fail(_ error: ImageError) {
    if failure == nil { failure = error }
  }

  // MARK: Callbacks

  /// Takes what is known of a head; false ends the leg.
  func takeHead(_ news: easel_head_news) -> Bool {
    switch news {
    case easel_head_is_whole:
      // What comes behind a head that was held is the answer to what curl asked next.
      if stage == .held { stage = .head }
      return stage != .head || headIsWhole()
    case easel_head_is_too_large: fail(.headTooLarge(limit: engine.configuration.maximumHeadBytes, subject: subject))
    default: fail(.noMemory(subject))
    }
    return false
  }

  /// Takes a part of the body; returns what curl wants to hear.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return 0 }
    if stage == .held, !acceptHead() { return 0 }
    switch stage {
    case .head, .held: return 0
    case .asking:
      isPausedInCurl = true
      return easel_take_later()
    case .body:
      if isSinkPausing {
        isPausedInCurl = true
        return easel_take_later()
      }
      return takeParts(of: bytes) ? bytes.count : 0
    case .discarding:
      discarded += bytes.count
      return discarded <= Self.mostToDiscard ? bytes.count : 0
    }
  }

  /// More than this is not worth reading for the sake of the connection.
  static let mostToDiscard = 64 << 10

  private func takeParts(of bytes: UnsafeRawBufferPointer) -> Bool {
    packedCount += bytes.count
    if packedCount == announcedLength, leg.isReadable, let handle, handle.hasExcess {
      // What goes on behind its announced end would be taken for the next answer.
      handle.forbidReuse()
    }
    guard let unpacker else { return put(bytes) }
    return isUnpacked(unpacker.unpack(bytes, to: putPart))
  }

  /// Gives the sink what was held in a pause; false ends the leg.
  func putHeld() -> Bool {
    guard let unpacker, unpacker.isHolding else { return true }
    return isUnpacked(unpacker.unpackHeld(to: putPart))
  }

  private func putPart(_ part: UnsafeRawBufferPointer) -> Bool? { put(part) ? !isSinkPausing : nil }

  private func isUnpacked(_ progress: Unpacker.Progress) -> Bool {
    switch progress {
    case .done, .held: return true
    case .stopped: return false
    case .broken:
      fail(.brokenPacking(subject: subject, takenHead))
      return false
    }
  }

  /// Gives bytes to the sink; false ends the leg.
  func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    received += bytes.count
    guard received <= job.request.byteLimit else {
      fail(.tooLarge(limit: job.request.byteLimit, subject: subject))
      return false
    }
    switch job.sink.append(bytes) {
    case .more: return true
    case .pause:
      isSinkPausing = true
      let (mailbox, job) = (engine.mailbox, job)
      job.sink.whenReady { mailbox.post(.resume(job)) }
      return true
    case .stop:
      fail(ImageError(.cancelled, "The receiver wanted no more of the body.", subject: subject))
      return false
    }
  }

  // MARK: The head

  private func headIsWhole() -> Bool {
    guard let lines = ResponseLines(handle!.head) else {
      fail(.notHTTP(subject: subject))
      return false
    }
    if (100..<200).contains(lines.status) {
      handle!.awaitAnotherHead()
      return true
    }
    if lines.status == 401 || lines.status == 407, leg.mayBeAskedForCredentials {
      stage = .held
      handle!.mayHaveAnotherHead()
      return true
    }
    return accept(lines)
  }

  /// Takes the head that was held since curl had nothing to answer to it.
  func acceptHead() -> Bool {
    guard let lines = ResponseLines(handle!.head) else { return false }
    return accept(lines)
  }

  private func accept(_ lines: ResponseLines) -> Bool {
    if lines.isRedirect {
      head = ResponseHead(url: leg.responseURL(job.request), status: lines.status, headers: lines.headers)
      return discard(then: .redirect, lines)
    }
    if lines.status == 304, isRevalidation {
      var head = ResponseHead(url: leg.responseURL(job.request), status: 304, headers: lines.headers)
      head.redirects = leg.redirectHeads
      self.head = head
      guard leg.isConditional else {
        fail(.notModifiedUnasked(head, subject))
        return discard(then: .end, lines)
      }
      return discard(then: .notModified, lines)
    }
    var head = ResponseHead(
      url: leg.responseURL(job.request), status: lines.status, headers: lines.headers,
      expectedLength: job.request.method == "HEAD" ? nil : lines.length)
    head.redirects = leg.redirectHeads
    if let range = leg.range {
      switch range.verdict(on: lines) {
      case .goesOn:
        head = range.joined(head)
        if takenHead != nil {
          // The sink knows this head and has these bytes.
          self.head = takenHead
          stage = .body
          return true
        }
      case .isAnother: return discard(then: .afresh, lines)
      case .startsAgain:
        partial = nil
        if takenHead != nil { startAgain() }
      case .failed:
        // The sink was promised another body and cannot be given this one.
        if takenHead != nil {
          fail(
            ImageError(
              .truncatedBody,
              "The body was cut after \(received) bytes, and the server answered with status \(lines.status) when "
                + "asked for the rest.", subject: subject, response: takenHead))
          return discard(then: .end, lines)
        }
      }
    } else if takenHead != nil {
      startAgain()
    }
    announcedLength = lines.announcedLength
    packedCount = 0
    unpacker = nil
    packing = job.request.method == "HEAD" ? nil : lines.packing
    endsWithConnection = lines.endsWithConnection
    return ask(head, lines)
  }

  private func startAgain() {
    job.sink.restart(at: 0)
    received = 0
    takenHead = nil
  }

  private func ask(_ head: ResponseHead, _ lines: ResponseLines) -> Bool {
    self.head = head
    do {
      guard try job.sink.beginAtOnce(head) else {
        stage = .asking
        engine.tell(job, .head(head))
        return true
      }
    } catch {
      return refuse(error, lines)
    }
    return headWasTaken()
  }

  /// The sink took the head; false when it takes nothing of the body.
  func headWasTaken() -> Bool {
    takenHead = head
    stage = .body
    guard mayTakeBody() else { return false }
    guard leg.range != nil, let kept = partial else { return true }
    partial = nil
    do {
      return try kept.bytes.withUnsafeBytes { put($0) }
    } catch {
      fail(.wrapping(error, as: .network, "What was kept of the body cannot be read.", subject: subject))
      return false
    }
  }

  /// Looks at the body that was announced, which matters only once its status was found good.
  private func mayTakeBody() -> Bool {
    if let packing {
      unpacker = Unpacker(packing)
      if unpacker == nil {
        fail(.unknownPacking(packing, subject: subject))
        return false
      }
    }
    if let length = head?.expectedLength, length > job.request.byteLimit {
      fail(.tooLarge(announced: length, limit: job.request.byteLimit, subject: subject))
      return false
    }
    return true
  }

  private func refuse(_ error: any Error, _ lines: ResponseLines) -> Bool {
    engine.answer(self, .failure(error))
    return discard(then: .end, lines)
  }

  /// Reads what is left where that is cheaper than another connection; false ends the leg.
  private func discard(then next: Next, _ lines: ResponseLines) -> Bool {
    self.next = next
    stage = .discarding
    discarded = 0
    guard job.request.method != "HEAD", lines.status != 304 else { return true }
    return lines.announcedLength.map { $0 <= Self.mostToDiscard } ?? (next != .end)
  }
}
