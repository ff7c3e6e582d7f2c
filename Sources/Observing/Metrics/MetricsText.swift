/// Writes metrics as text for Prometheus.
package enum MetricsText {
  /// The two text formats that Prometheus reads.
  package enum Form: Sendable {
    case prometheus
    case openMetrics

    /// Chooses the format for a value of `Accept`: OpenMetrics if it is listed and not refused.
    package init(accept: String?) {
      let wanted = (accept ?? "").lowercased().split(separator: ",").contains { entry in
        let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
        let refusals = ["q=0", "q=0.0", "q=0.00", "q=0.000"]
        return parts.first == "application/openmetrics-text" && !parts.contains { refusals.contains($0) }
      }
      self = wanted ? .openMetrics : .prometheus
    }

    package var contentType: String {
      switch self {
      case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  package static func of(_ metrics: [any Metric], as form: Form = .prometheus) -> String {
    var text = ""
    for metric in metrics {
      let description = metric.description
      let name = family(description, form)
      text += "# HELP \(name) \(escaped(description.help, quotes: form == .openMetrics))\n"
      text += "# TYPE \(name) \(type(description.kind, form))\n"
      for sample in metric.samples() {
        text += description.name + sample.suffix + labels(sample.labels) + " \(sample.value.text)\n"
      }
    }
    return form == .openMetrics ? text + "# EOF\n" : text
  }

  /// The name in HELP and TYPE; in OpenMetrics it lacks the ending that belongs to the samples.
  private static func family(_ description: MetricDescription, _ form: Form) -> String {
    guard form == .openMetrics else { return description.name }
    for end in ["_total", "_info"] where description.name.hasSuffix(end) {
      return String(description.name.dropLast(end.count))
    }
    return description.name
  }

  private static func type(_ kind: MetricDescription.Kind, _ form: Form) -> String {
    kind == .info && form == .prometheus ? "gauge" : kind.rawValue
  }

  private static func labels(_ labels: [(name: String, value: String)]) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
