import Easel
import FoundationEssentials

/// The pictures of a site with their variants, as `manifest.json` lists them.
struct SiteManifest: Codable, Hashable, Sendable {
  /// A picture of the site.
  struct Picture: Codable, Hashable, Sendable {
    /// The path of the picture, or its URL.
    let source: String
    let width: Int
    let height: Int
    let variants: [Variant]
    /// The element for pages.
    let html: String
  }

  /// A file that was made of a picture.
  struct Variant: Codable, Hashable, Sendable {
    /// The path in the folder of the manifest.
    let file: String
    /// The number made of the picture and of the settings.
    let key: String
    /// The media type.
    let type: String
    let width: Int
    let height: Int
    let bytes: Int
  }

  static let name = "manifest.json"

  var version = 1
  var pictures: [Picture] = []

  init(_ pictures: [Picture]) { self.pictures = pictures }

  /// Reads the manifest of the last run; an empty one if there is none that can be read.
  init(ofFolder folder: String) {
    guard let bytes = try? ImageBytes(contentsOfFile: "\(folder)/\(Self.name)"),
      let data = try? bytes.withUnsafeBytes({ Data($0) }), let found = try? JSONDecoder().decode(Self.self, from: data),
      found.version == 1
    else { return }
    self = found
  }

  /// The text, of which equal pictures have equal ones.
  func text() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self)) + Array("\n".utf8)
  }
}
