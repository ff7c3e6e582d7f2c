/// Two ways of doing one thing, to be measured in turn.
///
///     BenchmarkCase("look up", group: "memory", against: "Dictionary", atMost: 2) {
///       let store = makeStore()  // what the work needs; made only when the case is run
///       let plain = makeDictionary()
///       return BenchmarkPair(
///         subject: .call { blackHole(store[key]) },
///         baseline: .call { blackHole(plain[key]) }
///       )
///     }
package struct BenchmarkCase {
  package let name: String
  package let group: String
  package let baselineName: String
  /// The most the subject may cost, as a multiple of the baseline, where something is promised.
  package let bar: Double?
  /// The same of its peak of memory.
  package let memoryBar: Double?
  /// The most pairs of samples, for work that takes seconds.
  let mostPairs: Int?
  let prepare: () async throws -> BenchmarkPair

  package init(
    _ name: String, group: String, against baselineName: String, atMost bar: Double? = nil,
    memoryAtMost memoryBar: Double? = nil, mostPairs: Int? = nil,
    prepare: @escaping () async throws -> BenchmarkPair
  ) {
    self.name = name
    self.group = group
    self.baselineName = baselineName
    self.bar = bar
    self.memoryBar = memoryBar
    self.mostPairs = mostPairs
    self.prepare = prepare
  }

  /// What the case is called where all are listed, and what `--only` looks into.
  package var title: String { "\(group): \(name) / \(baselineName)" }
}
