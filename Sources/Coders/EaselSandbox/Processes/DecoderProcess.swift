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
  private let child: ForkServer.Child
  private let talk: Descriptor
  private let files: ProcessFiles
  /// The bytes of memory that the child may take, and the setting that raises this number.
  private let budget: (bytes: Int, setting: String)
  /// The time after which a child that has not begun is abandoned; nil for the whole time of the work.
  private let patience: Duration?
  /// Calls do not overlap, but they may come from several threads.
  private let hasBegun = Atomic(false)
  private let timer = Locked(ChildTimer())
  /// The number of bytes in the output file up to the last pixel that was used.
  private let need = Atomic(0)

  /// Starts the child and gives it the picture's bytes.
  init(
    _ picture: SandboxedImage, server: ForkServer, inputs: MemoryFilePool, outputs: MemoryFilePool,
    configuration: Sandbox.Configuration, patience: Duration? = nil, work: WorkContext
  ) throws {
    self.picture = picture
    self.patience = patience
    let own = picture.memoryBytes.flatMap { $0 < configuration.memoryBytes ? $0 : nil }
    budget = (own ?? configuration.memoryBytes, own == nil ? "Sandbox.Configuration.memoryBytes" : "Limits.framePixels")
    let limits = easel_sandbox_limits(
      memory_bytes: UInt64(budget.bytes + picture.bytes.count),
      output_bytes: UInt64(configuration.memoryBytes),
      // The host ends a child that takes too long. This limit is for a host that cannot do so in time.
      processor_seconds: UInt32(clamping: 20 * (work.limits.decodeTime.bounded.components.seconds + 1)),
      needs_filter: configuration.isBestEffort ? 0 : 1, coder: SandboxWorker.number(ofCoder: picture.coder),
      has_threads: picture.hasThreads ? 1 : 0)
    var started: (child: ForkServer.Child, talk: Descriptor)?
    files = try ProcessFiles(for: picture.bytes, inputs: inputs, outputs: outputs) { input, output in
      started = try server.startChild(input: input, output: output, limits: limits, work: work)
    }
    (child, talk) = started!
    var opening = MessageWriter()
    ChildOpening(coder: picture.coder, byteCount: picture.bytes.count, limits: work.limits).write(to: &opening)
    try send(opening.bytes, work)
  }

  deinit {
    // An honest child would end by itself now. A malicious child would keep a processor and memory as long as its files
    // wait.
    child.kill()
    files.giveBack(after: child, need: need.load(ordering: .relaxed))
  }

  /// Asks the child and waits for its answer.
  func ask(_ question: ChildRequest, work: WorkContext) throws -> ChildReply {
    var message = MessageWriter()
    question.write(to: &message)
    timer.withLock { $0.begin() }
    try send(message.bytes, work)
    let answer = try receive(work)
    guard let answer = try? ChildReply(answer) else { throw brokenRules("sent an answer that makes no sense") }
    if case .failure(let failure) = answer { throw error(of: failure) }
    return answer
  }

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
    let clock = RunningClock(of: child.server.process)
    var isDead = false
    repeat { isDead = child.isOver(within: 20) } while !isDead && !clock.isOver(.milliseconds(200))
    if !isDead { child.kill() }
    guard let end = child.end(within: 2000) else { return ForkServer.Gone() }
    if case .neverStarted = end { return end.error(of: picture) }
    guard hasBegun.load(ordering: .relaxed) else { return NeverBegan() }
    guard isDead else { return brokenRules("closed its socket and went on") }
    if case .signalled(SIGXCPU) = end { return ProcessorTimeUsedUp(error: end.error(of: picture)) }
    return end.error(of: picture)
  }

  // MARK: Messages

  private func send(_ message: [UInt8], _ work: WorkContext) throws {
    var bytes = withUnsafeBytes(of: UInt32(message.count).littleEndian) { Array($0) } + message
    while !bytes.isEmpty {
      let sent = easel_sandbox_send(talk.number, bytes, bytes.count)
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
    if !hasBegun.load(ordering: .relaxed) { try awaitBegin(work) }
    let count = try receive(4, work).reversed().reduce(0) { $0 << 8 | Int($1) }
    let most = work.limits.longestAnswer
    guard count <= most else { throw brokenRules("announced an answer of \(count) bytes, over the \(most) allowed") }
    return try receive(count, work)
  }

  private func awaitBegin(_ work: WorkContext) throws {
    // The server reports the number of the child before the child begins.
    try awaitSign(from: child.server.process, work)
    let process = try receive(MemoryLayout<pid_t>.size, work).reversed().reduce(0) { $0 << 8 | pid_t($1) }
    timer.withLock { $0.process = process }
    try awaitSign(from: process, work)
    guard try receive(1, work) == [UInt8(EASEL_SANDBOX_BEGUN)] else { throw brokenRules("began with a wrong byte") }
    hasBegun.store(true, ordering: .relaxed)
    timer.withLock { $0.begin() }
  }

  /// Waits until there is something to read; the process has a limited time for it.
  private func awaitSign(from process: pid_t, _ work: WorkContext) throws {
    guard easel_sandbox_wait_readable(talk.number, 20) == 0 else { return }
    let clock = RunningClock(of: process)
    repeat {
      if child.server.isStopped { throw ForkServer.Gone() }
      if let patience {
        guard !clock.isOver(patience) else { throw NeverBegan() }
        // The work on the picture has not begun.
        work.time.giveBack(.milliseconds(20))
      }
      try checkTime(work)
    } while easel_sandbox_wait_readable(talk.number, 20) == 0
  }

  private func receive(_ count: Int, _ work: WorkContext) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      // The time is checked even if there is something to read, because a child may send single bytes forever.
      try checkTime(work)
      while easel_sandbox_wait_readable(talk.number, 20) == 0 {
        try checkChild(work)
        try checkTime(work)
      }
      // Memory is only allocated for bytes that have arrived, because the announced count may be a lie.
      let part = [UInt8](unsafeUninitializedCapacity: min(count - bytes.count, 256 << 10)) { target, filled in
        filled = max(0, recv(talk.number, target.baseAddress!, target.count, CInt(MSG_DONTWAIT)))
      }
      if part.isEmpty { throw deathError() }
      bytes += part
    }
    return bytes
  }

  /// Throws if the child has used up its time.
  ///
  /// The time in which the child waits for a processor does not count, and the work gets this time back.
  private func checkChild(_ work: WorkContext) throws {
    let (used, waited) = timer.withLock { $0.look() }
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
