import CEaselCurl
import EaselCore
import FoundationEssentials

/// One request of a load: the first one, one after a redirect, or one for the rest of a body.
struct TransferStep {
  var url: String
  var method: String
  var headers: HTTPHeaders
  var body: Data?
  /// The heads of the redirects that led to this step.
  var redirectHeads: [ResponseHead] = []
  /// True when one of the redirects led to another scheme, host or port.
  var isForeign = false
  /// The requested part of the body; nil for the whole body.
  var range: BodyRange?
  /// True when a kept connection failed, so that a new one is needed.
  var needsNewConnection = false

  init(_ job: LoadJob) {
    url = job.url
    method = job.request.method
    headers = job.request.headers
    body = job.request.body
    fitConditions(of: job.request)
  }

  /// The number of redirects that led to this step.
  var redirectCount: Int { redirectHeads.count }

  /// True when sending the request twice has the same effect as sending it once.
  var isRepeatable: Bool { body == nil && (method == "GET" || method == "HEAD") }

  /// True when the request asks for the body only if it has changed.
  var isConditional: Bool { headers.hasConditions }

  /// Keeps conditional fields only for the URL that they were made for; at another URL they would describe another
  /// body.
  private mutating func fitConditions(of request: LoadRequest) {
    guard redirectCount > 0 || request.validatedURL != nil else { return }
    let subject = request.validatedURL ?? request.url
    let isSubject = responseURL(request)?.absoluteString == subject.absoluteString
    for name in HTTPHeaders.conditions { headers[name] = isSubject ? request.headers[name] : nil }
  }

  /// The step to which a redirect leads.
  func redirected(
    by head: ResponseHead, to target: String, of request: LoadRequest, isForeign: Bool,
    allowing configuration: CurlLoader.Configuration
  ) -> TransferStep {
    let status = head.status
    var step = self
    step.url = target
    step.redirectHeads.append(head)
    step.needsNewConnection = false
    step.fitConditions(of: request)
    step.isForeign = self.isForeign || isForeign
    let becomesGet = status == 303 ? method != "HEAD" : (status == 301 || status == 302) && method == "POST"
    if becomesGet {
      step.method = "GET"
      step.body = nil
      for name in ["Content-Type", "Content-Length", "Content-Encoding"] { step.headers[name] = nil }
    }
    if step.isForeign {
      step.headers = step.headers.forAnyone(hasBody: step.body != nil, and: configuration.headersForAnyone)
    }
    return step
  }

  func responseURL(_ request: LoadRequest) -> URL? { redirectCount == 0 ? request.url : URL(string: url) }

  /// True when the URL is not encrypted (http).
  var isUnencrypted: Bool {
    url.utf8.count > 4 && url.utf8[url.utf8.index(url.startIndex, offsetBy: 4)] == UInt8(ascii: ":")
  }

  /// The origin as `scheme://host:port`, from the URL as curl parses it.
  static func origin(_ url: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { room in
      easel_url_origin(url, room.baseAddress, room.count) ? String(cString: room.baseAddress!) : nil
    }
  }

  /// Describes a header field that cannot be sent, because it would not be a single field, or would contradict what the
  /// loader does with the body and the connection; nil when all fields are fine.
  static func fault(in headers: HTTPHeaders, body: Data?) -> String? {
    for field in headers.fields {
      let isName = !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ":") }
      guard isName else { return "\"\(field.name)\" is not a valid name of a header field." }
      guard !field.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
        return "The header field \(field.name) has a value with a line break or a null byte."
      }
      if let fault = framingFault(in: field, body: body) { return fault }
    }
    return nil
  }

  /// Describes a field that would confuse the end of a message.
  ///
  /// A server that is promised a body waits for it even if none comes. If another framing or protocol is requested, it
  /// may answer in a way that the loader does not understand.
  private static func framingFault(in field: HTTPHeaders.Field, body: Data?) -> String? {
    let (name, value) = (field.name.lowercased(), field.value.lowercased())
    if name == "content-length", value != body.map({ String($0.count) }) {
      let length = body.map { "a body of \($0.count) bytes" } ?? "no body"
      return "The request has \(length), but its Content-Length is \"\(field.value.inMessage)\". Leave the field out: "
        + "the loader adds it."
    }
    let isWish = name == "connection" && ["close", "keep-alive"].contains(value)
    guard fieldsOfConnection.contains(name), !isWish else { return nil }
    return "The header field \(field.name) is about the connection, which the loader manages itself. Leave the field "
      + "out."
  }

  private static let fieldsOfConnection: Set = [
    "connection", "expect", "http2-settings", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
    "upgrade",
  ]
}
