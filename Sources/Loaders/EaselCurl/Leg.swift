import CEaselCurl
import EaselCore
import FoundationEssentials

/// One request of a load: the first, one after a redirect, or one for the rest of a body.
struct Leg {
  var url: String
  var method: String
  var headers: HTTPHeaders
  var body: Data?
  /// The heads of the redirects that led here.
  var redirectHeads: [ResponseHead] = []
  /// Whether one of them led to another scheme, host or port.
  var isForeign = false
  /// What of the body is asked for; nil for all.
  var range: BodyRange?
  /// Whether it must have a connection of its own, since one that was kept was of no use.
  var isAlone = false
  /// Whether a status that asks for credentials may be curl's to answer.
  var mayBeAskedForCredentials = false

  init(_ job: LoadJob) {
    url = job.url
    method = job.request.method
    headers = job.request.headers
    body = job.request.body
    fitConditions(of: job.request)
  }

  /// How many redirects led here.
  var redirects: Int { redirectHeads.count }

  /// Whether sending it twice changes no more than sending it once.
  var isRepeatable: Bool { body == nil && (method == "GET" || method == "HEAD") }

  /// Whether only what changed is asked for.
  var isConditional: Bool { Self.conditions.contains { headers[$0] != nil } }

  private static let conditions = ["If-None-Match", "If-Modified-Since"]

  /// Sends conditions only to the URL that they are about: at another one they would be about something else.
  private mutating func fitConditions(of request: LoadRequest) {
    guard redirects > 0 || request.validatedURL != nil else { return }
    let subject = request.validatedURL ?? request.url
    let isSubject = responseURL(request)?.absoluteString == subject.absoluteString
    for name in Self.conditions { headers[name] = isSubject ? request.headers[name] : nil }
  }

  /// The leg that a redirect leads to.
  func redirected(
    by head: ResponseHead, to target: String, of request: LoadRequest, isForeign: Bool,
    allowing configuration: CurlLoader.Configuration
  ) -> Leg {
    let status = head.status
    var leg = self
    leg.url = target
    leg.redirectHeads.append(head)
    leg.isAlone = false
    leg.fitConditions(of: request)
    leg.isForeign = self.isForeign || isForeign
    let becomesGet = status == 303 ? method != "HEAD" : (status == 301 || status == 302) && method == "POST"
    if becomesGet {
      leg.method = "GET"
      leg.body = nil
      for name in ["Content-Type", "Content-Length", "Content-Encoding"] { leg.headers[name] = nil }
    }
    if leg.isForeign { leg.headers = configuration.fieldsForAnyone(leg.headers, hasBody: leg.body != nil) }
    return leg
  }

  func responseURL(_ request: LoadRequest) -> URL? { redirects == 0 ? request.url : URL(string: url) }

  /// Whether nothing is encrypted.
  var isReadable: Bool {
    url.utf8.count > 4 && url.utf8[url.utf8.index(url.startIndex, offsetBy: 4)] == UInt8(ascii: ":")
  }

  /// `scheme://host:port`, as curl reads the URL.
  static func origin(_ url: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { room in
      easel_url_origin(url, room.baseAddress, room.count) ? String(cString: room.baseAddress!) : nil
    }
  }

  /// What is wrong with header fields that would end up as something else than fields.
  static func fault(in headers: HTTPHeaders) -> String? {
    for field in headers.fields {
      let isName = !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ":") }
      guard isName else { return "A header field has the name \"\(field.name)\", which is none." }
      guard !field.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
        return "The header field \(field.name) has a value of more than one line."
      }
    }
    return nil
  }
}
