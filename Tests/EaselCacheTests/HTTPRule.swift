import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore

/// One rule of RFC 9111 as a story: a first answer, some time, a second load, and what must come of it.
struct HTTPRule: Sendable, CustomTestStringConvertible {
  /// What the second load does.
  enum Outcome: Sendable {
    /// It takes what is kept, and nobody is asked.
    case kept
    /// It asks with these fields, and the answer is that nothing changed.
    case confirmed(HTTPHeaders)
    /// It asks with these fields, and takes the new picture that comes.
    case replaced(HTTPHeaders)
    /// It takes what is kept, and asks with these fields behind the caller's back.
    case keptAndAskedAside(HTTPHeaders)
    /// It asks in vain, takes what is kept and says so.
    case keptAfterFailure
    /// It asks in vain, and fails like this.
    case failed(ImageError.Code)
    /// Nothing was kept, so it loads as if for the first time.
    case loadedAgain
  }

  var name: String
  /// The fields of the first answer.
  var first: HTTPHeaders
  /// How long the first answer took.
  var delay = 0.0
  /// The fields of the first request.
  var asking: HTTPHeaders = [:]
  /// How many seconds after the first answer the second load comes.
  var after: Double
  /// The fields of the second request.
  var askingAgain: HTTPHeaders = [:]
  /// What the server says then; a new picture unless told otherwise.
  var second: FakeLoader.Script?
  var outcome: Outcome

  var testDescription: String { name }

  static let start = Date(timeIntervalSince1970: 1_000_000_000)

  static func date(_ offset: Double) -> String { HTTPDate.text(start.addingTimeInterval(offset)) }

  static func at(
    _ seconds: Double, _ name: String, _ first: HTTPHeaders, delay: Double = 0, asking: HTTPHeaders = [:],
    again: HTTPHeaders? = nil, then second: FakeLoader.Script? = nil, _ outcome: Outcome
  ) -> HTTPRule {
    HTTPRule(
      name: "\(name), after \(seconds) s", first: first, delay: delay, asking: asking, after: seconds,
      askingAgain: again ?? asking, second: second, outcome: outcome)
  }
}
