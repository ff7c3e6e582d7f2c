/// What was asked for on the command line.
package struct BenchmarkArguments: Equatable, Sendable {
  package struct Mistake: Error, Equatable { package let message: String }

  package var only: [String] = []
  package var sampling = Sampling.standard
  package var jsonPath: String?
  /// The figures of an earlier run.
  package var comparisonPath: String?
  /// Where to write what a picture costs as more and more are cached or under way; nil when that is not asked for.
  package var growthPath: String?
  package var lists = false
  package var isStrict = false

  package init(_ arguments: [String]) throws(Mistake) {
    var rest = arguments[...]
    func value(of option: String) throws(Mistake) -> String {
      guard let value = rest.popFirst(), !value.isEmpty else { throw Mistake(message: "\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--only": only.append(try value(of: argument))
      case "--json": jsonPath = try value(of: argument)
      case "--compare": comparisonPath = try value(of: argument)
      case "--growth": growthPath = try value(of: argument)
      case "--quick": sampling = .quick
      case "--smoke": sampling = .smoke
      case "--list": lists = true
      case "--strict": isStrict = true
      default: throw Mistake(message: "unknown option \(argument)")
      }
    }
  }

  /// Whether a case was asked for: any of the parts given occurs in its title, or none was given.
  package func selects(_ benchmark: BenchmarkCase) -> Bool {
    only.isEmpty || only.contains { benchmark.title.lowercased().contains($0.lowercased()) }
  }
}
