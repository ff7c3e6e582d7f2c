import EaselBenchmarkHarness

/// A command that does a whole job and ends.
struct ChildJob {
  let command: [String]
  var environment: [String: String] = [:]
  /// Checks the results, outside the measured time.
  var check: () throws -> Void = {}

  var side: BenchmarkSide {
    .timed { repetitions in
      var seconds = 0.0
      for _ in 0..<repetitions {
        seconds += try ChildProcess(command, environment: environment).wait().seconds
        try check()
      }
      return seconds
    }
    .withPeak {
      let child = try ChildProcess(command, environment: environment)
      let memory = GroupMemory(group: child.identifier)
      let result = Result { try child.wait() }
      let peak = await memory.stop()
      _ = try result.get()
      try check()
      return peak
    }
  }
}
