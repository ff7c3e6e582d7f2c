import EaselCore

extension TextStyle {
  /// The largest letters, in pixels.
  static let mostSize = 1000.0

  /// Throws `transformFailed` for a value that makes no sense, or that pango could not draw.
  func check() throws(ImageError) {
    try require(
      !family.isEmpty && family.utf8.count <= 200 && family.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F },
      "the family must have 1 to 200 bytes and no control characters")
    try require(size >= 1 && size <= Self.mostSize, "the size must be from 1 to 1000 pixels, but is \(size)")
    try require((100...1000).contains(weight), "the weight must be from 100 to 1000, but is \(weight)")
    try require(
      lineSpacing >= 0.5 && lineSpacing <= 3, "the distance of lines must be from 0.5 to 3, but is \(lineSpacing)")
    if let width = outline?.width {
      try require(width >= 0 && width <= 100, "the outline must have 0 to 100 pixels, but has \(width)")
    }
    guard let shadow else { return }
    try require(
      shadow.blur >= 0 && shadow.blur <= 100, "the blur of the shadow must be from 0 to 100, but is \(shadow.blur)")
    for distance in [shadow.x, shadow.y] {
      try require(
        (-1000...1000).contains(distance), "the shadow must be moved by -1000 to 1000 pixels, and not by \(distance)")
    }
  }

  private func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws(ImageError) {
    guard condition else { throw ImageError(.transformFailed, "Text: \(rule()).") }
  }
}
