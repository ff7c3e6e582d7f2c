/// The options of the command line.
package struct BenchmarkArguments: Equatable, Sendable {
  package struct Mistake: Error, Equatable { package let message: String }

  package var only: [String] = []
  package var sampling = Sampling.standard
  package var jsonPath: String?
  /// The path of the figures of an earlier run.
  package var comparisonPath: String?
  /// The path for the growth figures: the cost of a picture as more are cached or loading; nil if not requested.
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

  /// True when a case is requested: its title contains one of the given parts, or no part was given.
  package func selects(_ benchmark: BenchmarkCase) -> Bool {
    only.isEmpty || only.contains { benchmark.title.lowercased().contains($0.lowercased()) }
  }
}
