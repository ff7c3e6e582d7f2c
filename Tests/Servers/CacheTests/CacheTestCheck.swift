import EaselCore
import FoundationEssentials

/// Compares what came of one request with what was expected.
struct CacheTestCheck {
  let step: CacheTestStep
  let number: Int
  /// What the server saw meanwhile.
  let sightings: [CacheTestServer.Sighting]
  let now: Date

  func complaints(about result: Result<CacheTestRun.Response, any Error>) -> [CacheTestComplaint] {
    switch result {
    case .success(let response):
      return type + method + requestFields + status(response) + text(response)
        + responseFields(response)
    case .failure(let error):
      guard step.disconnect != true else { return type }
      return [CacheTestComplaint(text: "Request \(number) failed: \(error)", isSetup: true)]
    }
  }

  private func complaint(_ check: String, _ text: String, unless isFine: Bool) -> [CacheTestComplaint] {
    let isSetup = step.setup == true || step.setupTests?.contains(check) == true
    return isFine ? [] : [CacheTestComplaint(text: "Request \(number): \(text)", isSetup: isSetup)]
  }

  private var type: [CacheTestComplaint] {
    guard let expected = step.expectedType else { return [] }
    func check(_ text: String, _ isFine: Bool) -> [CacheTestComplaint] {
      complaint("expected_type", text, unless: isFine)
    }
    let last = sightings.last
    switch expected {
    case .cached: return check("the server was asked", sightings.isEmpty)
    case .notCached: return check("the server was not asked", last?.number == number)
    case .tagValidated: return check("there was no If-None-Match", last?.headers["if-none-match"] != nil)
    case .dateValidated: return check("there was no If-Modified-Since", last?.headers["if-modified-since"] != nil)
    }
  }

  private var method: [CacheTestComplaint] {
    guard let expected = step.expectedMethod else { return [] }
    let seen = sightings.last?.method
    return complaint("expected_method", "the method was \(seen ?? "none"), not \(expected)", unless: seen == expected)
  }

  private var requestFields: [CacheTestComplaint] {
    let seen = sightings.last?.headers ?? [:]
    let present = (step.expectedRequestHeaders ?? []).flatMap { field -> [CacheTestComplaint] in
      let value = seen[field.name.lowercased()]
      let isFine = field.value == nil ? value != nil : value == field.text(now: now)
      return complaint("expected_request_headers", "\(field.name) was sent as \(value ?? "nothing")", unless: isFine)
    }
    let absent = (step.expectedRequestHeadersMissing ?? []).flatMap { field -> [CacheTestComplaint] in
      let value = seen[field.name.lowercased()]
      let isFine = field.value == nil ? value == nil : value != field.text(now: now)
      return complaint("expected_request_headers", "\(field.name) was sent as \(value ?? "")", unless: isFine)
    }
    return present + absent
  }

  private func status(_ response: CacheTestRun.Response) -> [CacheTestComplaint] {
    guard let status = response.status else { return [] }
    if status == 999 { return complaint("expected_type", "the request had no condition", unless: false) }
    guard let expected = step.expectedStatus.value(otherwise: step.responseStatus?.code ?? 200) else { return [] }
    return complaint("expected_status", "the status is \(status), not \(expected)", unless: status == expected)
  }

  private func text(_ response: CacheTestRun.Response) -> [CacheTestComplaint] {
    guard let expected = step.expectedResponseText.value(otherwise: step.responseBody), let body = response.body else {
      return []
    }
    let text = String(decoding: body, as: UTF8.self)
    return complaint("expected_response_text", "the body is \"\(text)\", not \"\(expected)\"", unless: text == expected)
  }

  private func responseFields(_ response: CacheTestRun.Response) -> [CacheTestComplaint] {
    guard let headers = response.headers else { return [] }
    let present = (step.expectedResponseHeaders ?? []).flatMap { field -> [CacheTestComplaint] in
      let value = headers[field.name]
      return complaint(
        "expected_response_headers", "\(field.name) came as \(value ?? "nothing")",
        unless: isFine(field, value, headers))
    }
    let absent = (step.expectedResponseHeadersMissing ?? []).flatMap { field -> [CacheTestComplaint] in
      let value = headers[field.name]
      let isFine = field.value == nil ? value == nil : value?.contains(field.text(now: now)) != true
      return complaint("expected_response_headers", "\(field.name) came as \(value ?? "")", unless: isFine)
    }
    return present + absent
  }

  /// Whether a field is there, is this value, equals another field, or is greater than a number.
  private func isFine(_ field: CacheTestField, _ value: String?, _ headers: HTTPHeaders) -> Bool {
    switch (field.value, field.rest.first) {
    case (.none, _): value != nil
    case (.text("=")?, .text(let other)?): value != nil && value == headers[other]
    case (.text(">")?, .number(let least)?): value.flatMap { Int($0) }.map { $0 > least } ?? false
    default: value == field.text(now: now)
    }
  }
}
