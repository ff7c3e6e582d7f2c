import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers
@testable import EaselWorkers

/// Plug-ins see the task-locals of the caller who began the work first.
struct TaskLocalTests {
  @TaskLocal fileprivate static var trace: String?

  private let url = URL(string: "http://host/a.toy")!
  private let log = TraceLog()

  private func makeStudio(_ configure: (inout ImageManager.Configuration) -> Void = { _ in }) -> Studio {
    let studio = Studio {
      $0.coder = CoderRegistry([TracingCoder(log: log)])
      let disk = TracingDisk(log: log)
      $0.cache = TieredCache(memory: RecordingMemoryStore(), disk: disk, workers: .patient())
      let base = $0.loader
      $0.loader = TracingLoader(base: base, log: log)
      $0.requestModifier = .closure(cacheIdentity: .plain) { [log] in
        log.note("request modifier")
        return $0
      }
      $0.responseModifier = .closure(cacheIdentity: .plain) { [log] in
        log.note("response modifier")
        return $0
      }
      $0.cacheKeyFilter = .closure { [log] in
        log.note("filter")
        return $0.absoluteString
      }
      $0.cacheSerializer = .closure { [log] _, received in
        log.note("serializer")
        return received
      }
      $0.transformer = .closure(key: "Trace") { [log] in
        log.note("transformer")
        return $0
      }
      configure(&$0)
    }
    studio.loader.script(url, .body(ToyImage.small.bytes, chunkSize: 40))
    return studio
  }

  @Test func allPlugInsSeeThoseOfTheCaller() async throws {
    let studio = makeStudio()
    studio.loader.suspend(url, at: .end)
    let task = Task {
      try await Self.$trace.withValue("caller") {
        try await studio.manager.image(for: url, options: .waitStore)
      }
    }
    // The decoder begins while bytes arrive on threads of the loader.
    await log.wait(for: "decoder")
    studio.loader.resume(url, at: .end)
    #expect(try await task.value.size == ToyImage.small.size)
    let names: Set = [
      "filter", "disk query", "request modifier", "loader", "response modifier", "decoder", "probe", "transformer",
      "serializer", "disk store",
    ]
    #expect(names.isSubset(of: log.names), "\(names.subtracting(log.names))")
    #expect(log.foreign(to: "caller") == [:])
  }

  @Test func theDecryptorAndTheWholeDecodeSeeThem() async throws {
    let decryptor: any Decryptor = .closure(cacheIdentity: .plain) { [log] in
      log.note("decryptor")
      return $0
    }
    let studio = makeStudio { $0.decryptor = decryptor }
    try await Self.$trace.withValue("caller") { _ = try await studio.manager.image(for: url) }
    #expect(log.names.isSuperset(of: ["decryptor", "decode"]) && log.foreign(to: "caller") == [:])
  }

  @Test func tasksTargetsAndEncodedBytesCarryThem() async throws {
    let studio = makeStudio()
    let task = Self.$trace.withValue("task") { studio.manager.load(url, options: .fromLoaderOnly) }
    _ = try await task.image
    await studio.settle()
    #expect(log.foreign(to: "task") == [:])
    log.forget()
    let recipe = EncodeRecipe(ToyImage.format)
    try await Self.$trace.withValue("server") {
      _ = try await studio.manager.encoded(for: ImageRequest(url: url, options: .waitStore), as: recipe)
    }
    #expect(log.names.contains("encode") && log.foreign(to: "server") == [:])
  }

  /// The plug-ins work once, for whoever asked first; their own locals are none of the others'.
  @Test func whoJoinsSharesTheWorkOfTheFirst() async throws {
    let studio = makeStudio()
    studio.loader.suspend(url)
    let first = Self.$trace.withValue("first") { studio.manager.load(url) }
    await studio.loader.waitUntilSuspended(url)
    let second = Self.$trace.withValue("second") { studio.manager.load(url) }
    studio.loader.resume(url)
    _ = try await (first.image, second.image)
    await studio.settle()
    // A filter names the picture of each caller, before anything is shared.
    #expect([[:], ["filter": "second"]].contains(log.foreign(to: "first")), "\(log.foreign(to: "first"))")
  }

  /// An observer keeps what it needs of them for the rest of the load.
  @Test func observersSeeThoseOfTheCallerWhenALoadBegins() async throws {
    let seen = Watched<[UInt64: String]>([:])
    let studio = makeStudio {
      $0.addObserver(
        .closure { event in
          if case .started = event.kind { seen.withLock { $0[event.load] = Self.trace } }
        })
    }
    studio.loader.suspend(url)
    let first = Self.$trace.withValue("first") { studio.manager.load(url) }
    await studio.loader.waitUntilSuspended(url)
    let second = Self.$trace.withValue("second") { studio.manager.load(url) }
    await seen.wait { $0.count == 2 }
    studio.loader.resume(url)
    _ = try await (first.image, second.image)
    #expect(seen.withLock { Set($0.values) } == ["first", "second"])
  }

  @Test func aRequestNamesTheWorkThatSendsIt() async throws {
    let observer = RecordingObserver()
    let studio = makeStudio { $0.addObserver(observer) }
    _ = try await studio.manager.image(for: url)
    let loading = observer.events.first { if case .loading = $0.kind { true } else { false } }
    #expect(loading?.run != nil && studio.loader.calls(for: url).first?.request.run == loading?.run)
  }

  @Test func aFallbackURLHasThemToo() async throws {
    let studio = makeStudio()
    var request = ImageRequest(url: URL(string: "http://host/missing.toy"))
    request.fallbackURLs = [url]
    let task = Self.$trace.withValue("caller") { studio.manager.load(request) }
    _ = try await task.image
    await studio.settle()
    #expect(log.names.contains("loader") && log.foreign(to: "caller") == [:])
  }

  @Test func aWorkerSeesThemAndLaterJobsOfOthersDoNot() async throws {
    let workers = WorkerSet(threads: 1)
    func seen() async throws -> String? { try await workers.run { Self.trace } }
    #expect(try await Self.$trace.withValue("one") { try await seen() } == "one")
    #expect(try await seen() == nil)
    #expect(try await Self.$trace.withValue("two") { try await seen() } == "two")
  }

  @Test func localsGoOnFromBodyToBody() async throws {
    let locals = Self.$trace.withValue("kept") { CallerTaskLocals() }
    for _ in 0..<3 {
      let seen = Locked<String?>(nil)
      await runBlocking { locals.run { seen.withLock { $0 = Self.trace } } }
      #expect(seen.withLock { $0 } == "kept")
    }
  }

  /// A job that is withdrawn leaves no task behind, which would keep what its body holds.
  @Test func aJobThatNeverRunsKeepsNothing() async throws {
    final class Thing: Sendable {}
    let workers = WorkerSet(threads: 1)
    let gate = Gate()
    workers.start(at: LoadPriority.Live()) { gate.pass() }
    await gate.waitForWaiters()
    weak var weakThing: Thing?
    let task: Task<Void, any Error>
    do {
      let thing = Thing()
      weakThing = thing
      task = .started { try await workers.run { withExtendedLifetime(thing) {} } }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
    _ = try await workers.run { 1 }
    #expect(weakThing == nil)
  }
}

/// The task-local that plug-ins saw, by plug-in.
private final class TraceLog: Sendable {
  private let seen = Watched<[(name: String, trace: String?)]>([])

  var names: Set<String> { seen.withLock { Set($0.map(\.name)) } }

  func note(_ name: String) {
    let trace = TaskLocalTests.trace
    seen.withLock { $0.append((name, trace)) }
  }

  func wait(for name: String) async { await seen.wait { $0.contains { $0.name == name } } }

  func forget() { seen.withLock { $0 = [] } }

  /// The plug-ins that saw something else.
  func foreign(to trace: String) -> [String: String] {
    let others = seen.withLock { $0 }.filter { $0.trace != trace }
    return Dictionary(others.map { ($0.name, $0.trace ?? "none") }) { $1 }
  }
}

private struct TracingLoader: ImageLoader {
  let base: any ImageLoader
  let log: TraceLog
  var cacheIdentity: CacheIdentity { base.cacheIdentity }

  func canLoad(_ url: URL) -> Bool { base.canLoad(url) }
  func origin(of url: URL) -> ImageOrigin { base.origin(of: url) }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    log.note("loader")
    return try await base.load(request, into: sink)
  }
}

private struct TracingCoder: EncodingCoder, ProgressiveImageCoder {
  let base = ToyCoder()
  let log: TraceLog
  var identifier: String { base.identifier }
  var formats: [ImageFormat] { base.formats }

  func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    log.note("probe")
    return try base.probe(bytes, work: work)
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    log.note("decode")
    return try base.decode(bytes, options: options, work: work)
  }

  func makeDecoder(prefix: [UInt8], options: DecodeOptions, work: WorkContext) throws -> (any ProgressiveDecoder)? {
    log.note("decoder")
    return try base.makeDecoder(prefix: prefix, options: options, work: work)
  }

  func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }

  func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    log.note("encode")
    return try base.encode(image, as: format, options: options, work: work)
  }
}

private struct TracingDisk: DiskStore {
  let base = RecordingDiskStore()
  let log: TraceLog

  func entry(for key: CacheKey) throws -> CacheEntry? {
    log.note("disk query")
    return try base.entry(for: key)
  }

  func store(_ entry: CacheEntry, for key: CacheKey) throws {
    log.note("disk store")
    try base.store(entry, for: key)
  }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) throws {
    log.note("disk renewal")
    try base.renew(response, ofOriginal: key, generation: generation)
  }

  func remove(_ key: CacheKey) throws { try base.remove(key) }
  func contains(_ key: CacheKey) throws -> Bool { try base.contains(key) }
  func removeAll() throws { try base.removeAll() }
  func trim() throws { try base.trim() }
  func count() throws -> Int { try base.count() }
  func totalSize() throws -> Int { try base.totalSize() }
}
