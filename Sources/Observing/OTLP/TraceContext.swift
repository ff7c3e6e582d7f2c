import EaselCore

/// The place in a trace at which work goes on, as the field `traceparent` of W3C states it.
package struct TraceContext: Hashable, Sendable {
  /// The name of the trace, of which either half may be zero, but not both.
  package let high: UInt64
  package let low: UInt64
  /// The span under which the work goes on; not zero.
  package let span: UInt64
  /// True if the trace is recorded.
  package let isSampled: Bool

  /// The context of the present task; nil if it belongs to no trace.
  @TaskLocal package static var current: TraceContext?

  init(high: UInt64, low: UInt64, span: UInt64, isSampled: Bool) {
    (self.high, self.low, self.span, self.isSampled) = (high, low, span, isSampled)
  }

  /// Begins a trace.
  init(isSampled: Bool) {
    self.init(
      high: TraceNumbers.next(), low: TraceNumbers.next(), span: TraceNumbers.next(), isSampled: isSampled)
  }

  /// Another span of the same trace.
  func child() -> TraceContext {
    TraceContext(high: high, low: low, span: TraceNumbers.next(), isSampled: isSampled)
  }

  /// Reads a field; nil if it is malformed, which begins a new trace by W3C's rules.
  package init?(_ field: String) {
    let bytes = Array(field.utf8)
    guard bytes.count >= 55, bytes.count <= 512, bytes[2] == Self.hyphen, bytes[35] == Self.hyphen,
      bytes[52] == Self.hyphen, let version = Self.number(bytes[0..<2]), version != 0xFF,
      // Later versions may add parts.
      bytes.count == 55 || version > 0 && bytes[55] == Self.hyphen,
      let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
      let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55]), high != 0 || low != 0, span != 0
    else { return nil }
    self.init(high: high, low: low, span: span, isSampled: flags & 1 == 1)
  }

  private static let hyphen = UInt8(ascii: "-")

  /// Reads small hexadecimal digits; W3C allows no others.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }

  /// The field for those who go on under this context.
  package var field: String { "00-\(traceText)-\(Self.text(span))-0\(isSampled ? 1 : 0)" }

  var traceText: String { Self.text(high) + Self.text(low) }
  var spanText: String { Self.text(span) }

  static func text(_ number: UInt64) -> String {
    String(unsafeUninitializedCapacity: 16) { digits in
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 15
        digits[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      return 16
    }
  }
}
