import FoundationEssentials

/// A bar that a case is known to miss, with the reason on record.
package struct KnownMiss: Equatable, Sendable {
  package enum Cost: String, Sendable { case time, memory }

  /// The title of the case in lists.
  package let title: String
  package let cost: Cost
  /// A higher ratio is a new miss.
  package let highestRatio: Double
  /// The heading in Benchmarks/NOTES.md under which the reason stands.
  package let heading: String
}

extension KnownMiss {
  package struct Mistake: Error, Equatable, CustomStringConvertible { package let description: String }

  /// Reads the list in a file.
  package static func list(at path: String) throws(Mistake) -> [KnownMiss] {
    guard let text = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
      throw Mistake(description: "the known misses in \(path) cannot be read; run this in the checkout")
    }
    return try list(String(decoding: text, as: UTF8.self))
  }

  /// Reads a list: a line for each miss, with four fields between tabs; "#" begins a line for readers alone.
  package static func list(_ text: String) throws(Mistake) -> [KnownMiss] {
    var misses: [KnownMiss] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
      guard fields.count == 4, let cost = Cost(rawValue: fields[0]), let ratio = Double(fields[1]), ratio > 0,
        !fields[2].isEmpty, !fields[3].isEmpty
      else {
        throw Mistake(
          description: """
            line \(index + 1) of the known misses is "\(line)"; write "time" or "memory", the highest ratio, the title \
            of the case and a heading of Benchmarks/NOTES.md, with a tab between two of them
            """)
      }
      guard !misses.contains(where: { $0.title == fields[2] && $0.cost == cost }) else {
        throw Mistake(description: "line \(index + 1) of the known misses names the \(cost) of \(fields[2]) once more")
      }
      misses.append(KnownMiss(title: fields[2], cost: cost, highestRatio: ratio, heading: fields[3]))
    }
    return misses
  }
}
