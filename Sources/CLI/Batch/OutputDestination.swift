import Easel
import Glibc

/// The destination that `--output` names: one file, a folder, a pattern of names, or standard output.
struct OutputDestination: Hashable, Sendable {
  let pattern: OutputPattern
  /// The format that the name implies; nil if it implies none.
  let namedFormat: ImageFormat?
  /// True if each result may have a different format.
  let keepsFormats: Bool

  /// Reads the value of `--output` for the given inputs.
  init(_ text: String, for inputs: [String], _ options: BatchOptions) throws(UsageError) {
    let isMany = inputs.count > 1 || options.recurses
    if text == "-" {
      guard !isMany else {
        throw UsageError("Only one picture can be written to standard output. Name a folder instead.")
      }
      try Self.refuseTerminal()
      pattern = OutputPattern(file: "-")
      (namedFormat, keepsFormats) = (nil, false)
      return
    }
    let read = try OutputPattern(text)
    let named = FormatNames.writtenFormat(ofFile: read.ending)
    guard read.isOneFile else {
      (pattern, namedFormat) = (read, named)
      keepsFormats = named == nil && read.endsWithFormat
      return
    }
    let file = read.path(OutputPattern.Values(name: ""))
    guard text.hasSuffix("/") || FileIdentity(folder: file) != nil || isMany && named == nil else {
      guard !isMany else {
        throw UsageError(
          "Several pictures cannot all be written to \(printable(text)). Name a folder, or a pattern such as "
            + "'{name}\(text[(text.lastIndex(of: ".") ?? text.endIndex)...])'.")
      }
      (pattern, namedFormat, keepsFormats) = (OutputPattern(file: read.ending), named, false)
      return
    }
    pattern = OutputPattern(folder: file)
    (namedFormat, keepsFormats) = (nil, true)
  }

  /// Refuses to write the bytes of a picture to a terminal.
  static func refuseTerminal() throws(UsageError) {
    guard isatty(STDOUT_FILENO) == 1 else { return }
    throw UsageError(
      "Standard output is a terminal, which cannot show the bytes of a file. Name a file with --output, or send them on, as "
        + "in '-o - > FILE' or '-o - | PROGRAM'. 'easel view' shows pictures.")
  }
}
