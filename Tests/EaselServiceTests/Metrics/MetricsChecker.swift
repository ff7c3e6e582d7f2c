/// A strict reader of the text of metrics, with the rules of Prometheus' own checker.
struct MetricsChecker {
  struct Sample: Hashable {
    let name: String
    let labels: [String: String]
    let value: Double
  }

  struct Family {
    let name: String
    var type = ""
    var help = ""
    var samples: [Sample] = []
  }

  struct Mistake: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private(set) var families: [Family] = []

  init(_ text: String, isOpenMetrics: Bool = false) throws {
    guard text.hasSuffix("\n") else { throw Mistake("The last line has no end.") }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    if isOpenMetrics {
      guard lines.popLast() == "# EOF" else { throw Mistake("The last line is not # EOF.") }
    }
    for line in lines {
      guard !line.isEmpty else { throw Mistake("There is an empty line.") }
      if line.hasPrefix("#") { try readComment(line) } else { try readSample(line, isOpenMetrics) }
    }
    for family in families { try check(family, isOpenMetrics) }
  }

  func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }

  func family(_ name: String) -> Family? { families.first { $0.name == name } }

  // MARK: Lines

  private mutating func readComment(_ line: Substring) throws {
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 4, words[0] == "#", ["HELP", "TYPE"].contains(words[1]) else {
      throw Mistake("A comment is neither HELP nor TYPE: \(line)")
    }
    let name = String(words[2])
    try Self.checkName(name)
    if words[1] == "HELP" {
      guard !families.contains(where: { $0.name == name }) else { throw Mistake("\(name) comes twice.") }
      guard !words[3].isEmpty else { throw Mistake("\(name) has no help.") }
      families.append(Family(name: name, help: String(words[3])))
    } else {
      guard families.last?.name == name, families.last?.type == "", families.last?.samples.isEmpty == true else {
        throw Mistake("The type of \(name) does not follow its help.")
      }
      guard ["counter", "gauge", "histogram", "info"].contains(words[3]) else {
        throw Mistake("\(name) has the unknown type \(words[3]).")
      }
      families[families.count - 1].type = String(words[3])
    }
  }

  private mutating func readSample(_ line: Substring, _ isOpenMetrics: Bool) throws {
    let nameEnd = line.firstIndex { $0 == "{" || $0 == " " } ?? line.endIndex
    let name = String(line[..<nameEnd])
    try Self.checkName(name)
    var rest = line[nameEnd...]
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest = rest.dropFirst()
      repeat {
        let (label, value) = try Self.readLabel(&rest)
        guard labels.updateValue(value, forKey: label) == nil else { throw Mistake("A label comes twice: \(line)") }
        guard let separator = rest.popFirst(), separator == "," || separator == "}" else {
          throw Mistake("A label does not end: \(line)")
        }
        if separator == "}" { break }
      } while true
    }
    guard rest.popFirst() == " " else { throw Mistake("No blank before the value: \(line)") }
    guard let value = Self.number(rest) else { throw Mistake("Not a number: \(line)") }
    guard let family = families.last, Self.belongs(name, to: family, isOpenMetrics) else {
      throw Mistake("\(name) does not belong to \(families.last?.name ?? "any family").")
    }
    let sample = Sample(name: name, labels: labels, value: value)
    guard !family.samples.contains(where: { $0.name == name && $0.labels == labels }) else {
      throw Mistake("A sample comes twice: \(line)")
    }
    families[families.count - 1].samples.append(sample)
  }

  private static func readLabel(_ rest: inout Substring) throws -> (String, String) {
    let end = rest.firstIndex(of: "=") ?? rest.endIndex
    let label = String(rest[..<end])
    guard let first = label.unicodeScalars.first, first == "_" || isLetter(first),
      label.unicodeScalars.allSatisfy({ $0 == "_" || isLetter($0) || isDigit($0) }), !label.hasPrefix("__")
    else { throw Mistake("Not the name of a label: \(label)") }
    rest = rest[end...].dropFirst()
    guard rest.popFirst() == "\"" else { throw Mistake("The value of \(label) has no quotes.") }
    var value = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return (label, value)
      case "\\":
        switch rest.popFirst() {
        case "\\": value += "\\"
        case "\"": value += "\""
        case "n": value += "\n"
        default: throw Mistake("An unknown escape in the value of \(label).")
        }
      default: value.append(character)
      }
    }
    throw Mistake("The value of \(label) does not end.")
  }

  private static func number(_ text: Substring) -> Double? {
    switch text {
    case "+Inf": .infinity
    case "-Inf": -.infinity
    case "NaN": .nan
    default: text.contains { $0.isLetter && $0 != "e" } ? nil : Double(text)
    }
  }

  private static func checkName(_ name: String) throws {
    guard let first = name.unicodeScalars.first, isLetter(first) || first == "_",
      name.unicodeScalars.allSatisfy({ isLetter($0) || isDigit($0) || $0 == "_" })
    else { throw Mistake("Not a name: \(name)") }
    // Rules of style, as in promtool: units are whole words in the plural, and the name says nothing about the type.
    guard name == name.lowercased() else { throw Mistake("\(name) has capitals.") }
    for word in ["milliseconds", "ms", "counter", "gauge", "histogram", "kilobytes", "minutes"] {
      guard !name.split(separator: "_").contains(Substring(word)) else { throw Mistake("\(name) says \(word).") }
    }
  }

  private static func belongs(_ name: String, to family: Family, _ isOpenMetrics: Bool) -> Bool {
    switch family.type {
    case "histogram": ["_bucket", "_sum", "_count"].contains { name == family.name + $0 }
    case "counter": isOpenMetrics ? name == family.name + "_total" : name == family.name
    case "info": name == family.name + "_info"
    default: name == family.name
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  // MARK: Families

  private func check(_ family: Family, _ isOpenMetrics: Bool) throws {
    guard !family.type.isEmpty else { throw Mistake("\(family.name) has no type.") }
    switch family.type {
    case "counter":
      guard isOpenMetrics != family.name.hasSuffix("_total") else { throw Mistake("\(family.name) and _total.") }
      guard family.samples.allSatisfy({ $0.value >= 0 }) else { throw Mistake("\(family.name) is negative.") }
    case "gauge":
      guard !family.name.hasSuffix("_total") else { throw Mistake("The gauge \(family.name) ends in _total.") }
    case "histogram": try checkHistogram(family)
    default: break
    }
    let names = Set(family.samples.map { Set($0.labels.keys.filter { $0 != "le" }) })
    guard names.count <= 1 else { throw Mistake("The samples of \(family.name) have different labels.") }
  }

  private func checkHistogram(_ family: Family) throws {
    let groups = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
    for (labels, samples) in groups {
      let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
      let bounds = try buckets.map { bucket in
        guard let bound = Self.number(Substring(bucket.labels["le"] ?? "")) else {
          throw Mistake("A bucket has no le.")
        }
        return bound
      }
      guard bounds == bounds.sorted(), Set(bounds).count == bounds.count, bounds.last == .infinity else {
        throw Mistake("The bounds of \(family.name)\(labels) are not in order, or +Inf is missing.")
      }
      guard buckets.map(\.value) == buckets.map(\.value).sorted() else {
        throw Mistake("The buckets of \(family.name)\(labels) are not cumulative.")
      }
      let counts = samples.filter { $0.name.hasSuffix("_count") }
      let sums = samples.filter { $0.name.hasSuffix("_sum") }
      guard counts.count == 1, sums.count == 1, counts[0].value == buckets.last?.value, sums[0].value >= 0 else {
        throw Mistake("Count, sum and the last bucket of \(family.name)\(labels) do not agree.")
      }
    }
  }
}
