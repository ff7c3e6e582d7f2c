import EaselCore
import FoundationEssentials

/// Compares the result of one request with the expected one.
struct CacheTestCheck {
  let step: CacheTestStep
  let number: Int
  /// The requests that the server received.
  let sightings: [CacheTestServer.Sighting]
  /// The body of answers that name no other.
  let id: String
  let now: Date

  func complaints(about result: Result<CacheTestRun.Response, any Error>) -> [CacheTestComplaint] {
    switch result {
    case .success(let response):
      return type(response) + method + requestFields + status(response) + text(response)
        + responseFields(response) + answeredFields(response) + repetitions(response)
    case .failure(let error):
      guard step.disconnect != true else { return type(nil) }
      return [CacheTestComplaint(text: "Request \(number) failed: \(error)", isSetup: true)]
    }
  }

  /// - Parameter isSetup: true when the complaint always concerns the preparation of the test.
  private func complaint(
    _ check: String, _ text: String, isSetup: Bool = false, unless isFine: Bool
  ) -> [CacheTestComplaint] {
    let isSetup = isSetup || step.setup == true || step.setupTests?.contains(check) == true
    return isFine ? [] : [CacheTestComplaint(text: "Request \(number): \(text)", isSetup: isSetup)]
  }

  private func type(_ response: CacheTestRun.Response?) -> [CacheTestComplaint] {
    guard let expected = step.expectedType else { return [] }
    func check(_ text: String, _ isFine: Bool) -> [CacheTestComplaint] {
      complaint("expected_type", text, unless: isFine)
    }
    // The number of the request that this answer was made for; a cache may send another request in the background.
    let answered = response?.headers?["Client-Request-Count"].flatMap { Int($0) }
    let last = sightings.last { $0.number == number }
    switch expected {
    case .cached:
      guard response != nil else { return check("there was no answer", false) }
      return check("the server was asked", answered.map { $0 < number } ?? sightings.isEmpty)
    case .notCached: return check("the server was not asked", last != nil && answered ?? number == number)
    case .tagValidated: return check("there was no If-None-Match", last?.headers["if-none-match"] != nil)
    case .dateValidated: return check("there was no If-Modified-Since", last?.headers["if-modified-since"] != nil)
    }
  }

  private var method: [CacheTestComplaint] {
    guard step.expectedType != .cached, let expected = step.expectedMethod else { return [] }
    let seen = sightings.last { $0.number == number }?.method
    return complaint("expected_method", "the method was \(seen ?? "none"), not \(expected)", unless: seen == expected)
  }

  private var requestFields: [CacheTestComplaint] {
    guard step.expectedType != .cached else { return [] }
    let seen = sightings.last { $0.number == number }?.headers ?? [:]
    let present = (step.expectedRequestHeaders ?? []).flatMap { field -> [CacheTestComplaint] in
      let value = seen[field.name.lowercased()]
      let isFine = field.value == nil ? value != nil : value == field.text(now: now)
      return complaint("expected_request_headers", "\(field.name) was sent as \(value ?? "nothing")", unless: isFine)
    }
    let absent = (step.expectedRequestHeadersMissing ?? []).flatMap { field -> [CacheTestComplaint] in
      let value = seen[field.name.lowercased()]
      let isFine = field.value == nil ? value == nil : value != field.text(now: now)
      return complaint(
        "expected_request_headers_missing", "\(field.name) was sent as \(value ?? "")", unless: isFine)
    }
    return present + absent
  }

  private func status(_ response: CacheTestRun.Response) -> [CacheTestComplaint] {
    guard let status = response.status else { return [] }
    if status == 999 { return complaint("expected_type", "the request had no condition", unless: false) }
    func check(_ expected: Int, isSetup: Bool) -> [CacheTestComplaint] {
      complaint(
        "expected_status", "the status is \(status), not \(expected)", isSetup: isSetup, unless: status == expected)
    }
    switch step.expectedStatus {
    case .exactly(let expected): return check(expected, isSetup: false)
    case .anything: return []
    case .unsaid: return check(step.responseStatus?.code ?? 200, isSetup: true)
    }
  }

  private func text(_ response: CacheTestRun.Response) -> [CacheTestComplaint] {
    guard step.checkBody != false else { return [] }
    guard let body = response.body else {
      guard case .exactly = step.expectedResponseText else { return [] }
      return complaint("expected_response_text", "the cache told of no body", unless: false)
    }
    let text = String(decoding: body, as: UTF8.self)
    func check(_ expected: String, isSetup: Bool) -> [CacheTestComplaint] {
      complaint(
        "expected_response_text", "the body is \"\(text)\", not \"\(expected)\"", isSetup: isSetup,
        unless: text == expected)
    }
    switch step.expectedResponseText {
    case .exactly(let expected): return check(expected, isSetup: false)
    case .anything: return []
    case .unsaid:
      if let expected = step.responseBody { return check(expected, isSetup: true) }
      let hasNone = step.requestMethod == "HEAD" || [204, 304].contains(response.status)
      return hasNone ? [] : check(id, isSetup: true)
    }
  }

  /// Checks that the fields of the server's answer arrive, if the server was asked.
  private func answeredFields(_ response: CacheTestRun.Response) -> [CacheTestComplaint] {
    guard step.expectedType != .cached, let headers = response.headers,
      let last = sightings.last(where: { $0.number == number })
    else { return [] }
    let values = Dictionary(grouping: last.answered) { $0[0].lowercased() }
    return values.filter { $0.key != "date" }.sorted { $0.key < $1.key }.flatMap { name, fields in
      let expected = fields.map { $0[1] }.joined(separator: ", ")
      let value = headers[name]
      return complaint(
        "response_headers", "\(name) came as \(value ?? "nothing"), not \(expected)", isSetup: true,
        unless: value == expected)
    }
  }

  /// Checks that no request was sent twice.
  private func repetitions(_ response: CacheTestRun.Response) -> [CacheTestComplaint] {
    let numbers = response.headers?["Request-Numbers"]?.split(separator: " ") ?? []
    return complaint("retry", "a request was sent twice", isSetup: true, unless: Set(numbers).count == numbers.count)
  }

  private func responseFields(_ response: CacheTestRun.Response) -> [CacheTestComplaint] {
    guard let headers = response.headers else {
      let isFine = step.expectedResponseHeaders == nil && step.expectedResponseHeadersMissing == nil
      return complaint("expected_response_headers", "the cache told of no fields", unless: isFine)
    }
    let present = (step.expectedResponseHeaders ?? []).flatMap { field -> [CacheTestComplaint] in
      let value = headers[field.name]
      return complaint(
        "expected_response_headers", "\(field.name) came as \(value ?? "nothing")",
        unless: isFine(field, value, headers))
    }
    let absent = (step.expectedResponseHeadersMissing ?? []).flatMap { field -> [CacheTestComplaint] in
      let value = headers[field.name]
      let isFine = field.value == nil ? value == nil : value?.contains(field.text(now: now)) != true
      return complaint(
        "expected_response_headers_missing", "\(field.name) came as \(value ?? "")", unless: isFine)
    }
    return present + absent
  }

  /// True when a field is present, has this value, equals another field, or is greater than a number.
  private func isFine(_ field: CacheTestField, _ value: String?, _ headers: HTTPHeaders) -> Bool {
    switch (field.value, field.rest.first) {
    case (.none, _): value != nil
    case (.text("=")?, .text(let other)?): value != nil && value == headers[other]
    case (.text(">")?, .number(let least)?): value.flatMap { Int($0) }.map { $0 > least } ?? false
    default: value == field.text(now: now)
    }
  }
}
