import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCurl

struct ExponentialBackoffTests {
  private let request = LoadRequest(url: URL(string: "http://a/b")!)

  private func decision(
    _ policy: ExponentialBackoff, _ error: ImageError, attempt: Int = 1, method: String = "GET"
  ) -> RetryDecision {
    policy.decision(
      after: error, attempt: attempt, request: LoadRequest(url: URL(string: "http://a/b")!, method: method))
  }

  private func status(_ status: Int, _ headers: HTTPHeaders = [:]) -> ImageError {
    ImageError(.badStatus, "bad", response: ResponseHead(status: status, headers: headers))
  }

  @Test func theContractIsKept() async {
    #expect(await RetryPolicyContract(ExponentialBackoff()).check() == [])
    #expect(await RetryPolicyContract(ExponentialBackoff(attempts: 500)).check() == [])
  }

  @Test func policiesWithTheSameSettingsAreEqual() {
    #expect(ExponentialBackoff() == ExponentialBackoff())
    #expect(ExponentialBackoff(attempts: 2) != ExponentialBackoff(attempts: 3))
    let own = ExponentialBackoff(random: { 0 })
    #expect(own == own)
    #expect(own != ExponentialBackoff(random: { 0 }) && own != ExponentialBackoff())
  }

  @Test func waitsDoubleUpToTheLongest() {
    let policy = ExponentialBackoff(attempts: 100, base: .seconds(1), longest: .seconds(10), random: { 0 })
    let waits = (1...80).map { decision(policy, ImageError(.timedOut, ""), attempt: $0) }
    let expected = [1, 2, 4, 8, 10].map { RetryDecision.retry(after: .seconds($0)) }
    #expect(Array(waits.prefix(5)) == expected)
    #expect(waits.last == .retry(after: .seconds(10)))
  }

  @Test func chanceTakesUpToHalf() {
    func wait(_ random: Double) -> RetryDecision {
      decision(ExponentialBackoff(base: .seconds(2), random: { random }), ImageError(.network, ""))
    }
    #expect(wait(0) == .retry(after: .seconds(2)))
    #expect(wait(0.5) == .retry(after: .milliseconds(1500)))
    #expect(wait(1) == .retry(after: .seconds(1)))
    #expect(wait(7) == .retry(after: .seconds(1)))
  }

  @Test func itGivesUpAfterTheLastAttempt() {
    let policy = ExponentialBackoff(attempts: 3)
    #expect(decision(policy, ImageError(.timedOut, ""), attempt: 2) != .giveUp)
    #expect(decision(policy, ImageError(.timedOut, ""), attempt: 3) == .giveUp)
    #expect(decision(ExponentialBackoff(attempts: 1), ImageError(.timedOut, "")) == .giveUp)
  }

  @Test func theServerMaySayWhen() {
    let now = Date(timeIntervalSince1970: 784_111_777)
    let policy = ExponentialBackoff(longestRetryAfter: .seconds(60), now: { now })
    #expect(decision(policy, status(503, ["Retry-After": "7"])) == .retry(after: .seconds(7)))
    #expect(decision(policy, status(429, ["Retry-After": "0"])) == .retry(after: .zero))
    #expect(decision(policy, status(503, ["Retry-After": "61"])) == .giveUp)
    #expect(decision(policy, status(503, ["Retry-After": "99999999999999999999"])) != .retry(after: .zero))
    let later = "Sun, 06 Nov 1994 08:50:07 GMT"
    #expect(decision(policy, status(503, ["Retry-After": later])) == .retry(after: .seconds(30)))
    let before = "Sun, 06 Nov 1994 08:00:00 GMT"
    #expect(decision(policy, status(503, ["Retry-After": before])) == .retry(after: .zero))
  }

  @Test(arguments: [
    "1" + String(repeating: "0", count: 30), "9223372036854775807", "9223372036854775808", "-5", "1e30", "inf",
    "Fri, 31 Dec 999999999999 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
  ])
  func noTimeThatAServerNamesIsTooLongToBeCounted(text: String) {
    let error = status(503, ["Retry-After": text])
    for longest in [Duration.seconds(60), .seconds(Int64.max)] {
      guard case .retry(let wait) = decision(ExponentialBackoff(longestRetryAfter: longest), error) else { continue }
      #expect(wait >= .zero && wait < .seconds(Int64(1) << 33))
    }
    #expect(text.count != 31 || decision(ExponentialBackoff(), error) == .giveUp)
  }

  @Test func aBaseWithoutMeasureIsNoWaitWithoutEnd() {
    let policy = ExponentialBackoff(
      attempts: 90, base: .seconds(Int64.max), longest: .seconds(Int64.max), random: { .nan })
    for attempt in [1, 30, 80, Int.min] {
      guard case .retry(let wait) = decision(policy, ImageError(.timedOut, ""), attempt: attempt) else { continue }
      #expect(wait >= .zero && wait < .seconds(Int64(1) << 33))
    }
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
  func statusesThatPassAreRepeated(code: Int) { #expect(decision(ExponentialBackoff(), status(code)) != .giveUp) }

  @Test(arguments: [301, 400, 401, 403, 404, 410, 501])
  func otherStatusesAreNot(code: Int) { #expect(decision(ExponentialBackoff(), status(code)) == .giveUp) }

  @Test(arguments: [("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("POST", false), ("PATCH", false)])
  func onlySafeMethodsAreRepeated(method: String, isSafe: Bool) {
    let decision = decision(ExponentialBackoff(), ImageError(.truncatedBody, ""), method: method)
    #expect((decision != .giveUp) == isSafe)
  }

  @Test func whatCurlSaysForGoodIsNotRepeated() {
    func decides(_ code: Int) -> RetryDecision {
      decision(
        ExponentialBackoff(), ImageError(.network, "", causes: [CurlLoader.Failure(code: code, message: "")]))
    }
    for code in [60, 90, 35, 47, 8] { #expect(decides(code) == .giveUp) }
    for code in [6, 7, 52, 55, 56, 92] { #expect(decides(code) != .giveUp) }
  }
}
