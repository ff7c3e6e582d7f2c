import CEaselCurl
import EaselCore

/// Runs all transfers of a loader on one thread: takes commands, starts transfers, runs curl, and reports results.
///
/// It is used only on that thread. The only user code on that thread is a custom ``AddressPolicy``.
final class CurlEngine {
  let configuration: CurlLoader.Configuration
  let commands: CommandQueue
  let credentials: [String: CurlLoader.Credential]
  let loop: OpaquePointer
  private let calls: EngineCalls
  var cookies: UnsafeMutableRawPointer?
  let queue: TransferQueue
  var transfers: [ObjectIdentifier: Transfer] = [:]
  /// The most transfers that may run at once.
  private(set) var maximumTransfers: Int
  var runningCount = 0
  /// The number of transfers that wait for their sink, and have done so only for a short time.
  var shortPauseCount = 0
  var idleHandles: [EasyHandle] = []
  let plainHeaders: HeaderList
  /// The `Cache-Control` field that the loader adds to each request; nil for none.
  let cacheControl: String?
  /// The limits of the configuration in milliseconds.
  let idleTimeout: Int64
  let totalTimeout: Int64?
  let ratePeriod: Int64
  /// The fewest bytes that must arrive in each `ratePeriod`; nil for no limit.
  let leastBytes: Int64?
  private var isSuspended = false
  private var isClosing = false
  private var tasksToWake: [UnsafeContinuation<Void, Never>] = []
  private let clock: UnsafePointer<Int64>
  /// The time at which deadlines must be checked next.
  var nextCheck = Int64.max
  /// The time at which the last transfer ended.
  var idleSince: Int64 = 0

  /// Returns nil when the system lacks a resource that the loop needs.
  init?(_ configuration: CurlLoader.Configuration, _ commands: CommandQueue, calls: EngineCalls = EngineCalls()) {
    maximumTransfers = Self.clamped(configuration.maximumTransfers)
    guard let loop = calls.create(commands.wakeup, max(16, maximumTransfers)) else { return nil }
    self.loop = loop
    clock = easel_loop_clock(loop)
    self.calls = calls
    self.configuration = configuration
    self.commands = commands
    queue = TransferQueue(
      order: configuration.order, hostLimit: configuration.maximumTransfersPerHost,
      sharedPlaces: configuration.sharesTransfersEvenly ? maximumTransfers : nil)
    idleTimeout = Int64(configuration.idleTimeout.milliseconds)
    totalTimeout = configuration.totalTimeout.map { Int64($0.milliseconds) }
    ratePeriod = max(1, Int64(configuration.leastRatePeriod.milliseconds))
    leastBytes = configuration.leastRate.map {
      Int64(min(1e18, max(0, Double($0) * (configuration.leastRatePeriod / .seconds(1)))))
    }
    cacheControl = configuration.headers["Cache-Control"]
    var headers = configuration.headers
    if headers["Accept-Encoding"] == nil { headers["Accept-Encoding"] = Unpacker.acceptedCodings }
    plainHeaders = HeaderList(headers)
    credentials = Dictionary(
      configuration.credentials.map { (TransferStep.origin($0.key) ?? $0.key, $0.value) }, uniquingKeysWith: { $1 })
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
      endFinishedLegs()
      if now >= nextCheck { checkDeadlines() }
      startQueuedTransfers()
      wakeTasks()
      if isClosing { break }
      let time = nextCheck == .max ? -1 : max(0, nextCheck - now)
      let code = calls.run(loop, commands.prepareToWait() ? time : 0)
      if code != CURLM_OK { failRunningTransfers(code) }
    }
  }

  /// Limits the number to at least one, and to a number that is small enough to be multiplied.
  private static func clamped(_ transfers: Int) -> Int { min(max(1, transfers), 1 << 20) }

  /// The milliseconds of a clock that never goes back.
  var now: Int64 { clock.pointee }

  /// Fails every load that was added to the queue of a thread that could not start.
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
    case .start(let job): enqueue(job)
    case .cancel(let job):
      if let transfer = transfers[ObjectIdentifier(job)] { stop(transfer, .failure(CancellationError())) }
    case .decide(let job, let decision):
      if let transfer = transfers[ObjectIdentifier(job)] { apply(decision, to: transfer) }
    case .resume(let job):
      if let transfer = transfers[ObjectIdentifier(job)], transfer.isSinkPausing { endSinkPause(of: transfer) }
    case .prioritize(let job, let priority):
      if let transfer = transfers[ObjectIdentifier(job)] { queue.move(transfer, to: priority) }
    case .suspend(let isSuspended): self.isSuspended = isSuspended
    case .limit(let transfers): maximumTransfers = Self.clamped(transfers)
    case .forgetCookies: forgetCookies()
    case .close:
      isClosing = true
      for transfer in Array(transfers.values) { stop(transfer, .failure(ImageError.loaderClosed(transfer.subject))) }
    }
  }

  private func enqueue(_ job: LoadJob) {
    guard !job.isCancelled else { return send(.end(.failure(CancellationError())), to: job) }
    let transfer = Transfer(job, engine: self)
    transfers[ObjectIdentifier(job)] = transfer
    queue.add(transfer)
    startQueuedTransfers()
    guard case .queued = transfer.place else { return }
    // Only a transfer that waits must be told when its priority changes.
    let commands = commands
    job.request.priority.onChange(for: job) { job, priority in commands.add(.prioritize(job, priority)) }
  }

  private func startQueuedTransfers() {
    guard !isSuspended, !isClosing else { return }
    while hasPlace, let transfer = queue.next() {
      runningCount += 1
      transfer.place = .running
      transfer.startTime = now
      start(TransferStep(transfer.job), of: transfer)
    }
  }

  /// Continues after the task has asked the sink about a head, or the loader's hook about a redirect.
  private func apply(_ decision: LoadJob.Decision, to transfer: Transfer) {
    if case .refused(let error) = decision { return stop(transfer, .failure(error)) }
    switch transfer.stage {
    case .redirecting(let step):
      takePlace(for: transfer)
      start(step, of: transfer)
    case .running(let exchange):
      guard case .judging(let body) = exchange.phase else { return }
      takePlace(for: transfer)
      guard exchange.receive(body) else { return end(exchange, CURLE_WRITE_ERROR) }
      resume(exchange)
      noteDeadline(of: transfer)
    case .idle, .ended: return
    }
  }

  private func endSinkPause(of transfer: Transfer) {
    transfer.isSinkPausing = false
    takePlace(for: transfer)
    if let exchange = transfer.exchange { resume(exchange) }
    noteDeadline(of: transfer)
  }

  // MARK: Tasks

  /// Sends an event to the task of a job; the task wakes up after all other work of the round.
  func send(_ event: LoadJob.Event, to job: LoadJob) {
    guard let task = job.setEvent(event) else { return }
    tasksToWake.append(task)
  }

  private func wakeTasks() {
    guard !tasksToWake.isEmpty else { return }
    for task in tasksToWake { task.resume() }
    tasksToWake.removeAll(keepingCapacity: true)
  }
}

/// The calls that create and run an engine's loop.
///
/// Tests replace these calls to simulate failures, or to skip time.
struct EngineCalls: Sendable {
  /// Creates a loop; nil when the system lacks a resource that the loop needs.
  var create: @Sendable (_ wakeup: CInt, _ keptConnections: Int) -> OpaquePointer? = easel_loop_create
  /// Waits for events and lets curl work.
  var run: @Sendable (_ loop: OpaquePointer, _ milliseconds: Int64) -> CURLMcode = easel_loop_run
}
