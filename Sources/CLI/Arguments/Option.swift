/// A command-line option with a typed value.
struct Option<Value: Sendable>: Sendable {
  let description: OptionDescription
  let read: @Sendable (String) -> Value?

  init(_ description: OptionDescription, _ read: @escaping @Sendable (String) -> Value?) {
    self.description = description
    self.read = read
  }
}

extension Option where Value == Bool {
  /// An option without a value.
  static func flag(_ name: String, letter: Character? = nil, _ help: String) -> Option {
    Option(OptionDescription(name: name, letter: letter, help: help)) { _ in true }
  }
}

extension Option where Value == String {
  static func text(
    _ name: String, letter: Character? = nil, _ placeholder: String, _ help: String,
    completion: OptionDescription.Completion = .nothing
  ) -> Option {
    Option(
      OptionDescription(
        name: name, letter: letter, placeholder: placeholder, expectation: "a text that is not empty", help: help,
        completion: completion)
    ) { $0.isEmpty ? nil : $0 }
  }
}

extension Option where Value == Int {
  static func integer(_ name: String, _ placeholder: String, in range: ClosedRange<Int>, _ help: String) -> Option {
    let limits =
      range.upperBound == .max ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    return Option(
      OptionDescription(
        name: name, placeholder: placeholder, expectation: "a whole number \(limits)", help: help)
    ) { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Option where Value == Int {
  /// A number of bytes; k, M or G means thousands, millions or billions.
  static func bytes(_ name: String, _ help: String) -> Option {
    Option(
      OptionDescription(
        name: name, placeholder: "BYTES", expectation: "a number of bytes such as 500000, 500k or 2M", help: help)
    ) { text in
      let digits = text.prefix { $0.isASCII && $0.isNumber }
      let factors = ["": 1, "k": 1000, "m": 1_000_000, "g": 1_000_000_000]
      guard let number = Int(digits), let factor = factors[text.dropFirst(digits.count).lowercased()] else {
        return nil
      }
      let (product, overflows) = number.multipliedReportingOverflow(by: factor)
      return overflows ? nil : product
    }
  }
}

extension Option where Value == Duration {
  /// A time in seconds; m, h or d means minutes, hours or days.
  static func time(_ name: String, _ help: String) -> Option {
    Option(
      OptionDescription(
        name: name, placeholder: "TIME", expectation: "a time such as 30 (seconds), 90m, 12h or 7d", help: help)
    ) { text in
      let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let factors = ["": 1.0, "s": 1, "m": 60, "h": 3600, "d": 86_400]
      guard let number = Double(digits), let factor = factors[String(text.dropFirst(digits.count))],
        number * factor <= 1e10
      else { return nil }
      return .seconds(number * factor)
    }
  }
}

extension Option where Value == Double {
  static func number(
    _ name: String, _ placeholder: String, in range: ClosedRange<Double>, _ expectation: String, _ help: String
  ) -> Option {
    Option(OptionDescription(name: name, placeholder: placeholder, expectation: expectation, help: help)) { text in
      Double(plain: text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Double {
  /// Reads digits, a sign and a point; returns nil for other notations of numbers, such as 0x10.
  init?(plain text: String) {
    guard text.utf8.allSatisfy({ (48...57).contains($0) || [43, 45, 46].contains($0) }) else { return nil }
    self.init(text)
  }
}

extension Option where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  static func choice(_ name: String, _ placeholder: String, _ help: String) -> Option {
    let words = Value.allCases.map(\.rawValue)
    return Option(
      OptionDescription(
        name: name, placeholder: placeholder, expectation: "one of \(words.joined(separator: ", "))", help: help,
        completion: .words(words))
    ) { Value(rawValue: $0) }
  }
}
