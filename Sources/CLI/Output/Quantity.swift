/// Formats amounts for people.
enum Quantity {
  /// Bytes in decimal units: `512 bytes`, `1.4 MB`.
  static func bytes(_ count: Int) -> String {
    guard count >= 1000 else { return count == 1 ? "1 byte" : "\(count) bytes" }
    var value = Double(count) / 1000
    var units = ["kB", "MB", "GB", "TB", "PB"][...]
    while value >= 999.95, units.count > 1 {
      value /= 1000
      units = units.dropFirst()
    }
    return "\(decimal(value)) \(units.first!)"
  }

  /// A time: `12 ms`, `3.4 s`, `5 min`, `2 h`, `9 days`.
  static func duration(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    switch abs(seconds) {
    case ..<0.9995: return "\(decimal(seconds * 1000)) ms"
    case ..<59.95: return "\(decimal(seconds)) s"
    case ..<3570: return "\(Int((seconds / 60).rounded())) min"
    case ..<(36 * 3600): return "\(Int((seconds / 3600).rounded())) h"
    default: return seconds.magnitude < 1e12 ? "\(Int((seconds / 86400).rounded())) days" : "for ever"
    }
  }

  /// A number with `digits` digits after the point.
  static func decimals(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let rest = String(scaled % scale)
    return "\(sign)\(scaled / scale).\(String(repeating: "0", count: digits - rest.count))\(rest)"
  }

  /// A number with one digit after the point, unless this digit is zero or insignificant.
  private static func decimal(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return abs(tenths) >= 1000 || tenths % 10 == 0 ? "\(Int(value.rounded()))" : "\(tenths / 10).\(abs(tenths % 10))"
  }
}
