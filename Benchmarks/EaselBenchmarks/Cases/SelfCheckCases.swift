import EaselBenchmarkHarness

/// The same work on both sides: a ratio far from 1 means that the machine is too busy for measurements.
func selfCheckCases() -> [BenchmarkCase] {
  [
    BenchmarkCase("dictionary lookup", group: "self-check", against: "itself") {
      let keys = (0..<1024).map { "key \($0)" }
      let dictionary = Dictionary(uniqueKeysWithValues: zip(keys, 0...))
      let lookUp = BenchmarkSide.loop { repetitions in
        for index in 0..<repetitions { blackHole(dictionary[keys[index & 1023]]) }
      }
      return BenchmarkPair(subject: lookUp, baseline: lookUp)
    },
    BenchmarkCase("call of an actor", group: "self-check", against: "itself") {
      let counter = Counter()
      let call = BenchmarkSide.asyncCall { await counter.increment() }
      return BenchmarkPair(subject: call, baseline: call)
    },
    BenchmarkCase("an object", group: "self-check", against: "itself") {
      let make = BenchmarkSide.call { blackHole(Counter()) }
      return BenchmarkPair(subject: make, baseline: make)
    },
  ]
}

private actor Counter {
  var value = 0

  func increment() { value += 1 }
}
