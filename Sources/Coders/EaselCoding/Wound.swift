import EaselCore

/// Something that is missing or wrong in a file behind its header.
package struct Wound: Hashable, Sendable {
  /// The damage, as a part of a sentence.
  package let text: String
  /// True when every pixel is there all the same.
  package let sparesPixels: Bool

  /// Creates a wound; one that does not say otherwise costs pixels.
  package init(_ text: String, sparesPixels: Bool = false) {
    self.text = text
    self.sparesPixels = sparesPixels
  }

  /// The sentence for the metadata of a picture that is shown all the same.
  package func note(_ format: String) -> String { "\(format): \(text)." }
}

extension DamagePolicy {
  /// True when a picture with this wound is shown.
  package func accepts(_ wound: Wound) -> Bool {
    switch self {
    case .refuse: false
    case .whole: wound.sparesPixels
    case .show: true
    }
  }
}
