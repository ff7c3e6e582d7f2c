import EaselCore
import EaselSupport
import EaselWorkers

/// Decodes the frames of one moving picture once for all of its players, and ahead as far as the budget allows.
///
/// One job on a worker thread makes frames one after another, because most sources make a frame from the one before. It
/// goes on as long as there is something to decode: each thread that has to be woken costs as much as a small frame.
final class PlaybackFrames: Sendable {
  /// Identifies one player.
  final class Player: Sendable {}

  let source: any FrameSource

  private let budget: ImagePlayer.FrameBudget
  private let workers: WorkerSet
  private let hanging = OverdueCalls()
  /// The size of a frame while none is there.
  private let expectedBytes: Int
  private let state = Locked(State())

  fileprivate struct State {
    var ready: [Int: Bitmap] = [:]
    var waiters: [Waiter] = []
    /// The upcoming frames of each player, nearest first.
    var plans: [(player: ObjectIdentifier, frames: [Int])] = []
    /// The job that makes frames now.
    var job: Job?
    /// A frame that failed or could not be kept, which would otherwise be decoded again and again.
    var futile: Int?
  }

  /// One turn on a worker thread.
  fileprivate final class Job: Sendable {
    let index = Locked(0)
  }

  init(_ source: any FrameSource, budget: ImagePlayer.FrameBudget) {
    self.source = source
    self.budget = budget
    workers = budget.workers
    expectedBytes = min(source.canvasSize.area, 1 << 60) * 4
  }

  /// The bytes of the frames kept in memory.
  var keptBytes: Int { state.withLock { $0.keptBytes } }

  /// The number of upcoming frames that matter: those for which there is room, and the next one.
  var mostPlanned: Int {
    let bytes = state.withLock { frameBytes($0) }
    return max(1, min(source.count, budget.share / max(1, bytes))) + 1
  }

  /// The pixels of a frame.
  ///
  /// Decodes it if necessary.
  func frame(at index: Int) async throws -> Bitmap {
    if let bitmap = state.withLock({ $0.ready[index] }) { return bitmap }
    let waiter = Waiter(index)
    await withUnsafeContinuation { continuation in
      waiter.begin(continuation)
      guard hanging.count == 0 else { return waiter.end(.failure(Self.hangs(at: index))) }
      let (bitmap, job) = state.withLock { state -> (Bitmap?, Job?) in
        if let bitmap = state.ready[index] { return (bitmap, nil) }
        state.waiters.append(waiter)
        return (nil, state.beginJob())
      }
      if let bitmap { waiter.end(.success(bitmap)) }
      if let job { start(job) }
    }
    return try waiter.takeResult()
  }

  /// Notes the upcoming frames of a player and decodes them in the background.
  func prepare(_ upcoming: [Int], for player: Player) {
    let share = budget.share
    let isHanging = hanging.count > 0
    let job = state.withLock { state -> Job? in
      state.plan(upcoming, for: ObjectIdentifier(player))
      state.futile = nil
      dropFarthestFrames(&state, share)
      guard !isHanging, nextToDecode(state, share) != nil else { return nil }
      return state.beginJob()
    }
    if let job { start(job) }
  }

  /// Removes a player.
  func leave(_ player: Player) {
    let share = budget.share
    state.withLock { state in
      state.plan(nil, for: ObjectIdentifier(player))
      dropFarthestFrames(&state, share)
    }
  }

  // MARK: Decoding

  /// The longest time that a source may take for one frame.
  private static let frameTime = Limits().decodeTime

  /// The time after which a job lets others have its thread.
  private static let turnTime = Duration.milliseconds(50)

  /// A source that hangs gets no other thread before its call has returned.
  private func start(_ job: Job) {
    let call = OverdueCalls.Call(of: hanging)
    let terms = JobTerms(WorkTime(Self.frameTime, clock: workers.clock)) {
      call.noteLate()
      return Self.hangs(at: job.index.withLock { $0 })
    }
    let giveUp: @Sendable (ImageError) -> Void = { [self] failure in end(job, failure) }
    workers.start(at: LoadPriority.Live(), terms, onFailure: giveUp) { [self] in
      let hasMore = makeFrames(job)
      if !call.hasReturned(), hasMore { start(job) }
    }
  }

  /// Makes frames until nothing is left to do, or until the job has had its turn; then returns true.
  private func makeFrames(_ job: Job) -> Bool {
    let begun = workers.clock.uptime
    while let index = next(for: job) {
      job.index.withLock { $0 = index }
      let result = Result { try PluginChecks.frame(at: index, of: source) }
      let share = budget.share
      let waiters = state.withLock { state -> [Waiter] in
        guard state.job === job else { return [] }
        take(result, at: index, &state, share)
        return state.removeWaiters(for: index)
      }
      for waiter in waiters { waiter.end(result) }
      if workers.clock.uptime - begun > Self.turnTime { return true }
    }
    return false
  }

  /// The frame to make next; without one the job is over.
  private func next(for job: Job) -> Int? {
    let share = budget.share
    return state.withLock { state in
      // Another job may have begun after this one took too long.
      guard state.job === job else { return nil }
      if let index = state.waiters.first?.index ?? nextToDecode(state, share) { return index }
      state.job = nil
      return nil
    }
  }

  private func take(_ result: Result<Bitmap, any Error>, at index: Int, _ state: inout State, _ share: Int) {
    if case .success(let bitmap) = result {
      state.ready[index] = bitmap
      dropFarthestFrames(&state, share)
    }
    // A player hears of an error when it asks for the frame itself.
    if state.ready[index] == nil { state.futile = index }
  }

  private func end(_ job: Job, _ failure: ImageError) {
    let waiters = state.withLock { state -> [Waiter] in
      guard state.job === job else { return [] }
      state.job = nil
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.end(.failure(failure)) }
  }

  private static func hangs(at index: Int) -> ImageError {
    .exhausted(
      "Frame \(index) cannot be shown: the source of the frames did not return within \(frameTime). Fix or replace it.")
  }

  // MARK: Choosing

  /// The nearest frame that is not decoded yet and for which there is room.
  private func nextToDecode(_ state: State, _ share: Int) -> Int? {
    let order = state.frameOrder
    var room = share
    for (place, index) in order.enumerated() {
      if let bitmap = state.ready[index] {
        room -= bitmap.memoryCost
      } else {
        return index != state.futile && (place == 0 || room >= frameBytes(state)) ? index : nil
      }
    }
    return nil
  }

  private func dropFarthestFrames(_ state: inout State, _ share: Int) {
    var room = max(share, frameBytes(state))
    guard state.keptBytes > room else { return }
    var kept: [Int: Bitmap] = [:]
    for index in state.frameOrder + state.ready.keys.sorted() where kept[index] == nil {
      guard let bitmap = state.ready[index] else { continue }
      room -= bitmap.memoryCost
      guard room >= 0 || kept.isEmpty else { break }
      kept[index] = bitmap
    }
    state.ready = kept
  }

  private func frameBytes(_ state: State) -> Int {
    state.ready.first?.value.memoryCost ?? expectedBytes
  }
}

extension PlaybackFrames.State {
  fileprivate var keptBytes: Int { ready.values.reduce(0) { $0 + $1.memoryCost } }

  /// The upcoming frames of all players, soonest first.
  fileprivate var frameOrder: [Int] {
    guard plans.count != 1 else { return plans[0].frames }
    var seen: Set<Int> = []
    var order: [Int] = []
    for place in 0..<(plans.map(\.frames.count).max() ?? 0) {
      for plan in plans where place < plan.frames.count && seen.insert(plan.frames[place]).inserted {
        order.append(plan.frames[place])
      }
    }
    return order
  }

  fileprivate mutating func plan(_ frames: [Int]?, for player: ObjectIdentifier) {
    plans.removeAll { $0.player == player }
    if let frames { plans.append((player, frames)) }
  }

  /// The job to start, unless one is at work.
  fileprivate mutating func beginJob() -> PlaybackFrames.Job? {
    guard job == nil else { return nil }
    job = PlaybackFrames.Job()
    return job
  }

  fileprivate mutating func removeWaiters(for index: Int) -> [PlaybackFrames.Waiter] {
    defer { waiters.removeAll { $0.index == index } }
    return waiters.filter { $0.index == index }
  }
}

extension PlaybackFrames {
  /// A caller that waits for a frame.
  fileprivate final class Waiter: Sendable {
    private struct State {
      var continuation: UnsafeContinuation<Void, Never>?
      // Passed under the lock, because ThreadSanitizer does not see a value passed through the continuation.
      var result: Result<Bitmap, any Error>?
    }

    let index: Int
    private let state = Locked(State())

    init(_ index: Int) { self.index = index }

    func begin(_ continuation: UnsafeContinuation<Void, Never>) { state.withLock { $0.continuation = continuation } }

    func end(_ result: Result<Bitmap, any Error>) {
      let continuation = state.withLock { state in
        state.result = result
        return state.continuation.take()
      }
      continuation?.resume()
    }

    func takeResult() throws -> Bitmap {
      guard let result = state.withLock({ $0.result.take() }) else { throw CancellationError() }
      return try result.get()
    }
  }
}

extension ImagePlayer {
  /// A frame of a player that is due now.
  public struct Frame: Sendable {
    /// The index of the frame in the picture.
    public let index: Int
    /// The number of plays that were finished when it became due.
    public let finishedPlays: Int
    /// The pixels of the whole canvas.
    public let bitmap: Bitmap
  }
}
