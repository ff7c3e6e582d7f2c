import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselWorkers

/// The gate before the work of encoding.
struct WorkGateTests {
  /// A gate that notes who came, and lets pass or refuses as told.
  private final class Gate: WorkGate {
    struct State {
      var works: [PixelWork] = []
      var inside = 0
      var cancelled = 0
      var finished = 0
      var error: ImageError?
      var isOpen = true
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let state = Locked(State())

    init(isOpen: Bool = true, error: ImageError? = nil) {
      state.withLock { ($0.isOpen, $0.error) = (isOpen, error) }
    }

    var works: [PixelWork] { state.withLock { $0.works } }
    var inside: Int { state.withLock { $0.inside } }

    func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
      state.withLock { $0.works.append(work) }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let passes = state.withLock { state in
            if !state.isOpen { state.waiting.append(continuation) }
            return state.isOpen
          }
          if passes { continuation.resume() }
        }
      } onCancel: {
        state.withLock { $0.cancelled += 1 }
        open()
      }
      if let error = state.withLock({ $0.error }) { throw error }
      try Task.checkCancellation()
      state.withLock { $0.inside += 1 }
      return { [self] isFinished in
        state.withLock { state in
          state.inside -= 1
          state.finished += isFinished ? 1 : 0
        }
      }
    }

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  private func studio(_ gate: Gate) -> Studio { Studio { $0.workGate = gate } }

  @Test func workThatManyShareEntersOnce() async throws {
    let gate = Gate(isOpen: false)
    let studio = studio(gate)
    let url = studio.place(.small)
    let callers = (0..<100).map { _ in Task { try await studio.encoded(url) } }
    while studio.manager.resultRuns.waitingCount < 100 || gate.works.isEmpty { await Task.yield() }
    #expect(studio.coder.counts.encodes == 0 && studio.coder.decodeOptions.isEmpty)
    gate.open()
    for caller in callers { _ = try await caller.value }
    #expect(gate.works.count == 1 && gate.inside == 0 && gate.state.withLock { $0.finished } == 1)
    #expect(studio.coder.counts.encodes == 1)
    await studio.settle()
    #expect(studio.isAtRest)
  }

  @Test func theGateIsToldWhatTheWorkIs() async throws {
    let gate = Gate()
    let studio = studio(gate)
    let url = studio.place(.small)
    let box = PixelSize(width: 4, height: 4)
    _ = try await studio.encoded(url, as: .print, [], [.thumbnailSize(box)])
    let work = try #require(gate.works.first)
    let full = ToyImage.small.size
    #expect(work.header?.storedSize == full && work.format == ToyImage.writtenFormat)
    #expect(work.resultSize == full.thumbnail(in: box) && work.frameCount == 1)
    await studio.settle()
  }

  /// A coder of pictures whose size does not tell what they cost.
  private struct Laborious: EffortEstimatingCoder, EncodingCoder {
    let base: ToyCoder
    let effort: Duration

    var identifier: String { base.identifier }
    var formats: [ImageFormat] { base.formats }
    func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }
    func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }
    func effort(of bytes: ImageBytes, limits: Limits) -> Duration? { effort }

    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try base.probe(bytes, work: work) }

    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      try base.decode(bytes, options: options, work: work)
    }

    func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes
    { try base.encode(image, as: format, options: options, work: work) }
  }

  @Test func whatIsHardToReadIsNotReadBeforeTheGate() async throws {
    let gate = Gate(isOpen: false)
    let toy = ToyCoder()
    let studio = Studio(coder: toy) {
      $0.workGate = gate
      $0.coder = CoderRegistry([Laborious(base: toy, effort: .seconds(3))])
    }
    let url = studio.place(.small)
    let caller = Task { try await studio.encoded(url) }
    while gate.works.isEmpty { await Task.yield() }
    #expect(toy.counts.probes == 0)
    #expect(gate.works[0].effort == .seconds(3) && gate.works[0].header == nil)
    gate.open()
    #expect(try await caller.value.size == ToyImage.small.size)
    await studio.settle()
  }

  @Test func aSmallEffortComesWithTheHeader() async throws {
    let gate = Gate()
    let toy = ToyCoder()
    let studio = Studio(coder: toy) {
      $0.workGate = gate
      $0.coder = CoderRegistry([Laborious(base: toy, effort: .milliseconds(2))])
    }
    let url = studio.place(.small)
    _ = try await studio.encoded(url)
    #expect(gate.works.map(\.effort) == [.milliseconds(2)])
    #expect(gate.works[0].header?.storedSize == ToyImage.small.size)
    await studio.settle()
  }

  @Test func workComesToTheGateThoughAllThreadsAreBusy() async throws {
    let gate = Gate()
    let readers = WorkerSet(threads: 1)
    let workers = WorkerSet(threads: 1)
    let studio = Studio {
      $0.workGate = gate
      $0.workers = workers
      $0.readers = readers
    }
    let picture = EaselTestSupport.Gate()
    workers.start(at: LoadPriority.Live()) { picture.pass() }
    await picture.waitForWaiters()
    let url = studio.place(.small)
    let caller = Task { try await studio.encoded(url) }
    while gate.works.isEmpty { await Task.yield() }
    #expect(studio.coder.decodeOptions.isEmpty)
    picture.open()
    _ = try await caller.value
    await studio.settle()
  }

  @Test func threadsThatAreSetReadAsWell() {
    var configuration = Stub.configuration()
    #expect(configuration.workers === WorkerSet.pixels && configuration.readers === WorkerSet.arrivals)
    let workers = WorkerSet(threads: 1)
    configuration.workers = workers
    #expect(configuration.readers === workers)
  }

  @Test func anOriginalFromTheCacheEntersToo() async throws {
    let gate = Gate()
    let studio = studio(gate)
    let url = studio.place(.small)
    try await studio.warmEncoded(url)
    try await studio.warmEncoded(url, as: EncodeRecipe(ToyImage.writtenFormat, quality: 0.3))
    #expect(gate.works.count == 2 && studio.loader.callCount == 1)
    #expect(gate.works.allSatisfy { $0.header?.storedSize == ToyImage.small.size })
  }

  @Test func aPictureThatIsThereHasNoHeader() async throws {
    let gate = Gate()
    let studio = studio(gate)
    let url = studio.place(.small)
    _ = try await studio.result(url)
    await studio.settle()
    _ = try await studio.encoded(url)
    #expect(gate.works.map(\.header) == [nil] && gate.works.first?.resultSize == ToyImage.small.size)
    await studio.settle()
  }

  @Test func hitsAndUntouchedBytesNeedNoPermission() async throws {
    let gate = Gate()
    let studio = studio(gate)
    let url = studio.place(.small)
    try await studio.warmEncoded(url)
    #expect(gate.works.count == 1)
    gate.state.withLock { $0.error = ImageError(.overloaded, "Full.") }
    #expect(try await studio.encoded(url).source == .memory)
    try await studio.manager.configuration.cache.clear(.memory)
    #expect(try await studio.encoded(url).source == .disk)
    let other = studio.place(.small, at: "http://host/other.toy")
    _ = try await studio.encoded(other, as: .toy)
    #expect(gate.works.count == 1)
    await studio.settle()
  }

  @Test func aRefusalReachesEveryoneAndBlocksNothing() async throws {
    let gate = Gate(isOpen: false, error: ImageError(.overloaded, "Full."))
    let studio = studio(gate)
    let url = studio.place(.small)
    let callers = (0..<10).map { _ in Task { await studio.encodedFailure(url) } }
    while studio.manager.resultRuns.waitingCount < 10 || gate.works.isEmpty { await Task.yield() }
    gate.open()
    for caller in callers { #expect(await caller.value?.code == .overloaded) }
    await studio.settle()
    #expect(studio.isAtRest && studio.coder.counts.encodes == 0)
    gate.state.withLock { $0.error = nil }
    _ = try await studio.encoded(url)
    await studio.settle()
  }

  @Test func whoLeavesTheGateGivesUpItsPlace() async throws {
    let gate = Gate(isOpen: false)
    let studio = studio(gate)
    let url = studio.place(.small)
    let caller = Task { await studio.encodedFailure(url) }
    while gate.works.isEmpty { await Task.yield() }
    caller.cancel()
    #expect(await caller.value?.isCancellation == true)
    await studio.settle()
    #expect(gate.state.withLock { $0.cancelled } == 1 && gate.inside == 0)
    #expect(studio.isAtRest && studio.coder.counts.encodes == 0)
  }

  @Test func failuresLeaveTheGate() async throws {
    let gate = Gate()
    let studio = studio(gate)
    let url = URL(string: "http://host/cut.toy")!
    studio.loader.script(url, .body(Array(ToyImage.small.bytes.dropLast(4))))
    #expect(await studio.encodedFailure(url)?.code == .badImageData)
    await studio.settle()
    #expect(gate.works.count == 1 && gate.inside == 0 && gate.state.withLock { $0.finished } == 0)
  }

  @Test func namelessBytesEnterToo() async throws {
    let gate = Gate()
    let studio = studio(gate)
    let bytes = ImageBytes(ToyImage.small.bytes)
    _ = try await studio.manager.encoded(from: bytes, as: .print)
    #expect(gate.works.count == 1 && gate.inside == 0)
  }

  @Test func bytesThatAreNoPictureFailByTheDecoder() async throws {
    let gate = Gate()
    let studio = studio(gate)
    let error = await #expect(throws: ImageError.self) {
      try await studio.manager.encoded(from: ImageBytes([1, 2, 3]), as: .print)
    }
    #expect(error?.code == .unsupportedFormat && gate.works.isEmpty)
  }
}
