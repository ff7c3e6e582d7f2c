import EaselCore

/// A section of the text that describes sources: a place in brackets, and lines of settings.
package struct SourceSection: Sendable {
  package let place: SourcePlace
  /// The number of the line with the place.
  package let number: Int
  package private(set) var lines: [SettingLine] = []

  /// A line that makes no sense.
  package struct Mistake: Error, Hashable, Sendable {
    package let number: Int
    package let message: String
  }

  private init(_ place: SourcePlace, number: Int) {
    self.place = place
    self.number = number
  }

  /// The first value of a setting.
  package func value(_ name: String) -> String? { lines.first { $0.name == name }?.value }

  /// Reads the sections of a text, and collects the lines that make no sense.
  package static func all(in text: String) -> (sections: [SourceSection], mistakes: [Mistake]) {
    var (sections, mistakes): ([SourceSection], [Mistake]) = ([], [])
    var names: Set<String> = []
    var isKnown = true
    for (number, line) in SettingLine.lines(of: text) {
      if line.hasPrefix("[") {
        isKnown = false
        do throws(Mistake) {
          let place = try place(line, number)
          if !names.insert(place.name).inserted {
            mistakes.append(Mistake(number: number, message: "\(place.name) is described twice."))
          }
          sections.append(SourceSection(place, number: number))
          isKnown = true
        } catch {
          mistakes.append(error)
        }
        continue
      }
      // What belongs to an unknown place says nothing.
      guard isKnown else { continue }
      guard !sections.isEmpty else {
        mistakes.append(
          Mistake(number: number, message: "the file begins with a place in brackets, as in [s3://bucket]."))
        continue
      }
      guard let setting = SettingLine(line, number: number) else {
        mistakes.append(Mistake(number: number, message: "the line is no setting. Write it as key = value."))
        continue
      }
      sections[sections.count - 1].lines.append(setting)
    }
    return (sections, mistakes)
  }

  private static func place(_ line: String, _ number: Int) throws(Mistake) -> SourcePlace {
    guard line.count > 1, line.hasSuffix("]") else {
      throw Mistake(number: number, message: "a place ends with a bracket, as in [s3://bucket].")
    }
    do throws(ImageError) {
      return try SourcePlace(String(line.dropFirst().dropLast().trimmed))
    } catch {
      throw Mistake(number: number, message: error.message)
    }
  }
}
