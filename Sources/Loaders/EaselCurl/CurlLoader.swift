import CEaselCurl
import EaselCore
import EaselSupport
import FoundationEssentials
import Synchronization

/// Loads pictures over http and https with libcurl.
///
/// All transfers of a loader run on one separate thread. The thread starts with the first load, and ends when the
/// loader is released or closed.
///
/// ```swift
/// var network = CurlLoader.Configuration()
/// network.headers["User-Agent"] = "pictures/1.0"
/// configuration.loader = LoaderChain([CurlLoader(network), FileLoader()])
/// ```
public final class CurlLoader: ImageLoader {
  private struct State {
    var commands: CommandQueue?
    var isSuspended = false
    var maximumTransfers: Int
    var isClosed = false
  }

  private let configuration: Configuration
  private let identity: CacheIdentity
  /// The reason why the header fields of the configuration cannot be sent; nil if they can.
  private let mistakeInHeaders: String?
  private let calls: EngineCalls
  private let state: Locked<State>
  private let loadsInProgress = Atomic(0)

  /// Creates a loader with its own connections and settings.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, calls: EngineCalls())
  }

  init(_ configuration: Configuration, calls: EngineCalls) {
    self.configuration = configuration
    self.calls = calls
    identity = configuration.derivedCacheIdentity
    mistakeInHeaders = TransferStep.fault(in: configuration.headers, body: nil)
    state = Locked(State(maximumTransfers: configuration.maximumTransfers))
  }

  deinit { close() }

  /// Separates the bytes of this loader from those of other loaders.
  ///
  /// It is plain by default. Custom header fields, credentials, certificates, a proxy and an address policy change it,
  /// because they decide what servers send or which servers are trusted.
  public var cacheIdentity: CacheIdentity { identity }

  /// True for http and https URLs.
  public func canLoad(_ url: URL) -> Bool {
    guard let scheme = url.scheme else { return false }
    if scheme == "http" || scheme == "https" { return true }
    let folded = scheme.lowercased()
    return folded == "http" || folded == "https"
  }

  /// Blocks a URL for a while when its server cannot be trusted or redirects too often.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? {
    guard let failure = error.causes.lazy.compactMap({ $0 as? CurlLoader.Failure }).first else { return nil }
    return failure.isTLSFailure || failure.isTooManyRedirects ? true : nil
  }

  /// Loads the URL of a request, and passes the response to the sink.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    try Task.checkCancellation()
    let url = request.url.absoluteString
    let server = try checkedServer(of: request, url)
    var partial: PartialBody?
    if let store = configuration.resumeStore, request.isResumable, store.mayHold(request.key) {
      partial = await store.take(request.key)
    }
    let commands = try commands(for: request)
    let job = LoadJob(request: request, url: url, server: server, sink: sink, partial: partial)
    loadsInProgress.add(1, ordering: .relaxed)
    defer { loadsInProgress.subtract(1, ordering: .relaxed) }
    return try await withTaskCancellationHandler {
      guard commands.add(.start(job)) else { throw refusal(of: url) }
      while true {
        switch await job.nextEvent() {
        case .end(let result): return try result.get()
        case .head(let head): commands.add(.decide(job, await decision { try await sink.begin(head) }))
        case .redirect(let redirect):
          commands.add(.decide(job, await decision { try await self.askHook(about: redirect) }))
        }
      }
    } onCancel: {
      job.cancel()
      commands.add(.cancel(job))
    }
  }

  /// True while no further transfers start.
  ///
  /// Transfers that are running continue.
  public var isSuspended: Bool {
    get { state.withLock { $0.isSuspended } }
    set { change(telling: .suspend(newValue)) { $0.isSuspended = newValue } }
  }

  /// The most transfers that run at once; initially the value of the configuration.
  ///
  /// You can change it at any time. If you lower it, running transfers continue.
  public var maximumTransfers: Int {
    get { state.withLock { $0.maximumTransfers } }
    set { change(telling: .limit(transfers: newValue)) { $0.maximumTransfers = newValue } }
  }

  /// The number of loads in progress, including those that wait for their turn.
  public var transferCount: Int { loadsInProgress.load(ordering: .relaxed) }

  /// Forgets the cookies of all servers.
  public func removeCookies() { state.withLock { $0.commands }?.add(.forgetCookies) }

  /// Ends all loads with the error `cancelled`, and refuses further ones.
  public func close() {
    change(telling: .close) { $0.isClosed = true }
  }

  /// Changes the state, and tells the engine's thread if it has started.
  private func change(telling command: CommandQueue.Command, _ body: (inout State) -> Void) {
    let commands = state.withLock { state in
      body(&state)
      return state.commands
    }
    commands?.add(command)
  }

  /// The number of loads that the thread got so far.
  package var loadCount: Int { currentQueue?.startCount ?? 0 }

  var currentQueue: CommandQueue? { state.withLock { $0.commands } }

  /// Waits until a closed loader has released its thread.
  package func waitForEnd() async { await state.withLock { $0.commands }?.waitForEnd() }

  private func decision(_ question: () async throws -> Void) async -> LoadJob.Decision {
    do {
      try await question()
      return .accepted
    } catch {
      return .refused(error)
    }
  }

  /// Throws when the hook in the configuration refuses a redirect.
  private func askHook(about redirect: Redirect) async throws {
    guard let mayFollow = configuration.mayFollow, try await !mayFollow(redirect) else { return }
    throw ImageError(
      .network, "The redirect from \(redirect.source) to \(redirect.target) was refused.",
      subject: redirect.source.absoluteString)
  }

  /// Returns the host with its port; throws when the request cannot be sent.
  private func checkedServer(of request: LoadRequest, _ url: String) throws(ImageError) -> String {
    func fault(_ code: ImageError.Code, _ message: String) -> ImageError {
      ImageError(code, message, subject: url)
    }
    let plain = HostParser.server(in: url)
    guard plain != nil || canLoad(request.url) else {
      throw fault(.unsupportedURL, "The curl loader supports only http and https.")
    }
    guard let server = plain ?? request.url.serverName else {
      throw fault(.invalidURL, "The URL has no server name.")
    }
    if !request.headers.isEmpty, let mistake = TransferStep.fault(in: request.headers, body: request.body) {
      throw fault(.invalidRequest, mistake)
    }
    if let mistake = mistakeInHeaders { throw fault(.invalidRequest, "The configuration of the loader: \(mistake)") }
    guard !request.method.isEmpty, request.method.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
      throw fault(.invalidRequest, "\"\(request.method)\" is not a valid HTTP method.")
    }
    // The body of its response would never end, because a tunnel follows.
    guard request.method.uppercased() != "CONNECT" else {
      throw fault(.invalidRequest, "CONNECT asks for a tunnel, which brings no picture.")
    }
    return server
  }

  // MARK: The thread

  static let isPrepared = easel_curl_prepare() == CURLE_OK

  private func commands(for request: LoadRequest) throws(ImageError) -> CommandQueue {
    try state.withLock { state throws(ImageError) in
      guard !state.isClosed else { throw .loaderClosed(request.url.absoluteString) }
      if let commands = state.commands { return commands }
      guard Self.isPrepared, let commands = CommandQueue(), start(commands) else {
        throw .noThread(request.url.absoluteString)
      }
      if state.isSuspended { commands.add(.suspend(true)) }
      if state.maximumTransfers != configuration.maximumTransfers {
        commands.add(.limit(transfers: state.maximumTransfers))
      }
      state.commands = commands
      return commands
    }
  }

  private func start(_ commands: CommandQueue) -> Bool {
    let (configuration, calls) = (configuration, calls)
    return PlainThread.start { [weak self] in
      if easel_thread_survives_broken_connections(), let engine = CurlEngine(configuration, commands, calls: calls) {
        engine.run()
      } else {
        self?.forget(commands)
        CurlEngine.failLoads(in: commands)
      }
      commands.end()
    }
  }

  /// Lets the next load start a thread again, after the system refused this one.
  private func forget(_ commands: CommandQueue) {
    state.withLock { state in
      if !state.isClosed, state.commands === commands { state.commands = nil }
    }
  }

  private func refusal(of url: String) -> ImageError {
    state.withLock { $0.isClosed } ? .loaderClosed(url) : .noThread(url)
  }
}
