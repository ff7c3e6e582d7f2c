import Easel

/// The names of formats on the command line and in file names, as the coders tell them.
enum FormatNames {
  private static let formats = CoderRegistry.program.formats

  /// A name for each format that is written.
  static let writtenNames = formats.filter { CoderRegistry.program.canEncode($0) }.map { name(of: $0) }

  /// The usual file extension of each format that is written.
  static let writtenExtensions = formats.filter { CoderRegistry.program.canEncode($0) }.map { fileExtension(of: $0) }

  /// The format for a name or a file extension.
  static func format(named name: String) -> ImageFormat? {
    let name = name.lowercased()
    return formats.first { self.name(of: $0) == name || fileExtensions(of: $0).contains(name) }
  }

  /// The format for a name or a file extension, if it is written.
  static func writtenFormat(named name: String) -> ImageFormat? {
    format(named: name).flatMap { CoderRegistry.program.canEncode($0) ? $0 : nil }
  }

  /// The short name: the part of the MIME type after the slash, unless that part is no name that people use.
  static func name(of format: ImageFormat) -> String {
    let type = format.mimeType.split(separator: "/").last?.prefix { $0 != "+" } ?? "unknown"
    let isLong = type.hasPrefix("x-") || type.hasPrefix("vnd.")
    return isLong ? fileExtensions(of: format).first ?? String(type) : String(type)
  }

  /// The usual file extension.
  static func fileExtension(of format: ImageFormat) -> String {
    fileExtensions(of: format).first ?? name(of: format)
  }

  static func fileExtensions(of format: ImageFormat) -> [String] { CoderRegistry.program.fileExtensions(of: format) }

  /// The format for a file name's extension, if it is written.
  static func writtenFormat(ofFile path: String) -> ImageFormat? {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return writtenFormat(named: String(name[name.index(after: dot)...]))
  }
}
