import EaselCore

/// The names of the files that a command writes, such as `out/{name}-{width}.{ext}`.
struct OutputPattern: Hashable, Sendable {
  /// A name between braces, which is replaced by a value of each file.
  enum Field: String, CaseIterable, Sendable {
    case name, dir, sub, ext, format, width, height, index
  }

  enum Part: Hashable, Sendable {
    case text(String)
    case field(Field)
  }

  /// The values of one file; values that are not known yet are nil.
  struct Values {
    var name: String
    /// The folder of the input.
    var folder = ""
    /// The folder of the input, relative to the folder in which the search began.
    var subfolder = ""
    var index = 1
    var format: ImageFormat?
    /// The extension of a result that keeps the extension of its input; nil for the usual extension of the format.
    var fileExtension: String?
    var size: PixelSize?
  }

  let parts: [Part]

  static let help =
    "{name} is the input's name without its extension, {dir} its folder, {sub} its folder below the one that was given, "
    + "{ext} the extension of the format that is written and {format} its name, {width} and {height} the size of the "
    + "result, and {index} the number of the input, from 1. Write {{ and }} for braces."

  /// Reads a pattern; throws for an unknown field or a brace without its partner.
  init(_ text: String) throws(UsageError) {
    var parts: [Part] = []
    var plain = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "{" || character == "}" else {
        plain.append(character)
        continue
      }
      if rest.first == character {
        plain.append(rest.removeFirst())
        continue
      }
      guard character == "{", let end = rest.firstIndex(of: "}") else {
        throw UsageError("'\(printable(text))' has a brace without its other. Write {{ and }} for braces.")
      }
      let name = String(rest[..<end])
      guard let field = Field(rawValue: name) else {
        let all = Field.allCases.map(\.rawValue)
        let nearest = NearestName.of(name, among: all).map { " Did you mean {\($0)}?" } ?? ""
        throw UsageError(
          "There is no {\(printable(name))} in names of files; there are "
            + all.map { "{\($0)}" }.joined(separator: ", ") + ".\(nearest)")
      }
      if !plain.isEmpty { parts.append(.text(plain)) }
      plain = ""
      parts.append(.field(field))
      rest = rest[rest.index(after: end)...]
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    self.parts = parts
  }

  /// Creates a pattern for a single file, whatever characters its name has.
  init(file path: String) { parts = [.text(path)] }

  /// Creates a pattern for a folder, in which results have the names of their inputs and lie in the same inner folders.
  init(folder path: String) {
    let folder = path.hasSuffix("/") ? path : path + "/"
    parts = [.text(folder), .field(.sub), .text("/"), .field(.name), .text("."), .field(.ext)]
  }

  func uses(_ field: Field) -> Bool { parts.contains(.field(field)) }

  /// True if a result's name ends as its format wants it.
  var endsWithFormat: Bool { parts.last == .field(.ext) || parts.last == .field(.format) }

  /// True if the name depends on the format of the result.
  var needsFormat: Bool { uses(.ext) || uses(.format) }

  /// True if all inputs give the same name.
  var isOneFile: Bool { !parts.contains { if case .field = $0 { true } else { false } } }

  /// The text after the last field, which may end in an extension of a format.
  var ending: String { if case .text(let text)? = parts.last { text } else { "" } }

  /// The folder with which all names begin; empty for the working directory.
  var folder: String {
    guard case .text(let text)? = parts.first, let slash = text.lastIndex(of: "/") else { return "" }
    return slash == text.startIndex ? "/" : String(text[..<slash])
  }

  /// The folder that holds only results; nil if the names have no folder of their own.
  var resultFolder: String? { isOneFile || folder.isEmpty ? nil : folder }

  /// The name of a file; fields without a known value stay as they are.
  func path(_ values: Values) -> String {
    let text = parts.map { part in
      switch part {
      case .text(let text): text
      case .field(let field): Self.value(of: field, values) ?? "{\(field.rawValue)}"
      }
    }.joined()
    return Self.tidied(text)
  }

  private static func value(of field: Field, _ values: Values) -> String? {
    switch field {
    case .name: values.name
    case .dir: values.folder.isEmpty ? "." : values.folder
    case .sub: values.subfolder.isEmpty ? "." : values.subfolder
    case .ext: values.fileExtension ?? values.format.map { FormatNames.program.fileExtension(of: $0) }
    case .format: values.format.map { FormatNames.program.name(of: $0) }
    case .width: values.size.map { String($0.width) }
    case .height: values.size.map { String($0.height) }
    case .index: String(values.index)
    }
  }

  /// The path without steps that have no effect: `./`, `//`, `/./`.
  static func tidied(_ path: String) -> String {
    let steps = path.split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }
    guard !path.hasPrefix("/") else { return "/" + steps.joined(separator: "/") }
    return steps.isEmpty ? "." : steps.joined(separator: "/")
  }
}
