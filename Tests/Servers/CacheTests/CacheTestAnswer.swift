import EaselCore
import EaselTestSupport
import FoundationEssentials

/// The answer of the cache test server to one request.
struct CacheTestAnswer {
  private let request: ServerRequest
  private let step: CacheTestStep
  private let status: (code: Int, phrase: String)
  private let fields: [(name: String, value: String, isChecked: Bool)]
  private let counts: [(String, String)]

  init(
    _ request: ServerRequest, _ step: CacheTestStep, after previous: CacheTestStep?, seen: Int, named: Int?, now: Date
  ) {
    self.request = request
    self.step = step
    status = Self.status(request, step, after: previous, now: now)
    fields = (step.responseHeaders ?? []).map { field in
      (field.name, Self.value(of: field, step, request, now: now), field.rest.first != .truth(false))
    }
    counts = [
      ("Server-Base-Url", request.target), ("Server-Request-Count", "\(seen + 1)"),
      ("Client-Request-Count", named.map { "\($0)" } ?? "NaN"),
      ("Server-Now", "\(Int(now.timeIntervalSince1970 * 1000))"),
      ("Date", WebDate.text(now)), ("Content-Type", "text/plain"),
    ]
  }

  var checkedFields: [[String]] { fields.filter(\.isChecked).map { [$0.name, $0.value] } }

  func script(body: [UInt8], numbers: String) -> ServerScript {
    if step.disconnect == true { return [.close] }
    let own = Set(fields.map { $0.name.lowercased() })
    let content = step.responseBody.map { Array($0.utf8) } ?? body
    let hasBody = ![204, 304].contains(status.code)
    var all = counts.filter { !own.contains($0.0.lowercased()) } + fields.map { ($0.name, $0.value) }
    all.append(("Request-Numbers", numbers))
    if hasBody && own.isDisjoint(with: ["content-length", "transfer-encoding"]) {
      all.append(("Content-Length", "\(content.count)"))
    }
    let head = Array(Self.head("\(status.code) \(status.phrase)", all).utf8)
    // The pause comes before the first byte.
    let pause = step.responsePause.map { ServerStep.dripEvery(.seconds($0), Array(head.prefix(1))) }
    let start: [ServerStep] = pause.map { [$0, .send(Array(head.dropFirst()))] } ?? [.send(head)]
    let interim = (step.interimResponses ?? []).map { interim in
      ServerStep.text(Self.head("\(interim.code) Interim", interim.headers.map { ($0.name, $0.text(now: Date())) }))
    }
    return ServerScript(
      interim + start + (hasBody && request.method != "HEAD" ? [.send(content)] : []), keepsAlive: true)
  }

  private static func head(_ status: String, _ fields: [(String, String)]) -> String {
    "HTTP/1.1 \(status)\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
  }

  /// 304 when a 304 is expected and the request has the validator of the previous answer.
  private static func status(
    _ request: ServerRequest, _ step: CacheTestStep, after previous: CacheTestStep?, now: Date
  ) -> (Int, String) {
    guard let type = step.expectedType, type == .tagValidated || type == .dateValidated else {
      return step.responseStatus.map { ($0.code, $0.phrase) } ?? (200, "OK")
    }
    let tag = previous?.responseField("ETag")?.text(now: now)
    if let tag, request.headers["If-None-Match"] == tag { return (304, "Not Modified") }
    // The previous date was relative to a time that is no longer known, so any date in the request is accepted.
    let date = previous?.responseField("Last-Modified")
    if let date, let known = request.headers["If-Modified-Since"] {
      if case .number? = date.value { return (304, "Not Modified") }
      if known == date.text(now: now) { return (304, "Not Modified") }
    }
    return (999, "304 Not Generated")
  }

  private static func value(
    of field: CacheTestField, _ step: CacheTestStep, _ request: ServerRequest, now: Date
  ) -> String {
    let name = field.name.lowercased()
    if case .number(let seconds)? = field.value, step.rfc850date?.contains(name) == true {
      return WebDate.oldText(now.addingTimeInterval(Double(seconds)))
    }
    let value = field.text(now: now)
    guard step.magicLocations == true, name == "location" || name == "content-location" else { return value }
    return value.isEmpty ? request.target : "\(request.target)/\(value)"
  }
}
