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
  /// The highest allowed cost of the subject as a multiple of the baseline's; nil if nothing is promised.
  package let bar: Double?
  /// The same limit for its peak memory.
  package let memoryBar: Double?
  /// The maximum of sample pairs, for work that takes seconds.
  ///
  /// If each case gets as many, the work is not done once more to see how long it takes.
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

  /// The title of the case in lists; `--only` searches in it.
  package var title: String { "\(group): \(name) / \(baselineName)" }
}
