/// Numbers formatted for readers.
package enum Figure {
  /// A number with this many decimal places.
  package static func fixed(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % scale)
    return "\(sign)\(scaled / scale).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
  }

  /// A number with three significant digits, and all digits before the point.
  package static func short(_ value: Double) -> String {
    let size = abs(value)
    return fixed(value, places: size < 9.995 ? 2 : size < 99.95 ? 1 : 0)
  }

  /// A duration in a suitable unit.
  package static func time(_ seconds: Double) -> String {
    let size = abs(seconds)
    if size < 999.5e-9 { return "\(short(seconds * 1e9)) ns" }
    if size < 999.5e-6 { return "\(short(seconds * 1e6)) us" }
    if size < 999.5e-3 { return "\(short(seconds * 1e3)) ms" }
    return "\(short(seconds)) s"
  }

  /// The middle of a spread, and its ends in parentheses.
  package static func time(_ spread: Spread) -> String {
    "\(time(spread.median)) (\(time(spread.min)) to \(time(spread.max)))"
  }
}
