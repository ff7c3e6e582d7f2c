/// The metrics of a server at one moment.
struct MetricsReading: Sendable {
  private var samples: [String: [(labels: [String: String], value: Double)]] = [:]

  /// Reads the text format of Prometheus; nil if the text has another format.
  init?(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      guard let sample = Self.sample(line[...]) else { return nil }
      samples[sample.name, default: []].append((sample.labels, sample.value))
    }
    guard !samples.isEmpty else { return nil }
  }

  /// True if the metrics come from `easel serve`.
  var isOfEasel: Bool { samples["easel_build_info"] != nil && samples["easel_request_seconds_bucket"] != nil }

  /// The sum of the samples with these labels.
  func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
    all(name, labels).reduce(0) { $0 + $1.value }
  }

  /// The value of the only sample; nil without a sample.
  func value(_ name: String) -> Double? { samples[name]?.first?.value }

  /// The sums for each value of a label.
  func sums(_ name: String, by label: String) -> [String: Double] {
    (samples[name] ?? []).reduce(into: [:]) { sums, sample in
      if let value = sample.labels[label] { sums[value, default: 0] += sample.value }
    }
  }

  /// The value of a label in the first sample.
  func label(_ label: String, of name: String) -> String? { samples[name]?.first?.labels[label] }

  /// The counts of a histogram at the upper ends of its buckets, smallest first.
  func buckets(_ name: String, _ labels: [String: String]) -> [(end: Double, count: Double)] {
    all("\(name)_bucket", labels).compactMap { sample in
      sample.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) }.map { ($0, sample.value) }
    }.sorted { $0.end < $1.end }
  }

  private func all(_ name: String, _ labels: [String: String]) -> [(labels: [String: String], value: Double)] {
    (samples[name] ?? []).filter { sample in labels.allSatisfy { sample.labels[$0.key] == $0.value } }
  }

  // MARK: Reading

  private static func sample(
    _ line: Substring
  ) -> (name: String, labels: [String: String], value: Double)? {
    var rest = line
    let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
    guard let first = name.first, !first.isNumber else { return nil }
    rest = rest[name.endIndex...]
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest.removeFirst()
      while rest.first != "}" {
        guard let label = Self.label(&rest) else { return nil }
        labels[label.name] = label.value
        if rest.first == "," { rest.removeFirst() }
      }
      rest.removeFirst()
    }
    guard rest.first == " ", let word = rest.split(separator: " ").first else { return nil }
    let names = ["+Inf": Double.infinity, "-Inf": -.infinity, "NaN": .nan]
    guard let value = names[String(word)] ?? Double(word) else { return nil }
    return (String(name), labels, value)
  }

  private static func label(_ rest: inout Substring) -> (name: String, value: String)? {
    guard let equals = rest.firstIndex(of: "=") else { return nil }
    let name = String(rest[..<equals])
    rest = rest[rest.index(after: equals)...]
    guard rest.popFirst() == "\"" else { return nil }
    var value = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return (name, value)
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        value.append(escaped == "n" ? "\n" : escaped)
      default: value.append(character)
      }
    }
    return nil
  }
}
