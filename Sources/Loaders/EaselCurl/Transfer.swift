import CEaselCurl
import EaselCore
import FoundationEssentials

/// One load on the engine's thread: its legs, one for each request, and the bytes that its sink was given.
///
/// It is used on that thread only. curl's callbacks only note what they saw and pass bytes on.
final class Transfer {
  /// The stage of the current leg.
  enum Stage {
    /// Waiting for the head.
    case head
    /// curl may answer this head itself with the credentials that the server asks for.
    case held
    /// The sink decides about the head.
    case asking
    /// The body goes to the sink.
    case body
    /// Unwanted bytes arrive: the body of a redirect or of a refused response.
    case discarding
  }

  /// The step after the end of the leg.
  enum Next {
    case end
    case redirect
    case notModified
    case afresh
  }

  let job: LoadJob
  // The engine also holds the transfer until it is over: callbacks have no time to count references.
  let engine: Engine
  var priority = LoadPriority.normal
  var link = QueueLink()

  var leg: Leg
  var handle: EasyHandle?
  var stage = Stage.head
  var next = Next.end
  var failure: ImageError?
  var head: ResponseHead?
  /// The head that the sink has accepted.
  var takenHead: ResponseHead?
  /// The number of bytes that the sink has.
  var received = 0
  var discarded = 0
  /// The length of the body as sent, and the number of its bytes that arrived.
  var announcedLength: Int?
  var packedCount = 0
  /// The content coding of the body, and the unpacker for it.
  var packing: String?
  var unpacker: Unpacker?
  /// True when only the end of the connection marks the end of the body.
  var endsWithConnection = false
  var isSinkPausing = false
  var isPausedInCurl = false
  var isAnswered = false
  /// The result of a leg that ended before the sink had decided.
  var earlyEnd: CURLcode?
  /// The part of the body that an earlier load kept; nil after it is used or found useless.
  var partial: PartialBody?
  var resumptions = 0
  var refusedAddress: IPAddress?
  /// The length of the whole body when the leg fetches the rest of a partial one.
  var joinedLength: Int?
  /// True when the transfer counts as running; a transfer that waits for its sink gives its place away.
  var hasPlace = false
  /// The time at which it began to wait for its sink; nil after the pause becomes long.
  var shortPauseStart: Int64?
  /// The time at which it began to read only unwanted bytes.
  var discardingStart: Int64 = 0
  var rate = TransferRate()
  var started: Int64 = 0
  var legStarted: Int64 = 0
  var lastActivity: Int64 = 0
  var tally = Tally()
  /// The head of the request as sent, with the cookies that curl added.
  var sentHead = SentHead()

  init(_ job: LoadJob, engine: Engine) {
    self.job = job
    self.engine = engine
    leg = Leg(job)
    partial = job.partial
    priority = job.firstPriority
  }

  var host: String { job.host }
  var subject: String { job.url }

  /// The most bytes that may come over a connection for one answer.
  ///
  /// The sum of the head, the body, and as much again for everything around the body: chunk sizes, encryption, and
  /// packing, which makes data that cannot be compressed a little larger.
  var mostBytes: UInt64 {
    let sizes = [job.request.byteLimit, job.request.byteLimit, engine.configuration.maximumHeadBytes, 1 << 20]
    return sizes.reduce(into: UInt64(0)) { $0 += UInt64(clamping: min($1, .max / 8)) }
  }

  var isRevalidation: Bool {
    job.request.headers["If-None-Match"] != nil || job.request.headers["If-Modified-Since"] != nil
  }

  /// True when the sink causes the pause, so that the server's silence does not count.
  var isPaused: Bool { stage == .asking || isSinkPausing }

  /// Makes the leg fail with this error after the callback returns.
  func fail(_ error: ImageError) {
    if failure == nil { failure = error }
  }

  // MARK: Callbacks

  /// Handles news of a head; false ends the leg.
  func takeHead(_ news: easel_head_news) -> Bool {
    switch news {
    case easel_head_is_whole:
      // A new head after a held one is the answer to curl's own next request.
      if stage == .held { stage = .head }
      return stage != .head || headIsWhole()
    case easel_head_is_too_large: fail(.headTooLarge(limit: engine.configuration.maximumHeadBytes, subject: subject))
    default: fail(.noMemory(subject))
    }
    return false
  }

  /// Takes a part of the body; returns the value that curl expects.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return 0 }
    if stage == .held, !acceptHead() { return 0 }
    switch stage {
    case .head, .held:
      fail(.notHTTP(subject: subject))
      return 0
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

  /// The most bytes worth reading to keep the connection.
  static let mostToDiscard = 64 << 10

  private func takeParts(of bytes: UnsafeRawBufferPointer) -> Bool {
    packedCount += bytes.count
    guard let unpacker else { return put(bytes) }
    return isUnpacked(unpacker.unpack(bytes, to: putPart))
  }

  /// Gives the sink the bytes that were held during a pause; false ends the leg.
  func putHeld() -> Bool {
    guard let unpacker, unpacker.isHolding else { return true }
    return isUnpacked(unpacker.unpackHeld(to: putPart))
  }

  private func putPart(_ part: UnsafeRawBufferPointer) -> Bool? { put(part) ? !isSinkPausing : nil }

  private func isUnpacked(_ progress: Unpacker.Progress) -> Bool {
    switch progress {
    case .done, .held: return true
    case .stopped: return false
    case .broken: fail(.brokenPacking(subject: subject, takenHead))
    case .tooLarge: fail(.packedTooLarge(limit: job.request.byteLimit, subject: subject))
    case .wasteful: fail(.wastefulPacking(packed: packedCount, unpacked: received, subject: subject))
    }
    return false
  }

  /// Gives bytes to the sink; false ends the leg.
  func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let joinedLength, received + bytes.count > joinedLength {
      // The server sends something other than the rest of this body, whatever its head says.
      startDiscarding(then: .afresh)
      return false
    }
    received += bytes.count
    guard received <= job.request.byteLimit else {
      fail(.tooLarge(limit: job.request.byteLimit, subject: subject))
      return false
    }
    switch job.sink.append(bytes) {
    case .more: return true
    case .pause:
      isSinkPausing = true
      engine.giveAwayPlace(of: self)
      let (commands, job) = (engine.commands, job)
      job.sink.whenReady { commands.add(.resume(job)) }
      return true
    case .stop:
      fail(ImageError(.cancelled, "The receiver stopped the transfer of the body.", subject: subject))
      return false
    }
  }
}
