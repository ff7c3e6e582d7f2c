import EaselCore

/// A missing or wrong part of a file after its header.
package struct Wound: Hashable, Sendable {
  /// The damage, as a part of a sentence.
  package let text: String
  /// True if every pixel is present despite the damage.
  package let sparesPixels: Bool

  /// Creates a wound, which costs pixels unless `sparesPixels` is true.
  package init(_ text: String, sparesPixels: Bool = false) {
    self.text = text
    self.sparesPixels = sparesPixels
  }

  /// The sentence about the damage in the metadata of a picture that is shown despite it.
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
