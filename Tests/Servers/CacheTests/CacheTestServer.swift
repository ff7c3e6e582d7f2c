import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials

/// An origin server for tests of HTTP caches, with the protocol of the public suite of cache tests.
///
/// - `PUT /config/ID` with a JSON list of ``CacheTestStep`` sets the answers to the requests of a test, in order.
/// - `GET /test/ID`, with any suffix, is answered by the next step, or by the step that the request's header field
///   `Req-Num` names. If the step expects a conditional request, the answer is 304, or 999 when the condition is
///   missing.
/// - `GET /state/ID` returns a JSON list of the received requests: number, method and header fields.
public final class CacheTestServer: Sendable {
  /// A recorded request.
  public struct Sighting: Hashable, Sendable, Codable {
    /// The client's number for the request, counted from 1.
    public var number: Int?
    /// The method.
    public var method: String
    /// The header fields, names in lower case.
    public var headers: [String: String]
    /// The names and values of the answer's fields that must reach the client unchanged.
    public var answered: [[String]]
    /// The time of the answer.
    var date = Date()

    enum CodingKeys: String, CodingKey {
      case number = "request_num"
      case method = "request_method"
      case headers = "request_headers"
      case answered = "response_headers"
    }
  }

  private struct State {
    var steps: [String: [CacheTestStep]] = [:]
    var sightings: [String: [Sighting]] = [:]
  }

  private let server: ScriptableServer
  private let state = Locked(State())

  /// Starts a server that answers with `body` where a step names no body; if it is nil, with the test's identifier.
  public init(body: [UInt8]? = nil, now: @escaping @Sendable () -> Date = { Date() }) throws {
    server = try ScriptableServer()
    let state = state
    server.setRoute("/config/*", ServerRoute { Self.configure($0, state) })
    server.setRoute("/state/*", ServerRoute { Self.report($0, state) })
    server.setRoute("/test/*", ServerRoute { Self.answer($0, state, body: body, now: now()) })
  }

  /// `http://`, address and port.
  public var origin: String { server.origin }

  /// The port.
  public var port: Int { server.port }

  /// Sets the steps of a test and clears its recorded requests.
  public func configure(_ id: String, _ steps: [CacheTestStep]) {
    state.withLock { state in
      state.steps[id] = steps
      state.sightings[id] = []
    }
  }

  /// The recorded requests of a test.
  public func sightings(_ id: String) -> [Sighting] { state.withLock { $0.sightings[id] ?? [] } }

  /// Ends all connections and threads.
  public func close() { server.close() }

  private static func identifier(_ request: ServerRequest) -> String {
    request.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
  }

  private static func configure(_ request: ServerRequest, _ state: Locked<State>) -> ServerScript {
    guard request.method == "PUT" else { return message(405, "PUT a list of responses.") }
    do {
      let steps = try JSONDecoder().decode([CacheTestStep].self, from: Data(request.body))
      state.withLock { state in
        state.steps[identifier(request)] = steps
        state.sightings[identifier(request)] = []
      }
      return message(201, "OK")
    } catch {
      return message(400, "\(error)")
    }
  }

  private static func report(_ request: ServerRequest, _ state: Locked<State>) -> ServerScript {
    guard let seen = state.withLock({ $0.sightings[identifier(request)] }) else {
      return message(404, "There is no such test.")
    }
    do {
      let json = try JSONEncoder().encode(seen)
      return .reply(headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body: Array(json))
    } catch {
      return message(500, "\(error)")
    }
  }

  private static func answer(
    _ request: ServerRequest, _ state: Locked<State>, body: [UInt8]?, now: Date
  ) -> ServerScript {
    let id = identifier(request)
    let named = request.headers["Req-Num"].flatMap { Int($0) }
    let (steps, seen) = state.withLock { ($0.steps[id], $0.sightings[id]?.count ?? 0) }
    guard let steps else { return message(409, "There is no configuration for \(id).") }
    let number = named ?? seen + 1
    guard steps.indices.contains(number - 1) else {
      return message(409, "The configuration has \(steps.count) answers, and this is request \(number).")
    }
    let answer = CacheTestAnswer(
      request, steps[number - 1], after: number > 1 ? steps[number - 2] : nil, seen: seen, named: named, now: now)
    let sighting = Sighting(
      number: named, method: request.method, headers: folded(request.headers), answered: answer.checkedFields,
      date: now)
    let numbers = state.withLock { state in
      state.sightings[id, default: []].append(sighting)
      return state.sightings[id]!.map { $0.number.map { "\($0)" } ?? "NaN" }
    }
    return answer.script(body: body ?? Array(id.utf8), numbers: numbers.joined(separator: " "))
  }

  private static func folded(_ headers: HTTPHeaders) -> [String: String] {
    Dictionary(headers.fields.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
  }

  private static func message(_ status: Int, _ text: String) -> ServerScript {
    .reply(status, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
  }
}
