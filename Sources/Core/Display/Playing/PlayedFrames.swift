/// Decodes the frames of one moving picture once for all of its players, and ahead as far as the budget allows.
actor PlayedFrames {
  /// Identifies one player.
  final class Player: Sendable {}

  nonisolated let source: any FrameSource

  private let budget: ImagePlayer.FrameBudget
  private let workers: WorkerSet
  private let hanging = HangingCalls()
  private var ready: [Int: Bitmap] = [:]
  private var decoding: [Int: Task<Bitmap, any Error>] = [:]
  /// The upcoming frames of each player, nearest first.
  private var plans: [ObjectIdentifier: [Int]] = [:]
  private var isLookingAhead = false

  init(_ source: any FrameSource, budget: ImagePlayer.FrameBudget) {
    self.source = source
    self.budget = budget
    workers = budget.workers
  }

  /// The bytes of the frames kept in memory.
  var keptBytes: Int { ready.values.reduce(0) { $0 + $1.memoryCost } }

  /// The pixels of a frame.
  ///
  /// Decodes it if necessary.
  func frame(at index: Int) async throws -> Bitmap {
    if let bitmap = ready[index] { return bitmap }
    return try await decode(index)
  }

  /// Notes the upcoming frames of a player and decodes them in the background.
  func prepare(_ upcoming: [Int], for player: Player) {
    plans[ObjectIdentifier(player)] = upcoming
    dropFarthestFrame()
    lookAhead()
  }

  /// Removes a player.
  nonisolated func leave(_ player: Player) {
    let identity = ObjectIdentifier(player)
    Task { await forget(identity) }
  }

  private func forget(_ player: ObjectIdentifier) {
    plans[player] = nil
    dropFarthestFrame()
  }

  private func decode(_ index: Int) async throws -> Bitmap {
    if let running = decoding[index] { return try await running.value }
    let running = Task { try await made(index) }
    decoding[index] = running
    defer { decoding[index] = nil }
    let bitmap = try await running.value
    ready[index] = bitmap
    dropFarthestFrame()
    return bitmap
  }

  /// Makes a frame on a worker thread.
  ///
  /// A source that hangs gets no other thread before its call has returned.
  private nonisolated func made(_ index: Int) async throws -> Bitmap {
    guard hanging.count == 0 else { throw Self.hangs(at: index) }
    let (source, call) = (source, HangingCalls.Call(of: hanging))
    let terms = JobTerms(WorkTime(Self.frameTime, clock: workers.clock)) {
      call.noteLate()
      return Self.hangs(at: index)
    }
    return try await workers.run(terms) {
      defer { _ = call.hasReturned() }
      return try PluginChecks.frame(at: index, of: source)
    }
  }

  /// The longest time that a source may take for one frame.
  private static let frameTime = Limits().decodeTime

  private static func hangs(at index: Int) -> ImageError {
    .exhausted(
      "Frame \(index) cannot be shown: the source of the frames did not return within \(frameTime). Fix or replace it.")
  }

  /// Decodes the frames in sequence, because most sources make a frame from the one before.
  private func lookAhead() {
    guard !isLookingAhead else { return }
    isLookingAhead = true
    Task {
      var last: Int?
      // Stops at a frame that could not be kept, which would otherwise be decoded again and again.
      while let index = nextToDecode, index != last {
        // The error is reported when a player asks for the frame itself.
        guard (try? await decode(index)) != nil else { break }
        last = index
      }
      isLookingAhead = false
    }
  }

  /// The nearest frame that is not decoded yet and for which there is room.
  private var nextToDecode: Int? {
    let order = frameOrder
    guard let index = order.first(where: { ready[$0] == nil }) else { return nil }
    let nearer = order.prefix { $0 != index }.reduce(0) { $0 + (ready[$1]?.memoryCost ?? 0) }
    let room = budget.share - nearer
    return index == order.first || room >= frameBytes ? index : nil
  }

  private func dropFarthestFrame() {
    var room = max(budget.share, frameBytes)
    var kept: [Int: Bitmap] = [:]
    for index in frameOrder + ready.keys.sorted() where kept[index] == nil {
      guard let bitmap = ready[index] else { continue }
      room -= bitmap.memoryCost
      guard room >= 0 || kept.isEmpty else { break }
      kept[index] = bitmap
    }
    ready = kept
  }

  /// The upcoming frames of all players, soonest first.
  private var frameOrder: [Int] {
    var seen: Set<Int> = []
    var order: [Int] = []
    let plans = Array(plans.values)
    for place in 0..<(plans.map(\.count).max() ?? 0) {
      for plan in plans where place < plan.count && seen.insert(plan[place]).inserted { order.append(plan[place]) }
    }
    return order
  }

  private var frameBytes: Int { ready.first?.value.memoryCost ?? min(source.canvasSize.area, 1 << 60) * 4 }
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
