import EaselCore
import EaselSupport
import FoundationEssentials

/// A small HTTP/1.1 server on loopback that follows the scripts of a test and can show faults of every kind.
///
/// ```swift
/// let bytes = [UInt8](repeating: 7, count: 1000)
/// let server = try ScriptableServer(routes: [
///   "/whole.png": .file(ServerFile(bytes)),
///   "/cut.png": .inTurn(.resetting(after: 100, of: 1000), .reply(body: bytes)),
/// ])
/// defer { server.close() }
/// ```
///
/// Each connection has its own thread. Steps and gates decide its actions, never the time.
public final class ScriptableServer: Sendable {
  /// The address it listens on.
  public let address: String
  /// The port, which the kernel chose.
  public let port: Int

  private let record = Watched(ServerRecord())
  private let listener: ServerListener
  private let cancellation = Cancellation()

  /// Starts a server whose answers depend on the path.
  ///
  /// A path that ends in `*` matches all paths that begin with the rest.
  ///
  /// Unknown paths get 404. `127.0.0.2` works like `127.0.0.1` and counts as another host.
  public convenience init(address: String = "127.0.0.1", routes: [String: ServerRoute] = [:]) throws {
    try self.init(address: address, routes: routes, connections: nil)
  }

  /// Starts a server that plays one script on each connection; further connections get the last script.
  ///
  /// Nothing is read unless the script says so.
  public convenience init(address: String = "127.0.0.1", connections: [ServerScript]) throws {
    precondition(!connections.isEmpty, "A server needs a script for its connections.")
    try self.init(address: address, routes: [:], connections: connections)
  }

  private init(address: String, routes: [String: ServerRoute], connections: [ServerScript]?) throws {
    let listener = try ServerListener(address: address)
    self.address = address
    self.listener = listener
    port = listener.port
    record.withLock { $0.routes = routes }
    var limits = Limits()
    limits.decodeTime = .seconds(1_000_000)
    let work = WorkContext(
      limits: limits, context: ImageContext(), cancellation: cancellation, clock: SystemClock())
    Self.startThread(record) { [record] in
      while let socket = listener.accept() {
        Self.serve(socket, record, connections, work)
      }
    }
  }

  deinit { close() }

  /// Ends all connections and threads; returns when all have ended.
  public func close() {
    let sockets = record.withLock { record -> [ServerSocket]? in
      guard !record.isClosing else { return nil }
      record.isClosing = true
      return Array(record.open.values)
    }
    guard let sockets else { return record.block { $0.threads == 0 } }
    cancellation.cancel()
    listener.interrupt()
    for socket in sockets { socket.interrupt() }
    record.block { $0.threads == 0 }
    listener.stop()
  }

  /// `http://`, address and port.
  public var origin: String { "http://\(address):\(port)" }

  /// The URL of a path.
  public func url(_ path: String) -> URL { URL(string: origin + path)! }

  /// Sets the route of a path from now on; nil removes it.
  public func setRoute(_ path: String, _ route: ServerRoute?) { record.withLock { $0.routes[path] = route } }

  /// All requests so far, in order.
  public var requests: [ServerRequest] { record.withLock { $0.requests } }

  /// The requests for one path so far.
  public func requests(for path: String) -> [ServerRequest] { requests.filter { $0.path == path } }

  /// The number of connections made so far.
  public var connectionCount: Int { record.withLock { $0.connections } }

  /// The number of open connections.
  public var openConnectionCount: Int { record.withLock { $0.open.count } }

  /// Suspends until this many requests have come, or until the task is cancelled.
  public func waitForRequests(_ count: Int = 1) async { await record.wait { $0.requests.count >= count } }

  /// Suspends until this many requests for a path have come, or until the task is cancelled.
  public func waitForRequests(_ count: Int = 1, path: String) async {
    await record.wait { $0.visits[path, default: 0] >= count }
  }

  /// Suspends until this many connections were made, or until the task is cancelled.
  public func waitForConnections(_ count: Int = 1) async { await record.wait { $0.connections >= count } }

  /// Suspends until no connection is open, or until the task is cancelled.
  public func waitUntilAllHaveLeft() async { await record.wait { $0.open.isEmpty } }

  private static func serve(
    _ socket: ServerSocket, _ record: Watched<ServerRecord>, _ scripts: [ServerScript]?, _ work: WorkContext
  ) {
    let number = record.withLock { record -> Int? in
      guard !record.isClosing else { return nil }
      let number = record.connections
      record.connections += 1
      record.open[number] = socket
      return number
    }
    guard let number else { return socket.close() }
    let script = scripts.map { $0[min(number, $0.count - 1)] }
    startThread(record) {
      ServerConnection(number: number, socket: socket, record: record, work: work, script: script).run()
      record.withLock { $0.open[number] = nil }
    }
  }

  /// Starts a thread that is counted until its last line.
  private static func startThread(_ record: Watched<ServerRecord>, _ body: @escaping @Sendable () -> Void) {
    record.withLock { $0.threads += 1 }
    let isRunning = PlainThread.start {
      body()
      record.withLock { $0.threads -= 1 }
    }
    precondition(isRunning, "The system does not allow a thread for the test server.")
  }
}
