import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore

/// One rule of RFC 9111: a first answer, some time, a second load, and the expected result.
struct HTTPRule: Sendable, CustomTestStringConvertible {
  /// The expected behaviour of the second load.
  enum Outcome: Sendable {
    /// It uses the stored answer without a request.
    case kept
    /// It sends these fields, and the server answers that nothing changed.
    case confirmed(HTTPHeaders)
    /// It sends these fields, and the server answers with a new picture.
    case replaced(HTTPHeaders)
    /// It uses the stored answer, and sends these fields in the background.
    case keptAndAskedAside(HTTPHeaders)
    /// Its request fails; it uses the stored answer and reports the failure.
    case keptAfterFailure
    /// Its request fails, and the load fails with this code.
    case failed(ImageError.Code)
    /// Nothing was stored, so it loads as if for the first time.
    case loadedAgain
  }

  var name: String
  /// The fields of the first answer.
  var first: HTTPHeaders
  /// The seconds that the first answer took.
  var delay = 0.0
  /// The fields of the first request.
  var asking: HTTPHeaders = [:]
  /// The seconds between the first answer and the second load.
  var after: Double
  /// The fields of the second request.
  var askingAgain: HTTPHeaders = [:]
  /// The server's second answer; a new picture by default.
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
