/// One of the two ways of doing the work of a case.
package struct BenchmarkSide {
  /// Does the work this many times and returns the seconds it took.
  let seconds: (_ repetitions: Int) async throws -> Double
  /// Does the work once and returns its peak memory; nil for work of this process, which the runner measures.
  var peakBytes: (() async throws -> Int?)?

  /// Work that takes much longer than the call of a closure (2 ns).
  package static func call(_ body: @escaping () throws -> Void) -> BenchmarkSide {
    loop { repetitions in
      for _ in 0..<repetitions { try body() }
    }
  }

  /// Work so short that it must contain the loop over the repetitions.
  package static func loop(_ body: @escaping (_ repetitions: Int) throws -> Void) -> BenchmarkSide {
    timed { repetitions in
      let start = ContinuousClock.now
      try body(repetitions)
      return start.secondsUntilNow
    }
  }

  /// Work that suspends.
  ///
  /// It runs on the cooperative pool. An await from the main actor would cost some 7 us and hide the work's own cost.
  package static func asyncCall(_ body: @escaping () async throws -> Void) -> BenchmarkSide {
    timed { repetitions in
      let start = ContinuousClock.now
      for _ in 0..<repetitions { try await body() }
      return start.secondsUntilNow
    }
  }

  /// Work that measures its own time, such as that of another process.
  package static func timed(_ seconds: @escaping (_ repetitions: Int) async throws -> Double) -> BenchmarkSide {
    BenchmarkSide(seconds: seconds)
  }

  /// The same work with its own measurement of peak memory, such as that of another process.
  ///
  /// Allocations of this process would be meaningless, so they are not counted.
  package func withPeak(_ bytes: @escaping () async throws -> Int?) -> BenchmarkSide {
    var side = self
    side.peakBytes = bytes
    return side
  }
}

extension ContinuousClock.Instant {
  fileprivate var secondsUntilNow: Double { duration(to: .now) / .seconds(1) }
}
