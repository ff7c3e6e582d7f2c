import EaselCore

/// The arguments of one filter, and the errors about them.
struct FilterArguments {
  private let filter: ThumborFilter
  /// The arguments, decoded once, without blanks and quotes at their ends.
  private let values: [String]

  init(filter: ThumborFilter, text: Substring) throws(ServiceError) {
    self.filter = filter
    var parts = Self.split(text)
    // A client may have encoded all commas; one among raw commas belongs to an argument.
    if parts.count == 1, let encoded = Self.withCommas(text) { parts = Self.split(encoded[...]) }
    if parts.count == 1, parts[0].isEmpty { parts = [] }
    var values: [String] = []
    for part in parts {
      guard let value = PercentText.decoded(part) else {
        throw Self.wrong(filter, part, "percent signs only with two digits after them")
      }
      values.append(Self.bare(value))
    }
    self.values = values
    guard filter.counts.contains(values.count) else {
      let (least, most) = (filter.counts.lowerBound, filter.counts.upperBound)
      let rule = most == 0 ? "no arguments" : least == most ? "\(least)" : "\(least) to \(most)"
      let unit = most == 0 ? "" : most == 1 ? " argument" : " arguments"
      throw ServiceError(
        400, "The filter \(filter.name) takes \(rule)\(unit), not \(values.count); write it as \(filter.form).")
    }
  }

  /// The parts between commas; one in single quotes may have commas itself.
  private static func split(_ text: Substring) -> [Substring] {
    var parts: [Substring] = []
    var rest = text
    while true {
      let content = rest.drop { $0 == " " }
      var end = content.firstIndex(of: ",")
      if content.hasPrefix("'"), let quote = content.firstRange(of: "',") {
        end = content.index(after: quote.lowerBound)
      } else if content.hasPrefix("'"), content.hasSuffix("'") {
        end = nil
      }
      parts.append(content[..<(end ?? content.endIndex)])
      guard let end else { return parts }
      rest = content[content.index(after: end)...]
    }
  }

  /// The text with its encoded commas decoded; nil if it has none.
  private static func withCommas(_ text: Substring) -> String? {
    guard text.contains("%2C") || text.contains("%2c") else { return nil }
    return String(text.replacing("%2C", with: ",").replacing("%2c", with: ","))
  }

  private static func bare(_ text: String) -> String {
    var rest = text[...]
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    if rest.utf8.count > 2, rest.hasPrefix("'"), rest.hasSuffix("'") { rest = rest.dropFirst().dropLast() }
    return String(rest)
  }

  // MARK: Errors

  private static func wrong(_ filter: ThumborFilter, _ value: some StringProtocol, _ rule: String) -> ServiceError {
    ServiceError(
      400,
      "The filter \(filter.name) takes \(rule), not '\(ThumborCall.shown(value))'; write it as \(filter.form).")
  }

  /// The error about an argument that makes no sense.
  func wrong(_ index: Int, _ rule: String) -> ServiceError {
    Self.wrong(filter, values.indices.contains(index) ? values[index] : "", rule)
  }

  // MARK: Values

  /// True if the argument was given, be it empty.
  func has(_ index: Int) -> Bool { values.indices.contains(index) }

  func text(_ index: Int) throws(ServiceError) -> String {
    guard has(index), !values[index].isEmpty else { throw wrong(index, "a text") }
    return values[index]
  }

  func integer(_ index: Int, _ range: ClosedRange<Int>) throws(ServiceError) -> Int {
    guard has(index), let value = Self.signed(values[index]), range.contains(value) else {
      throw wrong(index, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The whole number that digits after an optional minus stand for.
  private static func signed(_ text: String) -> Int? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let value = ThumborNumber.integer(digits, ThumborNumber.sides) else { return nil }
    return text.hasPrefix("-") ? -value : value
  }

  func number(_ index: Int, _ range: ClosedRange<Double>) throws(ServiceError) -> Double {
    guard has(index), let value = Self.number(values[index], range) else {
      throw wrong(index, "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))")
    }
    return value
  }

  /// Numbers with semicolons between.
  func numbers(_ index: Int, _ range: ClosedRange<Double>) throws(ServiceError) -> [Double] {
    let parts = try text(index).split(separator: ";", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Self.number($0, range) }
    guard numbers.count == parts.count else {
      throw wrong(
        index, "numbers from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)) with semicolons between"
      )
    }
    return numbers
  }

  private static func number(_ text: some StringProtocol, _ range: ClosedRange<Double>) -> Double? {
    // Letters would let names such as nan and exponents such as 1e308 pass.
    guard text.utf8.count <= 24,
      text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }),
      let value = Double(text), range.contains(value)
    else { return nil }
    return value == 0 ? 0 : value
  }

  private static func plain(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  func flag(_ index: Int, default standard: Bool) throws(ServiceError) -> Bool {
    guard has(index) else { return standard }
    switch values[index] {
    case "True", "true", "1": return true
    case "False", "false", "0": return false
    default: throw wrong(index, "true or false")
    }
  }

  func color(_ index: Int) throws(ServiceError) -> PixelColor {
    guard has(index), let color = ColorNames.color(values[index]) else {
      throw wrong(index, "a colour such as ff8800, or its name in CSS")
    }
    return color
  }

  /// A position on one axis: pixels or percent from the near edge, with a minus from the far edge.
  func position(_ index: Int) throws(ServiceError) -> ThumborPosition {
    let text = try text(index)
    switch text {
    case "center": return .center
    case "repeat": return .repeated
    default:
      let isFar = text.hasPrefix("-")
      let digits = isFar ? text.dropFirst() : text[...]
      if digits.hasSuffix("p"), let percent = ThumborNumber.integer(digits.dropLast(), 0...100) {
        return .edge(isFar: isFar, .share(Double(percent) / 100))
      }
      guard let pixels = ThumborNumber.integer(digits, 0...1_000_000) else {
        throw wrong(index, "pixels, percent such as 10p up to 100p, center or repeat")
      }
      return .edge(isFar: isFar, .pixels(pixels))
    }
  }
}
