import CEaselHeap
import Easel
import EaselService
import EaselSupport

/// The parts of a server that hold memory.
struct ServeMemory: Sendable {
  /// The cache in memory.
  let store: LRUMemoryStore
  /// The memory of the work that runs.
  let work: WorkMemory
  /// The most bytes of the process; nil for no limit.
  let limit: Int?
  private let group = ControlGroupMemory()
  private let process = SystemProcess()

  init(_ settings: ServeSettings) {
    store = LRUMemoryStore(LRUMemoryStore.Configuration(costLimit: settings.memoryBytes))
    work = WorkMemory(budget: settings.memoryPlan?.workBytes ?? .max, sharedBytes: Self.sharedBytes(of: settings))
    limit = settings.memoryPlan?.limit
  }

  /// Shares the memory as other settings say, within the same limit; what the cache holds beyond its size goes at once.
  func follow(_ settings: ServeSettings) {
    store.configuration.costLimit = settings.memoryBytes
    work.budget = settings.memoryPlan?.workBytes ?? .max
    work.sharedBytes = Self.sharedBytes(of: settings)
  }

  private static func sharedBytes(of settings: ServeSettings) -> Int {
    (settings.memoryPlan ?? MemoryPlan(MemoryPlan.Wishes(workers: settings.workers))).sharedBytes
  }

  /// The memory that is nearest to its limit: that of the control group, or that of the process with its own limit.
  ///
  /// Nil if the server has no limit.
  var use: ControlGroupMemory.Use? {
    guard let limit else { return nil }
    let own = process.residentBytes.map { ControlGroupMemory.Use(usedBytes: $0, limitBytes: limit) }
    guard let group = group?.use else { return own }
    return [group, own].compactMap { $0 }.min { $0.limitBytes - $0.usedBytes < $1.limitBytes - $1.usedBytes }
  }

  /// Gives what is kept for reuse back to the system.
  func giveBack() {
    BufferPool.shared.removeAll()
    easel_heap_give_back()
  }

  /// The numbers for the metrics.
  var figures: MemoryFigures {
    MemoryFigures(
      bytes: { [self] in bytes(of: $0) }, limit: { [limit] in limit }, pressure: { [work] in work.pressure },
      group: { [group] in group?.use })
  }

  private func bytes(of part: MemoryPart) -> Int? {
    switch part {
    case .cache: return store.totalCost
    case .pixels: return BufferPool.shared.usedBytes
    case .buffers: return BufferPool.shared.waitingBytes
    case .work: return work.reservedBytes
    case .heap, .heapKept:
      var (used, kept) = (0, 0)
      guard easel_heap_measure(&used, &kept) else { return nil }
      return part == .heap ? used : kept
    }
  }
}
