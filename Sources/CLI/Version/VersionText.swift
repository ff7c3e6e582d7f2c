import EaselFormats

/// The output of `easel --version`.
enum VersionText {
  static var json: JSON {
    [
      "version": .string(Program.version),
      "libraries": .array(
        LibraryVersion.all.map {
          ["name": .string($0.name), "version": .string($0.version), "asked": .boolean($0.isAsked)]
        }),
    ]
  }

  static var lines: String {
    let all = LibraryVersion.all
    let width = all.map(\.name.count).max() ?? 0
    let rows = all.map { library in
      let name = TextWidth.padded(library.name, to: width)
      return "  \(name)  \(library.version)\(library.isAsked ? "" : " (when built)")"
    }
    return (["easel \(Program.version)", "It runs with:"] + rows).joined(separator: "\n")
  }
}
