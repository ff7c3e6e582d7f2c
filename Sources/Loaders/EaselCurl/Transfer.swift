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
  /// The length of the whole, where the leg brings the rest of what is there already.
  var joinedLength: Int?
  /// Whether it counts among those that run; one that waits for its sink gives its place away.
  var hasPlace = false
  /// When it began to wait for its sink, for as long as that is not long ago.
  var shortPauseStart: Int64?
  /// When it began to read only what nobody wants.
  var discardingStart: Int64 = 0
  var rate = TransferRate()
  var started: Int64 = 0
  var legStarted: Int64 = 0
  var lastActivity: Int64 = 0
  var tally = Tally()
  /// The head that was sent, with the cookies that curl added.
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

  /// What may come over a connection for one answer.
  ///
  /// That is its head, the body, and as much again around the body: the sizes of chunks, encryption, and packing, which
  /// adds a little to what cannot be made smaller.
  var mostBytes: UInt64 {
    let sizes = [job.request.byteLimit, job.request.byteLimit, engine.configuration.maximumHeadBytes, 1 << 20]
    return sizes.reduce(into: UInt64(0)) { $0 += UInt64(clamping: min($1, .max / 8)) }
  }

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

  /// More than this is not worth reading for the sake of the connection.
  static let mostToDiscard = 64 << 10

  private func takeParts(of bytes: UnsafeRawBufferPointer) -> Bool {
    packedCount += bytes.count
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
    case .broken: fail(.brokenPacking(subject: subject, takenHead))
    case .tooLarge: fail(.packedTooLarge(limit: job.request.byteLimit, subject: subject))
    case .wasteful: fail(.wastefulPacking(packed: packedCount, unpacked: received, subject: subject))
    }
    return false
  }

  /// Gives bytes to the sink; false ends the leg.
  func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let joinedLength, received + bytes.count > joinedLength {
      // It is not the rest of what is there, whatever it says.
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
      let (mailbox, job) = (engine.mailbox, job)
      job.sink.whenReady { mailbox.post(.resume(job)) }
      return true
    case .stop:
      fail(ImageError(.cancelled, "The receiver wanted no more of the body.", subject: subject))
      return false
    }
  }
}
