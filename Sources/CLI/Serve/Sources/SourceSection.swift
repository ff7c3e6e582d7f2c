import EaselService

/// A section of the file that describes sources: a place in brackets, and lines of settings.
struct SourceSection: Sendable {
  let place: SourcePlace
  /// The number of the line with the place.
  let number: Int
  private(set) var lines: [ConfigurationFile.Line] = []

  /// The first value of a setting.
  func value(_ name: String) -> String? { lines.first { $0.name == name }?.value }

  /// All values of a setting.
  func values(_ name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }

  /// Reads the sections of a text; `mistakes` are lines that make no sense.
  static func all(in text: String, path: String, mistakes: inout [String]) -> [SourceSection] {
    var sections: [SourceSection] = []
    var isKnown = true
    for (number, line) in ConfigurationFile.content(of: text) {
      let place = ConfigurationFile.place(path, number)
      if line.hasPrefix("[") {
        isKnown = false
        guard line.hasSuffix("]") else {
          mistakes.append("\(place): a place ends with a bracket, as in [s3://bucket].")
          continue
        }
        do {
          let found = try SourcePlace(String(line.dropFirst().dropLast()).trimmed)
          if sections.contains(where: { $0.place.name == found.name }) {
            mistakes.append("\(place): \(printable(found.name)) is described twice.")
          }
          sections.append(SourceSection(place: found, number: number))
          isKnown = true
        } catch {
          mistakes.append("\(place): \(printable(error.message))")
        }
        continue
      }
      // What belongs to an unknown place says nothing.
      guard isKnown else { continue }
      guard !sections.isEmpty, let equals = line.firstIndex(of: "=") else {
        mistakes.append(
          sections.isEmpty
            ? "\(place): the file begins with a place in brackets, as in [s3://bucket]."
            : "\(place): the line is no setting. Write it as key = value.")
        continue
      }
      sections[sections.count - 1].lines.append(
        ConfigurationFile.Line(
          number: number, name: line[..<equals].trimmed, value: line[line.index(after: equals)...].trimmed))
    }
    return sections
  }
}
