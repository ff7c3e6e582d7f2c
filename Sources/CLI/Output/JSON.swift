import EaselCore

/// A JSON value whose fields keep their order.
indirect enum JSON: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([Field])

  struct Field: Sendable, Equatable {
    let name: String
    let value: JSON
  }

  /// The value as one line of JSON.
  var text: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    // JSON has no NaN and no infinities.
    case .number(let value): (try? KeyNumber.text(value)) ?? "null"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
    case .object(let fields):
      "{\(fields.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _
      where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension JSON: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Field(name: $0.0, value: $0.1) })
  }

  /// This object with more fields.
  func adding(_ others: JSON) -> JSON {
    guard case .object(let fields) = self, case .object(let more) = others else { return self }
    return .object(fields + more)
  }

  static func optional(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }
  static func optional(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }

  /// A time in milliseconds, rounded to microseconds.
  static func milliseconds(_ duration: Duration?) -> JSON {
    duration.map { .number(($0 / .microseconds(1)).rounded() / 1000) } ?? .null
  }

  /// The object printed for an input that failed; `wording` rewords messages of the library for the program.
  static func failure(of input: String, _ error: ImageError, wording: (String) -> String) -> JSON {
    var fields: [Field] = [
      Field(name: "code", value: .string(error.code.name)),
      Field(name: "message", value: .string(wording(error.message))),
    ]
    if let status = error.status { fields.append(Field(name: "status", value: .integer(status))) }
    if !error.causes.isEmpty {
      fields.append(Field(name: "causes", value: .array(error.causes.map { .string(wording(ShownURL.text("\($0)"))) })))
    }
    return ["input": .string(input), "error": .object(fields)]
  }
}
