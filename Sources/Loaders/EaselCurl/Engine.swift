import CEaselCurl
import EaselCore

/// Runs all transfers of a loader on one thread: takes commands, starts transfers, runs curl and reports results.
///
/// It is used on that thread only. The only user code that runs on the thread is a custom ``AddressPolicy``.
final class Engine {
  let configuration: CurlLoader.Configuration
  let commands: CommandQueue
  let origins: [String: HTTPCredential]
  let loop: OpaquePointer
  private let calls: LoopCalls
  var cookies: UnsafeMutableRawPointer?
  let queue: TransferQueue
  var transfers: [ObjectIdentifier: Transfer] = [:]
  /// The most transfers at once.
  private(set) var maximumTransfers: Int
  var runningCount = 0
  /// The number of transfers that have been waiting for their sink for a short time.
  var shortPauses = 0
  private var idleHandles: [EasyHandle] = []
  let plainHeaders: HeaderList
  let idlePatience: Int64
  let totalPatience: Int64?
  let ratePeriod: Int64
  /// The fewest bytes that must arrive in each `ratePeriod`; nil for no such limit.
  let leastBytes: Int64?
  private var isSuspended = false
  private var isClosing = false
  private var news: [UnsafeContinuation<Void, Never>] = []
  private let clock: UnsafePointer<Int64>
  /// The time at which deadlines must be checked next.
  var nextCheck = Int64.max
  /// The time at which the last transfer ended.
  private(set) var idleSince: Int64 = 0

  /// Nil when the system lacks a resource that the loop needs.
  init?(_ configuration: CurlLoader.Configuration, _ commands: CommandQueue, calls: LoopCalls = LoopCalls()) {
    maximumTransfers = Self.sensible(configuration.maximumTransfers)
    guard let loop = calls.create(commands.wakeup, max(16, maximumTransfers)) else { return nil }
    self.loop = loop
    clock = easel_loop_clock(loop)
    self.calls = calls
    self.configuration = configuration
    self.commands = commands
    queue = TransferQueue(order: configuration.order, hostLimit: configuration.maximumTransfersPerHost)
    idlePatience = Int64(configuration.idleTimeout.milliseconds)
    totalPatience = configuration.totalTimeout.map { Int64($0.milliseconds) }
    ratePeriod = max(1, Int64(configuration.leastRatePeriod.milliseconds))
    leastBytes = configuration.leastRate.map {
      Int64(min(1e18, max(0, Double($0) * (configuration.leastRatePeriod / .seconds(1)))))
    }
    var headers = configuration.headers
    if headers["Accept-Encoding"] == nil { headers["Accept-Encoding"] = acceptedEncodings }
    plainHeaders = HeaderList(headers)
    var origins: [String: HTTPCredential] = [:]
    for (origin, credential) in configuration.credentials { origins[Leg.origin(origin) ?? origin] = credential }
    self.origins = origins
  }

  deinit {
    idleHandles = []
    easel_loop_destroy(loop)
    if let cookies { curl_share_cleanup(cookies) }
  }

  /// Runs until the loader is closed.
  func run() {
    var taken: [CommandQueue.Command] = []
    while true {
      commands.takeAll(into: &taken)
      for command in taken { perform(command) }
      taken.removeAll(keepingCapacity: true)
      finishWhatIsDone()
      if now >= nextCheck { checkDeadlines() }
      startWhatMayRun()
      tellNews()
      if isClosing { break }
      let patience = nextCheck == .max ? -1 : max(0, nextCheck - now)
      let code = calls.run(loop, commands.prepareToWait() ? patience : 0)
      if code != CURLM_OK { giveUpWhatRuns(code) }
    }
  }

  /// Between one and a number small enough to be multiplied.
  private static func sensible(_ transfers: Int) -> Int { min(max(1, transfers), 1 << 20) }

  /// Milliseconds of a clock that never goes back.
  var now: Int64 { clock.pointee }

  /// Fails every load that was posted to a thread that could not start.
  static func failLoads(in commands: CommandQueue) {
    commands.add(.close)
    var taken: [CommandQueue.Command] = []
    commands.takeAll(into: &taken)
    for case .start(let job) in taken {
      job.setEvent(.end(.failure(ImageError.noThread(job.url))))?.resume()
    }
  }

  // MARK: Commands

  private func perform(_ command: CommandQueue.Command) {
    switch command {
    case .start(let job): take(job)
    case .cancel(let job):
      if let transfer = transfers[ObjectIdentifier(job)] { stop(transfer, .failure(CancellationError())) }
    case .decide(let job, let decision):
      if let transfer = transfers[ObjectIdentifier(job)] { apply(decision, to: transfer) }
    case .resume(let job):
      if let transfer = transfers[ObjectIdentifier(job)], transfer.isSinkPausing {
        transfer.isSinkPausing = false
        takePlace(for: transfer)
        goOn(with: transfer)
        nextCheck = min(nextCheck, deadline(of: transfer))
      }
    case .prioritize(let job, let priority):
      if let transfer = transfers[ObjectIdentifier(job)] { queue.move(transfer, to: priority) }
    case .suspend(let isSuspended): self.isSuspended = isSuspended
    case .limit(let transfers): maximumTransfers = Self.sensible(transfers)
    case .forgetCookies: forgetCookies()
    case .close:
      isClosing = true
      for transfer in Array(transfers.values) { stop(transfer, .failure(ImageError.loaderClosed(transfer.subject))) }
    }
  }

  private func take(_ job: LoadJob) {
    guard !job.isCancelled else { return tell(job, .end(.failure(CancellationError()))) }
    let transfer = Transfer(job, engine: self)
    transfers[ObjectIdentifier(job)] = transfer
    queue.add(transfer)
    startWhatMayRun()
    guard transfer.handle == nil, transfers[ObjectIdentifier(job)] != nil else { return }
    // Only waiting transfers need to hear of changes of priority.
    let commands = commands
    job.request.priority.onChange(for: job) { job, priority in commands.add(.prioritize(job, priority)) }
  }

  private func startWhatMayRun() {
    guard !isSuspended, !isClosing else { return }
    while hasPlace, let transfer = queue.next() {
      runningCount += 1
      transfer.hasPlace = true
      transfer.started = now
      begin(transfer)
    }
  }

  private func apply(_ decision: LoadJob.Decision, to transfer: Transfer) {
    if transfer.stage == .asking { takePlace(for: transfer) }
    switch decision {
    case .accepted where transfer.next == .redirect: begin(transfer)
    case .accepted:
      guard transfer.stage == .asking else { return }
      if !transfer.headWasTaken() { return end(transfer, CURLE_WRITE_ERROR) }
      goOn(with: transfer)
      nextCheck = min(nextCheck, deadline(of: transfer))
    case .refused(let error): stop(transfer, .failure(error))
    }
  }

  /// Continues after the sink is ready: delivers the bytes held here first, then those that curl holds.
  private func goOn(with transfer: Transfer) {
    guard transfer.putHeld() else { return end(transfer, CURLE_WRITE_ERROR) }
    guard !transfer.isPaused, let handle = transfer.handle else { return }
    if let code = transfer.earlyEnd { return end(transfer, code) }
    guard transfer.isPausedInCurl else { return }
    transfer.isPausedInCurl = false
    // curl delivers the kept body inside this call, and would go on even when that delivery fails.
    let code = curl_easy_pause(handle.easy, CURLPAUSE_CONT)
    if code != CURLE_OK || transfer.failure != nil { end(transfer, code) }
  }

  // MARK: Legs

  /// Starts the next leg of a transfer that has a place.
  private func begin(_ transfer: Transfer) {
    transfer.stage = .head
    transfer.next = .end
    transfer.isPausedInCurl = false
    transfer.earlyEnd = nil
    transfer.refusedAddress = nil
    transfer.sentHead = SentHead()
    transfer.joinedLength = nil
    transfer.legStarted = now
    transfer.lastActivity = now
    if let partial = transfer.partial, transfer.leg.range == nil, transfer.leg.redirects == 0 {
      transfer.leg.range = BodyRange(
        start: partial.bytes.count, length: partial.length, validator: partial.validator, head: partial.head)
    }
    guard let handle = idleHandles.popLast() ?? EasyHandle(loop: loop) else {
      return finish(transfer, .failure(ImageError.noMemory(transfer.subject)))
    }
    transfer.handle = handle
    transfer.rate.begin(at: now, bytes: handle.bytes)
    handle.prepare(for: transfer)
    setUp(handle, for: transfer)
    guard easel_loop_add(loop, handle.easy) == CURLM_OK else {
      return stop(transfer, .failure(ImageError.noMemory(transfer.subject)))
    }
    nextCheck = min(nextCheck, deadline(of: transfer))
  }

  private func finishWhatIsDone() {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while easel_loop_next_done(loop, &easy, &code) {
      guard let owner = easel_easy_receiver(easy)?.pointee.owner else { continue }
      end(Unmanaged<Transfer>.fromOpaque(owner).takeUnretainedValue(), code)
    }
  }

  /// Handles the end of a leg.
  func end(_ transfer: Transfer, _ code: CURLcode) {
    if transfer.stage == .held, code == CURLE_OK { _ = transfer.acceptHead() }
    let mustWait = transfer.stage == .asking || transfer.unpacker?.isHolding == true
    if mustWait, code == CURLE_OK, transfer.failure == nil, !transfer.isAnswered {
      transfer.earlyEnd = code
      return
    }
    let detail = transfer.handle?.detail ?? ""
    if transfer.handle?.isFlooded == true {
      transfer.fail(.flooded(limit: transfer.mostBytes, subject: transfer.subject))
    }
    let wasCut = code != CURLE_OK && transfer.handle.map { easel_loop_was_cut(loop, $0.easy) } == true
    release(transfer)
    if transfer.isAnswered { return finish(transfer, .failure(CancellationError())) }
    if let failure = transfer.failure { return finish(transfer, .failure(failure)) }
    switch (transfer.stage, transfer.next) {
    case (.discarding, .redirect): follow(transfer)
    case (.discarding, .notModified): finish(transfer, .success(.notModified(transfer.head!)))
    case (.discarding, .afresh): startAfresh(transfer)
    case (.body, _) where code == CURLE_OK && transfer.joinedLength.map { $0 != transfer.received } == true:
      startAfresh(transfer)
    case (.body, _) where code == CURLE_OK && transfer.announcedLength.map { $0 != transfer.packedCount } == true:
      finish(transfer, .failure(transfer.otherLengthError()))
    case (.body, _) where code == CURLE_OK && transfer.unpacker?.isComplete == false:
      finish(transfer, .failure(transfer.incompletePackingError()))
    case (.body, _) where code == CURLE_OK:
      finish(transfer, .success(.body(transfer.tally.metrics(redirects: transfer.leg.redirects))))
    // Do not retry: the same server would do it again.
    case _ where wasCut: finish(transfer, .failure(transfer.uselessBytesError(for: code, detail: detail)))
    default: fail(transfer, code, detail)
    }
  }

  private func fail(_ transfer: Transfer, _ code: CURLcode, _ detail: String) {
    if transfer.metSpoiledConnection(code) || transfer.metUselessConnection(code) {
      transfer.leg.isAlone = true
      return begin(transfer)
    }
    if transfer.stage == .body, transfer.isCut(by: code), let range = transfer.rest(),
      transfer.resumptions < configuration.maximumResumptions
    {
      transfer.resumptions += 1
      transfer.leg = Leg(transfer.job)
      transfer.leg.range = range
      return begin(transfer)
    }
    finish(transfer, .failure(transfer.error(for: code, detail: detail)))
  }

  private func startAfresh(_ transfer: Transfer) {
    transfer.partial = nil
    transfer.leg = Leg(transfer.job)
    begin(transfer)
  }

  private func follow(_ transfer: Transfer) {
    let redirect: Redirect
    do {
      redirect = try transfer.followRedirect()
    } catch {
      return finish(transfer, .failure(error))
    }
    guard configuration.mayFollow != nil else { return begin(transfer) }
    transfer.stage = .asking
    giveAwayPlace(of: transfer)
    tell(transfer.job, .redirect(redirect))
  }

  /// Removes a transfer from curl.
  private func release(_ transfer: Transfer) {
    guard let handle = transfer.handle else { return }
    transfer.tally.add(handle.easy)
    easel_loop_remove(loop, handle.easy)
    easel_loop_leave(loop, handle.easy)
    transfer.lastActivity = max(transfer.lastActivity, handle.activity)
    transfer.handle = nil
    if idleHandles.count < maximumTransfers { idleHandles.append(handle) }
  }

  /// Ends all transfers that curl works on: after this error curl would never resume them.
  ///
  /// New ones can start afresh.
  private func giveUpWhatRuns(_ code: CURLMcode) {
    finishWhatIsDone()
    for transfer in Array(transfers.values) where transfer.handle != nil {
      stop(transfer, .failure(ImageError.loopFailed(code, subject: transfer.subject)))
    }
  }

  /// Ends a transfer at any stage.
  func stop(_ transfer: Transfer, _ result: Result<LoadResult, any Error>) {
    release(transfer)
    finish(transfer, result)
  }

  private func finish(_ transfer: Transfer, _ result: Result<LoadResult, any Error>) {
    leavePlace(of: transfer)
    transfers[ObjectIdentifier(transfer.job)] = nil
    if transfers.isEmpty {
      idleSince = now
      nextCheck = min(nextCheck, now + Self.idleTime)
    }
    if case .failure = result { transfer.keepWhatCame() }
    answer(transfer, result)
  }

  // MARK: News

  /// Queues an event for a task; the task is woken after all other work of the round.
  func tell(_ job: LoadJob, _ event: LoadJob.Event) {
    guard let waiting = job.setEvent(event) else { return }
    news.append(waiting)
  }

  /// Reports how a load ended, once.
  func answer(_ transfer: Transfer, _ result: Result<LoadResult, any Error>) {
    guard !transfer.isAnswered else { return }
    transfer.isAnswered = true
    tell(transfer.job, .end(result))
    // The rest is read only to keep the connection and gets little time.
    if transfer.handle != nil { nextCheck = min(nextCheck, deadline(of: transfer)) }
  }

  private func tellNews() {
    guard !news.isEmpty else { return }
    for waiting in news { waiting.resume() }
    news.removeAll(keepingCapacity: true)
  }
}
