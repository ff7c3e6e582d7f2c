import CEaselSandbox
import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc
import Synchronization

/// A child that decodes one picture; the child ends with the last reference to this object.
///
/// Calls to this object must not overlap.
final class DecoderProcess: Sendable {
  let picture: SandboxedImage
  private let server: ForkServer
  private let child: SandboxChild
  private let files: ProcessFiles
  private let limits: easel_sandbox_limits
  /// The bytes of memory that the child may take, and the setting that raises this number.
  private let budget: (bytes: Int, setting: String)
  /// The time after which a child that has not begun is abandoned; nil for the whole time of the work.
  private let patience: Duration?
  /// The first message, which goes with the first question; nil once it is sent.
  ///
  /// Calls do not overlap, but they may come from several threads.
  private let opening: Locked<[UInt8]?>
  private let hasBegun: Atomic<Bool>
  /// The number of pictures that the child has had, with this one.
  private let pictures: Int
  /// True if the child has another picture now.
  private let isOver = Atomic(false)
  private let timer: Locked<ChildTimer>
  /// The number of bytes in the output file up to the last pixel that was used.
  private let need = Atomic(0)

  /// Gets a child, and files for it, but does not tell the child of the picture yet.
  ///
  /// With `arriving`, the bytes so far are put into the child's file by ``append(_:from:)``, and it has room for so many
  /// in all.
  init(
    _ picture: SandboxedImage, server: ForkServer, inputs: MemoryFilePool, outputs: MemoryFilePool,
    configuration: Sandbox.Configuration, arriving most: Int? = nil, patience: Duration? = nil, work: WorkContext
  ) throws {
    (self.picture, self.server, self.patience) = (picture, server, patience)
    pictures = 1
    hasBegun = Atomic(false)
    let own = picture.memoryBytes.flatMap { $0 < configuration.memoryBytes ? $0 : nil }
    budget = (own ?? configuration.memoryBytes, own == nil ? "Sandbox.Configuration.memoryBytes" : "Limits.framePixels")
    limits = easel_sandbox_limits(
      // A child of several pictures has room for the bytes of each.
      memory_bytes: UInt64(
        budget.bytes
          + max(most ?? picture.bytes.count, configuration.picturesPerProcess > 1 ? Self.mostReusedBytes : 0)),
      output_bytes: UInt64(configuration.memoryBytes),
      // The host ends a child that takes too long. This limit is for a host that cannot do so in time.
      processor_seconds: UInt32(clamping: 20 * (work.limits.decodeTime.bounded.components.seconds + 1)),
      needs_filter: configuration.isBestEffort ? 0 : 1)
    var opening = MessageWriter()
    ChildOpening(coder: picture.coder, byteCount: picture.bytes.count, limits: work.limits).write(to: &opening)
    self.opening = Locked(opening.bytes)
    let arriving =
      try most == nil ? nil : ProcessFiles(arriving: picture.bytes, inputs: inputs, outputs: outputs)
    if most != nil, arriving == nil { throw ImageError.sandboxLacks("a file that grows") }
    files = try arriving ?? ProcessFiles(for: picture.bytes, inputs: inputs, outputs: outputs)
    child = try server.child(of: picture.childKind, patience: patience, work: work)
    timer = Locked(ChildTimer(process: child.process))
  }

  /// Gives the child of a picture that is done another picture; nil if that is impossible.
  init?(_ picture: SandboxedImage, after used: DecoderProcess) throws {
    guard let files = try ProcessFiles(for: picture.bytes, after: used.files) else { return nil }
    used.isOver.store(true, ordering: .relaxed)
    (self.picture, server, child, patience) = (picture, used.server, used.child, nil)
    (self.files, limits, budget) = (files, used.limits, used.budget)
    pictures = used.pictures + 1
    hasBegun = Atomic(true)
    opening = Locked(nil)
    timer = Locked(ChildTimer(process: child.process))
  }

  /// Tells a child that had another picture of this one.
  func tellOfPicture(_ work: WorkContext) throws {
    var message = MessageWriter()
    let opening = ChildOpening(coder: picture.coder, byteCount: picture.bytes.count, limits: work.limits)
    ChildRequest.next(opening).write(to: &message)
    try send(Self.framed(message.bytes)[...], work)
  }

  /// True if the child may have another picture after this one.
  func canServe(_ other: SandboxedImage, atMost most: Int) -> Bool {
    pictures < most && picture.isOrdinary && other.isOrdinary && other.group == picture.group
      && other.bytes.count <= Self.mostReusedBytes && !child.end.isOver(within: 0)
  }

  /// The number of the child, for tests.
  var number: Int { Int(child.process) }

  private static let mostReusedBytes = 64 << 20

  deinit {
    guard !isOver.load(ordering: .relaxed) else { return }
    // An honest child would end by itself now. A malicious child would keep a processor and memory as long as its files
    // wait.
    child.kill()
    files.giveBack(after: child.end, need: need.load(ordering: .relaxed))
    // The server is told of both at once.
    server.prepare(picture.childKind)
  }

  /// Asks the child and waits for its answer.
  func ask(_ question: ChildRequest, work: WorkContext) throws -> ChildReply {
    var message = MessageWriter()
    question.write(to: &message)
    timer.withLock { $0.begin() }
    let text = Self.framed(message.bytes)
    if let opening = opening.withLock({ $0.take() }) {
      try begin(with: Self.framed(opening) + text, work)
    } else {
      try send(text[...], work)
    }
    let answer = try receive(work)
    guard let answer = try? ChildReply(answer) else { throw brokenRules("sent an answer that makes no sense") }
    if case .failure(let failure) = answer { throw error(of: failure) }
    return answer
  }

  /// Adds bytes that have arrived to the child's file.
  func append(_ bytes: ImageBytes, from start: Int) throws { try files.append(bytes, from: start) }

  /// Copies pixels from the child's file.
  func bitmap(_ stored: StoredBitmap, limits: Limits) throws -> Bitmap {
    try limits.check(frame: stored.size, claimedBy: claimant)
    try take(stored.byteCount, at: stored.offset, "pixels")
    var bitmap = try Bitmap(unfilled: stored.size, format: stored.format, bytesPerRow: stored.bytesPerRow)
    guard bitmap.withUnsafeMutableBytes({ files.output.read(at: stored.offset, into: $0) }) else {
      throw brokenRules("made its pixels fewer while they were read")
    }
    return bitmap
  }

  /// Copies a stored file from the child's file.
  func bytes(_ stored: StoredFile) throws -> ImageBytes {
    try take(stored.byteCount, at: stored.offset, "a file")
    var bytes = Data(count: stored.byteCount)
    guard bytes.withUnsafeMutableBytes({ files.output.read(at: stored.offset, into: $0) }) else {
      throw brokenRules("made its file shorter while it was read")
    }
    return ImageBytes(bytes)
  }

  /// Checks that bytes are within the child's file, and notes that they were needed.
  private func take(_ count: Int, at offset: Int, _ name: String) throws {
    let available = files.output.byteCount
    guard offset <= available, count <= available - offset else {
      throw brokenRules("claimed \(count) bytes of \(name) at \(offset), but its file has \(available)")
    }
    need.store(max(need.load(ordering: .relaxed), offset + count), ordering: .relaxed)
  }

  // MARK: Errors

  /// The child has used all its processor time, perhaps for many frames.
  struct ProcessorTimeUsedUp: Error {
    let error: ImageError
  }

  /// The child ended, or was stopped, before it began with its picture.
  struct NeverBegan: Error {}

  /// The start of sentences about the child's claims.
  var claimant: String { "The coder \(picture.coder) in the sandbox" }

  func brokenRules(_ what: String) -> ImageError {
    ImageError(
      .decoderCrashed,
      "\(claimant) \(what). It was ended; the picture may be an attempt to break in.",
      cause: DecoderCrash(of: picture.coder))
  }

  private func error(of failure: StoredFailure) -> ImageError {
    guard failure.isExhaustion else { return ImageError(failure.code, failure.message) }
    return ImageError(
      .limitExceeded,
      "The coder \(picture.coder) did not get by with the \(budget.bytes) bytes of memory of a process in the sandbox "
        + "(\(failure.message)). Raise \(budget.setting) to allow more.")
  }

  /// The error for a child that has closed its socket; ``ForkServer/Gone`` if its end is unknown.
  ///
  /// The error is ``NeverBegan`` if the picture cannot be the reason.
  private func deathError() -> any Error {
    // A child that crashed closes its socket a moment before the server notices its end.
    let clock = RunningClock(of: server.process)
    var isDead = false
    repeat { isDead = child.end.isOver(within: 20) } while !isDead && !clock.isOver(.milliseconds(200))
    if !isDead { child.kill() }
    guard let end = child.end.exit(within: 2000) else { return ForkServer.Gone() }
    guard child.end.hasBegun else { return NeverBegan() }
    guard isDead else { return brokenRules("closed its socket and went on") }
    if case .signalled(SIGXCPU) = end { return ProcessorTimeUsedUp(error: end.error(of: picture)) }
    return end.error(of: picture)
  }

  // MARK: Messages

  /// A message with its length in front.
  private static func framed(_ message: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(message.count).littleEndian) { Array($0) } + message
  }

  /// Gives the child its limits, its files and the first messages.
  private func begin(with bytes: [UInt8], _ work: WorkContext) throws {
    var limits = limits
    let sent = try files.withDescriptors {
      easel_sandbox_send_picture(child.talk.number, &limits, $0, $1, bytes, bytes.count)
    }
    guard sent >= 0 else { throw deathError() }
    try send(bytes[sent...], work)
  }

  private func send(_ message: ArraySlice<UInt8>, _ work: WorkContext) throws {
    var bytes = message
    while !bytes.isEmpty {
      let sent = bytes.withUnsafeBytes { easel_sandbox_send(child.talk.number, $0.baseAddress, $0.count) }
      if sent > 0 {
        bytes.removeFirst(sent)
      } else if errno == EAGAIN {
        // The child does not read.
        try checkTime(work)
        usleep(1000)
      } else if errno != EINTR {
        throw deathError()
      }
    }
  }

  private func receive(_ work: WorkContext) throws -> [UInt8] {
    try awaitBegin(work)
    // Most answers come as a whole.
    var bytes = try receiveMore(4096, work)
    while bytes.count < 4 { bytes += try receiveMore(4096, work) }
    let count = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let most = work.limits.longestAnswer
    guard count <= most else { throw brokenRules("announced an answer of \(count) bytes, over the \(most) allowed") }
    // Memory is only allocated for bytes that have arrived, because the announced count may be a lie.
    while bytes.count < 4 + count { bytes += try receiveMore(min(4 + count - bytes.count, 256 << 10), work) }
    guard bytes.count == 4 + count else { throw brokenRules("said more than it was asked for") }
    bytes.removeFirst(4)
    return bytes
  }

  /// Waits for the first sign of life; the child has a limited time to begin, if others may take its place.
  private func awaitBegin(_ work: WorkContext) throws {
    guard !hasBegun.load(ordering: .relaxed) else { return }
    defer { hasBegun.store(true, ordering: .relaxed) }
    guard easel_sandbox_wait_readable(child.talk.number, 20) == 0, !child.end.hasBegun else { return }
    let clock = patience.map { (RunningClock(of: child.process), $0) }
    repeat {
      if server.isStopped { throw ForkServer.Gone() }
      if let (clock, patience) = clock {
        guard !clock.isOver(patience) else { throw NeverBegan() }
        // The work on the picture has not begun.
        work.time.giveBack(.milliseconds(20))
      }
      try checkTime(work)
      timer.withLock { $0.begin() }
    } while easel_sandbox_wait_readable(child.talk.number, 20) == 0 && !child.end.hasBegun
  }

  /// Waits for bytes, at most so many.
  private func receiveMore(_ count: Int, _ work: WorkContext) throws -> [UInt8] {
    // The time is checked even if there is something to read, because a child may send single bytes forever.
    try checkTime(work)
    while easel_sandbox_wait_readable(child.talk.number, 20) == 0 {
      try checkChild(work)
      try checkTime(work)
    }
    let part = [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      filled = max(0, recv(child.talk.number, target.baseAddress!, target.count, CInt(MSG_DONTWAIT)))
    }
    if part.isEmpty { throw deathError() }
    return part
  }

  /// Throws if the child has used up its time.
  ///
  /// The time in which the child waits for a processor does not count, and the work gets this time back.
  private func checkChild(_ work: WorkContext) throws {
    let (used, waited) = timer.withLock { timer in
      let times = timer.look()
      timer.giveWay(after: times.used)
      return times
    }
    work.time.giveBack(waited)
    guard used <= work.limits.decodeTime else {
      throw ImageError(
        .limitExceeded,
        "The coder \(picture.coder) did not finish within \(work.limits.decodeTime) of processor time, and its process was "
          + "ended. Raise Limits.decodeTime if the picture needs more time.")
    }
  }

  private func checkTime(_ work: WorkContext) throws {
    do {
      try work.checkCancellation()
    } catch {
      guard !error.isCancellation else { throw error }
      // The same bytes would take as long again, so the error is permanent.
      throw ImageError(
        .limitExceeded,
        "The coder \(picture.coder) did not finish within \(work.limits.decodeTime), and its process was ended. Raise "
          + "Limits.decodeTime if the picture needs more time.")
    }
  }
}

extension Limits {
  /// The most bytes of an answer: three blocks of metadata, the delays of all frames, and the parts of fixed size.
  fileprivate var longestAnswer: Int {
    min(1 << 30, 3 * min(metadataBytes, 1 << 28) + 8 * min(frames, 1 << 24) + (1 << 20))
  }
}
