import EaselCore
import FoundationEssentials

/// A loader that follows scripts and stops where a test says.
///
/// It counts and records its calls, can be suspended at each step, and lets tests wait for its actions. A URL without a
/// script fails with `network`.
///
/// ```swift
/// let loader = FakeLoader()
/// loader.script(url, .status(503), .body([1, 2, 3]))
/// configuration.loader = loader
/// ```
public final class FakeLoader: ImageLoader {
  private struct Place: Hashable {
    let url: URL
    let point: Point
  }

  private struct State {
    var scripts: [URL: [Script]] = [:]
    var calls: [URL: [Call]] = [:]
    var gates: [Place: AsyncGate] = [:]
    var origins: [URL: ImageOrigin] = [:]
    var blocking: [URL: Bool] = [:]
    var running = 0
    var mostRunning = 0
    var total = 0
  }

  /// The loader's identity in cache keys.
  public let cacheIdentity: CacheIdentity
  private let schemes: Set<String>
  private let state = Watched(State())

  /// Creates a loader of URLs with these schemes.
  public init(cacheIdentity: CacheIdentity = .plain, schemes: Set<String> = ["http", "https", "fake"]) {
    self.cacheIdentity = cacheIdentity
    self.schemes = schemes
  }

  // MARK: What it does

  /// Sets the scripts of a URL: the first call follows the first script; after the last script, all calls follow that
  /// one.
  public func script(_ url: URL, _ scripts: Script...) { state.withLock { $0.scripts[url] = scripts } }

  /// Sets the origin of a URL.
  public func setOrigin(_ origin: ImageOrigin, of url: URL) { state.withLock { $0.origins[url] = origin } }

  /// Sets the answer of ``shouldBlock(_:after:)`` for a URL.
  public func setBlocks(_ blocks: Bool, _ url: URL) { state.withLock { $0.blocking[url] = blocks } }

  /// Suspends each load of a URL at this point until ``resume(_:at:)``.
  public func suspend(_ url: URL, at point: Point = .start) { gate(url, point).close() }

  /// Lets the loads of a URL that are suspended at this point continue.
  public func resume(_ url: URL, at point: Point = .start) { gate(url, point).open() }

  /// Suspends until this many loads of a URL are suspended at this point.
  public func waitUntilSuspended(_ url: URL, at point: Point = .start, count: Int = 1) async {
    await gate(url, point).waitForWaiters(count: count)
  }

  // MARK: What it did

  /// The calls for a URL, in order.
  public func calls(for url: URL) -> [Call] { state.withLock { $0.calls[url] ?? [] } }

  /// The number of calls for a URL.
  public func callCount(for url: URL) -> Int { calls(for: url).count }

  /// The number of calls for all URLs.
  public var callCount: Int { state.withLock { $0.total } }

  /// The number of calls that are running.
  public var runningCount: Int { state.withLock { $0.running } }

  /// The largest number of calls that ran at the same time.
  public var mostRunning: Int { state.withLock { $0.mostRunning } }

  /// Suspends until the call of this number, counted from 1, has begun.
  public func waitForStart(of url: URL, call number: Int = 1) async {
    await state.wait { ($0.calls[url]?.count ?? 0) >= number }
  }

  /// Suspends until the call of this number, counted from 1, has returned or thrown.
  public func waitForEnd(of url: URL, call number: Int = 1) async {
    await wait(for: url, number) { $0.phase != .running }
  }

  /// Suspends until the task of the call of this number, counted from 1, was cancelled.
  public func waitForCancellation(of url: URL, call number: Int = 1) async {
    await wait(for: url, number) { $0.isCancelled }
  }

  /// Suspends until the call of this number, counted from 1, has this priority.
  public func waitForPriority(_ priority: LoadPriority, of url: URL, call number: Int = 1) async {
    await wait(for: url, number) { $0.priorities.last == priority }
  }

  private func wait(for url: URL, _ number: Int, until isReached: @escaping @Sendable (Call) -> Bool) async {
    await state.wait { state in
      guard let calls = state.calls[url], calls.count >= number else { return false }
      return isReached(calls[number - 1])
    }
  }

  // MARK: ImageLoader

  /// True when the scheme is one of the loader's own.
  public func canLoad(_ url: URL) -> Bool { url.scheme.map(schemes.contains) ?? false }

  /// The origin that was set, or the default one.
  public func origin(of url: URL) -> ImageOrigin {
    state.withLock { $0.origins[url] } ?? ImageOrigin(key: url.absoluteString, cacheIdentity: cacheIdentity)
  }

  /// The answer set with ``setBlocks(_:_:)``.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? { state.withLock { $0.blocking[url] } }

  /// Follows the script.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let (number, script) = begin(request)
    request.priority.onChange { [weak self] priority in
      self?.update(request.url, number) { $0.priorities.append(priority) }
    }
    return try await withTaskCancellationHandler {
      do {
        let result = try await run(script, of: request, into: sink)
        end(request.url, number, .finished)
        return result
      } catch {
        end(request.url, number, .failed)
        throw error
      }
    } onCancel: {
      update(request.url, number) { $0.isCancelled = true }
    }
  }

  private func run(
    _ script: Script, of request: LoadRequest, into sink: any LoadSink
  ) async throws -> LoadResult {
    try await gate(request.url, .start).pass()
    for (index, step) in script.steps.enumerated() {
      try await gate(request.url, .step(index)).pass()
      switch step {
      case .head(var head):
        head.url = head.url ?? request.url
        if try !sink.beginAtOnce(head) { try await sink.begin(head) }
      case .chunk(let bytes): try await append(bytes, to: sink)
      case .restart(let offset): sink.restart(at: offset)
      }
    }
    try await gate(request.url, .end).pass()
    switch script.end {
    case .result(let result): return result
    case .failure(let error): throw error
    }
  }

  private func append(_ bytes: [UInt8], to sink: any LoadSink) async throws {
    switch bytes.withUnsafeBytes(sink.append) {
    case .more: break
    case .stop: throw CancellationError()
    case .pause:
      let ready = AsyncGate()
      sink.whenReady { ready.open() }
      try await ready.pass()
    }
  }

  // MARK: Bookkeeping

  private func gate(_ url: URL, _ point: Point) -> AsyncGate {
    state.withLock { state in
      let place = Place(url: url, point: point)
      if let gate = state.gates[place] { return gate }
      let gate = AsyncGate(isOpen: true)
      state.gates[place] = gate
      return gate
    }
  }

  private func begin(_ request: LoadRequest) -> (number: Int, script: Script) {
    state.withLock { state in
      state.calls[request.url, default: []].append(Call(request: request))
      state.total += 1
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
      let number = state.calls[request.url]!.count
      let scripts = state.scripts[request.url] ?? []
      let unscripted = ImageError(.network, "The fake loader has no script.", subject: request.url.absoluteString)
      let script = number <= scripts.count ? scripts[number - 1] : scripts.last ?? .failure(unscripted)
      return (number, script)
    }
  }

  private func end(_ url: URL, _ number: Int, _ phase: Call.Phase) {
    state.withLock { state in
      state.running -= 1
      state.calls[url]?[number - 1].phase = phase
    }
  }

  private func update(_ url: URL, _ number: Int, _ body: (inout Call) -> Void) {
    state.withLock { state in
      guard state.calls[url] != nil else { return }
      body(&state.calls[url]![number - 1])
    }
  }
}
