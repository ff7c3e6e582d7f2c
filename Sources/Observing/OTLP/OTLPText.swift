import EaselCore
import FoundationEssentials

/// Writes spans as a request of OTLP over HTTP with JSON.
struct OTLPText {
  private(set) var bytes: [UInt8] = []

  init(_ spans: some Collection<SpanRecord>, service: String, version: String, instance: String) {
    bytes.reserveCapacity(512 + spans.count * 1024)
    write("{\"resourceSpans\":[{\"resource\":{\"attributes\":[")
    add(attributes: [
      ("service.name", service), ("service.version", version), ("service.instance.id", instance),
      ("telemetry.sdk.name", "easel"),
    ])
    write("]},\"scopeSpans\":[{\"scope\":{\"name\":\"easel\",\"version\":")
    add(version)
    write("},\"spans\":[")
    for (index, span) in spans.enumerated() {
      if index > 0 { write(",") }
      add(span)
    }
    write("]}]}]}")
  }

  private mutating func add(_ span: SpanRecord) {
    write("{\"traceId\":\"\(span.context.traceText)\",\"spanId\":\"\(span.context.spanText)\"")
    if let parent = span.parent { write(",\"parentSpanId\":\"\(TraceContext.text(parent))\"") }
    write(",\"name\":")
    add(span.name)
    write(",\"kind\":\(span.kind.rawValue),\"startTimeUnixNano\":\"\(Self.nanoseconds(span.start))\"")
    // Clocks may be set back meanwhile.
    write(",\"endTimeUnixNano\":\"\(Self.nanoseconds(max(span.start, span.end)))\",\"attributes\":[")
    add(attributes: span.fields)
    write("]")
    if let other = span.other {
      write(",\"links\":[{\"traceId\":\"\(other.traceText)\",\"spanId\":\"\(other.spanText)\"}]")
    }
    if let failure = span.failure {
      write(",\"status\":{\"code\":2,\"message\":")
      add(failure)
      write("}")
    }
    write("}")
  }

  private mutating func add(attributes: [(name: String, value: String)]) {
    for (index, attribute) in attributes.enumerated() {
      write(index > 0 ? ",{\"key\":" : "{\"key\":")
      add(attribute.name)
      write(",\"value\":{\"stringValue\":")
      add(attribute.value)
      write("}}")
    }
  }

  private mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// Writes a text in quotes.
  private mutating func add(_ value: String) {
    write("\"")
    if value.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      write(value)
    } else {
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\"": write("\\\"")
        case "\\": write("\\\\")
        case _ where scalar.value < 0x20 || scalar.value == 0x7F:
          let digits = String(scalar.value, radix: 16)
          write("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        default: write(String(scalar))
        }
      }
    }
    write("\"")
  }

  private static func nanoseconds(_ date: Date) -> UInt64 {
    UInt64(max(0, min(date.timeIntervalSince1970, 9e9)) * 1e6) * 1000
  }
}
