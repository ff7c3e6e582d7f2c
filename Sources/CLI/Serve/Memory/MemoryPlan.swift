import Easel
import EaselService
import EaselSupport

/// How a server shares its memory among its parts.
///
/// Without a limit it tells what the settings may need. With one, it derives the settings that nobody gave.
struct MemoryPlan: Hashable, Sendable {
  /// The settings that were given; nil for the others.
  struct Wishes: Hashable, Sendable {
    var cacheBytes: Int?
    var workers: Int?
    var sourcePixels: Int?
    var resultPixels: Int?
    var processors = CPUBudget.processors
  }

  /// The bytes that the server may use; nil for no limit.
  let limit: Int?
  /// The most bytes of the cache in memory.
  let cacheBytes: Int
  let workers: Int
  let sourcePixels: Int
  let resultPixels: Int
  /// The bytes of bodies that wait to be decoded.
  let bodyBytes: Int
  /// The bytes of buffers that each of the two pools keeps for reuse: that of the server and that of the sandbox.
  let bufferBytes: Int
  /// The bytes that all work together may take; nil for no limit.
  let workBytes: Int?

  /// The program, its libraries, and the waiting processes of the sandbox.
  static let base = 100_000_000
  /// The least limit.
  static let leastLimit = 180_000_000

  /// A plan without a limit.
  ///
  /// `bufferBytes` are what a pool keeps where nobody bounds it.
  init(_ wishes: Wishes, bufferBytes: Int = BufferPool.defaultLimit) {
    let usual = ServeSettings()
    limit = nil
    cacheBytes = wishes.cacheBytes ?? usual.memoryBytes
    workers = wishes.workers ?? max(1, wishes.processors)
    sourcePixels = wishes.sourcePixels ?? usual.sourcePixels
    resultPixels = wishes.resultPixels ?? usual.resultPixels
    bodyBytes = Self.usualBodyBytes
    self.bufferBytes = min(bufferBytes, max(Self.leastBufferBytes, workers * Self.usualBufferBytes))
    workBytes = nil
  }

  /// A plan for a limit.
  ///
  /// Throws a sentence if the limit is too low for what must be there.
  init(limit: Int, _ wishes: Wishes) throws(ServeMistake) {
    guard limit >= Self.leastLimit else {
      throw ServeMistake(
        "There are \(Quantity.bytes(limit)) of memory, and the server needs at least "
          + "\(Quantity.bytes(Self.leastLimit)). Give it more, or set memory-limit to none.")
    }
    let plan = MemoryPlan(nearest: limit, wishes)
    if let cache = wishes.cacheBytes, cache > plan.cacheBytes {
      throw ServeMistake(
        "memory-size is \(Quantity.bytes(cache)), which leaves too little of \(Quantity.bytes(limit)) of memory for work. "
          + "Give at most \(Quantity.bytes(plan.cacheBytes)), or the server more memory.")
    }
    self = plan
  }

  /// The plan that comes nearest to the wishes where they do not fit.
  init(nearest limit: Int, _ wishes: Wishes) {
    let usual = ServeSettings()
    let rest = max(limit, Self.leastLimit) * 7 / 8 - Self.base
    self.limit = limit
    bodyBytes = min(Self.usualBodyBytes, rest / 8)
    bufferBytes = min(Self.mostBufferBytes, rest / 16)
    let room = rest - bodyBytes - 2 * bufferBytes
    cacheBytes = min(wishes.cacheBytes ?? min(usual.memoryBytes, rest / 4), room - Self.leastWork)
    let work = room - cacheBytes
    workBytes = work
    workers = wishes.workers ?? min(max(1, wishes.processors), max(1, work / Self.usualWork))
    sourcePixels = wishes.sourcePixels ?? min(usual.sourcePixels, work / 4)
    resultPixels = wishes.resultPixels ?? min(usual.resultPixels, work / 16)
  }

  /// The most bytes that the settings may need.
  var neededBytes: Int {
    if let limit { return limit }
    return Self.base + cacheBytes + bodyBytes + 2 * bufferBytes + max(sharedBytes, largestWork)
  }

  /// The most bytes of work that runs side by side.
  ///
  /// Without a limit each worker can make a picture of 12 megapixels smaller, whatever its format. A larger one waits until
  /// it is alone, so that what the server holds does not depend on how many large ones happen to meet.
  var sharedBytes: Int { workBytes ?? max(1, workers) * Self.sharedWork }

  /// The bytes of the largest picture that the limits of pixels allow.
  var largestWork: Int {
    WorkFootprint.largest(sourcePixels: sourcePixels, resultPixels: resultPixels, formats: .program).bytes
  }

  /// Bounds the buffers of pixels and the processes of the sandbox, if it is called before the first picture.
  ///
  /// Estimates of work can be wrong, and bodies are held in such buffers too. These bounds hold whatever they are, and what
  /// goes beyond them is an error of one picture.
  func apply() {
    BufferPool.bound(
      defaultLimit: bufferBytes, mostBytes: workBytes.map { $0 + cacheBytes + bodyBytes + bufferBytes } ?? .max)
    // A process that takes all of a container can bring the whole container down.
    if let workBytes { SandboxUse.bound(memoryBytes: max(Self.leastSandboxBytes, workBytes)) }
  }

  /// A decoder needs address space for more than the pixels.
  private static let leastSandboxBytes = 64 << 20

  /// The bytes that stay free for the kernel's part of connections, for tables, and for gaps in the heap.
  static func margin(of limit: Int) -> Int { limit / 8 }

  private static let usualBodyBytes = 32 << 20
  private static let mostBufferBytes = 256 << 20
  /// The pixels of one picture of 12 megapixels, and its parts in a file.
  private static let leastBufferBytes = 64 << 20
  /// What each worker adds; rarely two have so large a picture at a time.
  private static let usualBufferBytes = 32 << 20
  /// A picture of 12 megapixels that is made smaller, as most are.
  private static let usualWork = 64_000_000
  /// A picture of 12 megapixels that is decoded whole, and made smaller.
  private static let sharedWork = 100_000_000
  /// The least that work must have.
  private static let leastWork = 16_000_000
}

extension ServeSettings {
  /// The settings that a plan for a limit derives.
  mutating func follow(_ plan: MemoryPlan) {
    (memoryBytes, workers) = (plan.cacheBytes, plan.workers)
    (sourcePixels, resultPixels) = (plan.sourcePixels, plan.resultPixels)
    memoryPlan = plan
  }
}
