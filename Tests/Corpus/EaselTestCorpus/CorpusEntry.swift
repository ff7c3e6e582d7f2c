import EaselCore

/// One line of the manifest.
package struct CorpusEntry: Sendable, CustomStringConvertible {
  /// The expected behaviour of a decoder.
  package enum Expectation: String, Sendable {
    case decode, lenient, partial, any, reject, limit
  }

  private let values: [String: String]
  /// The path of the file relative to the corpus.
  package let path: String
  /// The expected behaviour.
  package let expectation: Expectation

  init?(_ names: [String], _ fields: [String]) {
    guard fields.count == names.count else { return nil }
    values = Dictionary(uniqueKeysWithValues: zip(names, fields))
    guard let path = values["path"], let expectation = Expectation(rawValue: values["expect"] ?? "") else {
      return nil
    }
    self.path = path
    self.expectation = expectation
  }

  /// The value of a column.
  package subscript(name: String) -> String { values[name] ?? "" }

  package var format: String { self["format"] }
  package var category: String { self["category"] }
  package var tags: Set<String> { Set(self["tags"].split(separator: ",").map(String.init)) }
  package var byteCount: Int { Int(self["bytes"]) ?? 0 }
  package var exact: String { self["exact"] }
  /// The stored size.
  package var size: PixelSize? {
    guard let width = Int(self["width"]), let height = Int(self["height"]) else { return nil }
    return PixelSize(width: width, height: height)
  }
  package var frameCount: Int? { Int(self["frames"]) }
  package var loopCount: Int? { Int(self["loop"]) }
  /// The orientation of EXIF, or the noted one if only XMP states an orientation.
  package var orientation: ImageMetadata.Orientation? {
    let noted = self["note"].split(separator: "Pillow orientation ").last { $0.dropFirst().hasPrefix(" (from XMP") }
    return (Int(self["orientation"]) ?? noted.flatMap { Int($0.prefix(1)) }).flatMap(
      ImageMetadata.Orientation.init(rawValue:))
  }
  /// The accepted hashes of the first frame.
  package var hashes: [String] {
    [self["ref_sha256"]] + self["alt_sha256"].split(separator: ",").map(String.init)
  }
  /// The first 16 digits of the hash of each frame.
  package var frameHashes: [String] { self["frames_sha16"].split(separator: ",").map(String.init) }

  /// The stored delays; empty if the manifest has none.
  package var milliseconds: [Double] {
    self["durations_ms"].split(separator: ",").flatMap { part -> [Double] in
      // A missing delay counts as zero.
      let factors = part.split(separator: "*", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
      return Array(repeating: factors[0], count: factors.count > 1 ? Int(factors[1]) : 1)
    }
  }

  package var description: String { path }
}
