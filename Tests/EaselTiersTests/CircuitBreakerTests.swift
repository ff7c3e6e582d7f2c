import Testing

@testable import EaselTiers

struct CircuitBreakerTests {
  /// A breaker that tests can change within expectations.
  private final class Kept {
    private var breaker: CircuitBreaker

    init(failuresToOpen: Int = 3, openTime: Duration = .seconds(5)) {
      breaker = CircuitBreaker(failuresToOpen: failuresToOpen, openTime: openTime)
    }

    var isClosed: Bool { breaker.isClosed }

    func enter(at now: Duration) -> CircuitBreaker.Ticket? { breaker.enter(at: now) }

    func leave(
      _ ticket: CircuitBreaker.Ticket, _ ending: CircuitBreaker.Ending, at now: Duration
    ) -> CircuitBreaker.Change? {
      breaker.leave(ticket, ending, at: now)
    }
  }

  private let breaker = Kept()
  private let success = CircuitBreaker.Ending.success(after: .milliseconds(100))
  private let failure = CircuitBreaker.Ending.failure(within: .milliseconds(100))

  private func fail(at now: Duration = .zero) -> CircuitBreaker.Change? {
    breaker.enter(at: now).flatMap { breaker.leave($0, failure, at: now) }
  }

  private func succeed(at now: Duration = .zero) -> CircuitBreaker.Change? {
    breaker.enter(at: now).flatMap { breaker.leave($0, success, at: now) }
  }

  @Test func opensAfterFailuresInARow() {
    #expect(fail() == nil && fail() == nil)
    #expect(breaker.isClosed)
    #expect(fail() == .opened)
    #expect(!breaker.isClosed)
    #expect(breaker.enter(at: .seconds(4)) == nil)
  }

  @Test func aSuccessInBetweenForgivesTheFailures() {
    for _ in 0..<10 {
      #expect(fail() == nil && fail() == nil && succeed() == nil)
    }
    #expect(breaker.isClosed)
  }

  @Test func aSlowSuccessDoesNotForgiveCallsThatHadLessTime() throws {
    let slow = CircuitBreaker.Ending.success(after: .milliseconds(300))
    for _ in 0..<2 {
      _ = fail()
      let ticket = try #require(breaker.enter(at: .zero))
      #expect(breaker.leave(ticket, slow, at: .zero) == nil)
    }
    #expect(fail() == .opened)
  }

  @Test func aSuccessForgivesCallsThatHadMoreTime() throws {
    for _ in 0..<10 {
      let (failed, slow) = try (#require(breaker.enter(at: .zero)), #require(breaker.enter(at: .zero)))
      #expect(breaker.leave(failed, .failure(within: .milliseconds(500)), at: .zero) == nil)
      #expect(breaker.leave(slow, .success(after: .milliseconds(300)), at: .zero) == nil)
    }
    #expect(breaker.isClosed)
  }

  @Test func oneCallTriesAfterTheTime() throws {
    for _ in 0..<3 { _ = fail() }
    let trial = try #require(breaker.enter(at: .seconds(5)))
    #expect(trial.isTrial && breaker.enter(at: .seconds(6)) == nil)
    #expect(breaker.leave(trial, success, at: .seconds(6)) == .closed)
    #expect(breaker.enter(at: .seconds(6))?.isTrial == false)
    #expect(breaker.isClosed && succeed(at: .seconds(6)) == nil)
  }

  @Test func aTrialThatFailsBeginsTheTimeAgain() throws {
    for _ in 0..<3 { _ = fail() }
    let trial = try #require(breaker.enter(at: .seconds(5)))
    // Observers hear of the opening once.
    #expect(breaker.leave(trial, failure, at: .seconds(7)) == nil)
    #expect(breaker.enter(at: .seconds(11)) == nil)
    #expect(breaker.enter(at: .seconds(12)) != nil)
  }

  @Test func aTrialThatIsGivenUpLetsTheNextOneTry() throws {
    for _ in 0..<3 { _ = fail() }
    let trial = try #require(breaker.enter(at: .seconds(5)))
    #expect(breaker.leave(trial, .unknown, at: .seconds(5)) == nil)
    #expect(breaker.enter(at: .seconds(5)) != nil)
  }

  @Test func callsFromBeforeTheChangeHaveNoSay() throws {
    let (early, late) = try (#require(breaker.enter(at: .zero)), #require(breaker.enter(at: .zero)))
    for _ in 0..<3 { _ = fail() }
    #expect(breaker.leave(early, success, at: .seconds(1)) == nil)
    #expect(!breaker.isClosed)
    let trial = try #require(breaker.enter(at: .seconds(5)))
    #expect(breaker.leave(late, failure, at: .seconds(5)) == nil)
    #expect(breaker.leave(trial, success, at: .seconds(5)) == .closed)
  }

  @Test func aCallerThatGivesUpSaysNothing() throws {
    _ = fail()
    _ = fail()
    let ticket = try #require(breaker.enter(at: .zero))
    #expect(breaker.leave(ticket, .unknown, at: .zero) == nil)
    #expect(fail() == .opened)
  }

  @Test func atLeastOneFailureIsNeeded() {
    let breaker = Kept(failuresToOpen: 0, openTime: .seconds(-1))
    #expect(breaker.isClosed)
    let ticket = breaker.enter(at: .zero)!
    #expect(breaker.leave(ticket, failure, at: .zero) == .opened)
    #expect(breaker.enter(at: .zero) != nil)
  }
}
