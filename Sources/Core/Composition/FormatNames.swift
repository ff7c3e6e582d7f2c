/// The names and file extensions of formats, as their coders give them.
package struct FormatNames: Sendable {
  private let formats: [(format: ImageFormat, name: String, extensions: [String])]
  private let byName: [String: ImageFormat]

  /// Collects the names of the formats that a coder decodes.
  package init(_ coder: any ImageCoder) {
    formats = coder.formats.map { format in
      let extensions = coder.usualExtensions(of: format)
      return (format, Self.name(of: format, extensions), extensions)
    }
    var byName: [String: ImageFormat] = [:]
    for names in formats {
      for name in [names.name] + names.extensions where byName[name] == nil { byName[name] = names.format }
    }
    self.byName = byName
  }

  /// The format for a name or a file extension in any case.
  package func format(named name: some StringProtocol) -> ImageFormat? { byName[name.lowercased()] }

  /// The short name, usually the part of the MIME type after the slash; for some formats a more common name.
  package func name(of format: ImageFormat) -> String {
    entry(of: format)?.name ?? Self.name(of: format, [])
  }

  /// The usual file extension.
  package func fileExtension(of format: ImageFormat) -> String { fileExtensions(of: format).first ?? name(of: format) }

  /// All file extensions; empty for a format that no coder knows.
  package func fileExtensions(of format: ImageFormat) -> [String] { entry(of: format)?.extensions ?? [] }

  private func entry(of format: ImageFormat) -> (format: ImageFormat, name: String, extensions: [String])? {
    formats.first { $0.format == format }
  }

  private static func name(of format: ImageFormat, _ extensions: [String]) -> String {
    let type = format.mimeType.split(separator: "/").last?.prefix { $0 != "+" } ?? "unknown"
    let isLong = type.hasPrefix("x-") || type.hasPrefix("vnd.")
    return isLong ? extensions.first ?? String(type) : String(type)
  }
}
