/// The report of `easel serve --check`: every setting with its value and its place.
enum ServeReport {
  static func text(of configuration: ServeConfiguration) -> String {
    var parts: [String] = []
    for topic in ServeSetting.Topic.allCases {
      let rows = configuration.given.filter { $0.setting.topic == topic }.map(row)
      let widths = [rows.map(\.name.count).max() ?? 0, rows.map(\.value.count).max() ?? 0]
      parts.append(
        ([topic.rawValue]
          + rows.map { "  \(padded($0.name, widths[0]))  \(padded($0.value, min(widths[1], 40)))  \($0.place)" })
          .joined(separator: "\n"))
    }
    parts.append(MemoryReport.text(of: configuration.memory))
    let keys = configuration.settings.keys.count
    parts.append(
      configuration.settings.isUnsafe
        ? "Everybody may use the server, because unsafe is set."
        : "URLs are signed with \(keys == 1 ? "one key" : "one of \(keys) keys").")
    return parts.joined(separator: "\n\n")
  }

  private static func row(_ given: ServeConfiguration.Given) -> (name: String, value: String, place: String) {
    (given.setting.name, value(given), place(given))
  }

  private static func value(_ given: ServeConfiguration.Given) -> String {
    guard given.origin != .nowhere else { return given.setting.defaultText ?? "-" }
    guard !given.setting.isSecret else {
      return given.texts.count == 1 ? "(not shown)" : "(\(given.texts.count), not shown)"
    }
    return given.texts.isEmpty ? "-" : given.texts.map(given.setting.shown).joined(separator: " ")
  }

  private static func place(_ given: ServeConfiguration.Given) -> String {
    switch given.origin {
    case .option: return given.setting.option.spelling
    case .variable: return given.setting.variable
    case .file(let path, let lines):
      return "\(printable(path)):\(lines.map(String.init).joined(separator: ","))"
    case .nowhere: return given.setting.defaultText == nil ? "not set" : "default"
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
