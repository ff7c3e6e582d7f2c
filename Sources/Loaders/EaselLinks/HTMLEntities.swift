/// The characters that attributes of pages write by names and numbers.
enum HTMLEntities {
  private static let names = ["amp": "&", "quot": "\"", "apos": "'", "lt": "<", "gt": ">"]

  /// A text with its entities replaced; unknown ones stay.
  static func resolved(_ text: String) -> String {
    guard text.contains("&") else { return text }
    var result = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "&") {
      result += rest[..<mark]
      rest = rest[mark...]
      // No name is longer.
      guard let end = rest.prefix(10).firstIndex(of: ";"), let character = character(rest[..<end].dropFirst()) else {
        result += "&"
        rest = rest.dropFirst()
        continue
      }
      result += character
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func character(_ name: Substring) -> String? {
    guard name.hasPrefix("#") else { return names[String(name)] }
    let digits = name.dropFirst()
    let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
    let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
  }
}
