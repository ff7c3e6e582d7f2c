import Easel

/// The names of formats on the command line and in file names.
enum FormatNames {
  private static let extensions: [(name: String, format: ImageFormat)] = [
    ("png", .png), ("apng", .png), ("jpg", .jpeg), ("jpeg", .jpeg), ("jpe", .jpeg), ("jfif", .jpeg), ("gif", .gif),
    ("webp", .webp), ("avif", .avif), ("avifs", .avif), ("heic", .heic), ("heif", .heic), ("hif", .heic),
    ("jxl", .jxl), ("qoi", .qoi), ("pnm", .pnm), ("ppm", .pnm), ("pgm", .pnm), ("pbm", .pnm), ("pam", .pnm),
    ("bmp", .bmp), ("dib", .bmp), ("ico", .ico), ("cur", .ico), ("tiff", .tiff), ("tif", .tiff),
  ]

  /// A name for each format.
  static let usualNames = ["png", "jpeg", "gif", "webp", "avif", "jxl", "tiff", "qoi", "pnm", "bmp", "ico"]

  /// The format for a name or a file extension.
  static func format(named name: String) -> ImageFormat? {
    extensions.first { $0.name == name.lowercased() }?.format
  }

  /// The format for a name or a file extension, if it is written.
  static func writtenFormat(named name: String) -> ImageFormat? {
    format(named: name).flatMap { CoderRegistry.standard.canEncode($0) ? $0 : nil }
  }

  /// The short name: the part of the MIME type after the slash, unless that part is no name that people use.
  static func name(of format: ImageFormat) -> String {
    let type = format.mimeType.split(separator: "/").last ?? "unknown"
    let isLong = type.hasPrefix("x-") || type.hasPrefix("vnd.")
    return isLong ? extensions.first { $0.format == format }?.name ?? String(type) : String(type)
  }

  /// The usual file extension.
  static func fileExtension(of format: ImageFormat) -> String {
    extensions.first { $0.format == format }?.name ?? name(of: format)
  }

  static func fileExtensions(of format: ImageFormat) -> [String] {
    extensions.filter { $0.format == format }.map(\.name)
  }

  /// The format for a file name's extension, if it is written.
  static func writtenFormat(ofFile path: String) -> ImageFormat? {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return writtenFormat(named: String(name[name.index(after: dot)...]))
  }
}
