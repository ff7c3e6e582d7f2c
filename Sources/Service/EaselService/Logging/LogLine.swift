import EaselCore
import EaselObserving
import FoundationEssentials
import Glibc

/// Makes the text of a line.
enum LogLine {
  enum Value {
    /// Digits, which need no quotes.
    case number(String)
    case word(String)
  }

  private static let longest = 1000

  static func fields(of entry: RequestLogEntry, showsPaths: Bool) -> [(name: String, value: Value)] {
    var fields: [(name: String, value: Value)] = [
      ("time", .word(timestamp(entry.date))), ("id", .word(cut(entry.id, 100))),
      ("remote", .word(cut(entry.remoteAddress ?? "-", 100))), ("method", .word(cut(entry.method, 20))),
      ("route", .word(entry.route.text)), ("status", .number("\(entry.status)")),
      ("bytes", .number("\(entry.byteCount)")), ("ms", .number(milliseconds(entry.duration))),
      ("cache", .word(entry.cache?.rawValue ?? "-")),
      ("source", .word(entry.source.flatMap { LoggedURL($0) }?.host ?? "-")),
    ]
    if let error = entry.error { fields.append(("error", .word(error.name))) }
    if showsPaths {
      fields.append(("path", .word(cut(LoggedPath.text(entry.target, entry.route), longest))))
      if let url = entry.source.flatMap({ LoggedURL($0) }) { fields.append(("url", .word(cut(url.text, longest)))) }
    }
    return fields
  }

  static func text(_ fields: [(name: String, value: Value)], _ form: RequestLog.Form) -> String {
    let (opening, beforeName, afterName, separator, closing) =
      form == .text ? ("", "", "=", " ", "") : ("{", "\"", "\":", ",", "}")
    var line = opening
    line.reserveCapacity(256)
    for (index, field) in fields.enumerated() {
      if index > 0 { line += separator }
      line += beforeName
      line += field.name
      line += afterName
      switch field.value {
      case .number(let text): line += text
      case .word(let text): line += form == .json || needsQuotes(text) ? quoted(text) : text
      }
    }
    return line + closing
  }

  private static func needsQuotes(_ text: String) -> Bool {
    text.isEmpty || !isPlain(text) || text.utf8.contains { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "=") }
  }

  /// True for printable ASCII without quotes and backslashes, which most texts are.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  /// The text in quotes, as in JSON; everything that could end a line or control a terminal is escaped.
  private static func quoted(_ text: String) -> String {
    if isPlain(text) { return "\"\(text)\"" }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where isUnsafe(scalar):
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    case .spaceSeparator: scalar != " "
    default: false
    }
  }

  /// The beginning of a text that is too long.
  private static func cut(_ text: String, _ length: Int) -> String {
    if text.utf8.count <= length { return text }
    let scalars = text.unicodeScalars
    return scalars.count <= length ? text : String(String.UnicodeScalarView(scalars.prefix(length))) + "..."
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let microseconds = Int(max(0, min(duration / .microseconds(1), 1e15)))
    let rest = String(microseconds % 1000)
    return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  /// The time as in `2026-11-23T10:00:00.123Z`.
  private static func timestamp(_ date: Date) -> String {
    let milliseconds = (max(0, min(date.timeIntervalSince1970, 253_402_300_799)) * 1000).rounded(.down)
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    func add(_ number: Int, _ width: Int, _ end: UInt8) {
      var divisor = width == 4 ? 1000 : width == 3 ? 100 : 10
      while divisor > 0 {
        text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
        divisor /= 10
      }
      text.append(end)
    }
    add(Int(parts.tm_year) + 1900, 4, UInt8(ascii: "-"))
    add(Int(parts.tm_mon) + 1, 2, UInt8(ascii: "-"))
    add(Int(parts.tm_mday), 2, UInt8(ascii: "T"))
    add(Int(parts.tm_hour), 2, UInt8(ascii: ":"))
    add(Int(parts.tm_min), 2, UInt8(ascii: ":"))
    add(Int(parts.tm_sec), 2, UInt8(ascii: "."))
    add(Int(milliseconds.truncatingRemainder(dividingBy: 1000)), 3, UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }
}
