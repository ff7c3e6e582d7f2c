/// Writes JSON in the order in which its members are given.
enum JSONText {
  enum Value {
    case text(String)
    case number(Int)
    case decimal(Double)
    case truth(Bool)
    case list([Value])
    case object([(String, Value)])
  }

  static func object(_ members: [(String, Value)]) -> String { text(.object(members)) }

  private static func text(_ value: Value) -> String {
    switch value {
    case .text(let text): quoted(text)
    case .number(let number): "\(number)"
    case .decimal(let number): number.isFinite ? "\((number * 10_000).rounded() / 10_000)" : "null"
    case .truth(let truth): "\(truth)"
    case .list(let values): "[\(values.map(text).joined(separator: ","))]"
    case .object(let members): "{\(members.map { "\(quoted($0.0)):\(text($0.1))" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
