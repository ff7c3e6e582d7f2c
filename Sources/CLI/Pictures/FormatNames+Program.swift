import Easel
import EaselCore
import EaselFormats

/// The names of formats on the command line and in file names.
extension FormatNames {
  /// The names that the program's coders state.
  static let program = FormatNames(CoderRegistry.program)

  private static let written = CoderRegistry.program.formats.filter { CoderRegistry.program.canEncode($0) }

  /// The name of each format that can be written.
  static let writtenNames = written.map { program.name(of: $0) }

  /// The usual file extension of each format that can be written.
  static let writtenExtensions = written.map { program.fileExtension(of: $0) }

  /// All file extensions of the formats that can be read, in the order of the coders.
  static let readExtensions = CoderRegistry.program.formats.flatMap { program.fileExtensions(of: $0) }

  /// The format with a name or a file extension, if it can be written.
  static func writtenFormat(named name: String) -> ImageFormat? {
    program.format(named: name).flatMap { CoderRegistry.program.canEncode($0) ? $0 : nil }
  }

  /// The format for the extension of a file name, if it can be written.
  static func writtenFormat(ofFile path: String) -> ImageFormat? {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return writtenFormat(named: String(name[name.index(after: dot)...]))
  }
}

extension FormatCards {
  /// The cards of the program's coders.
  static let program = FormatCards(CoderRegistry.program)
}
