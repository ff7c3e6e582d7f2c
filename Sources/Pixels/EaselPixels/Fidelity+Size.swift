import EaselCore

extension Fidelity {
  /// The least ratio of the decoded sides to those of the result; nil if the whole picture is needed.
  ///
  /// What a decoder's scaling does to a picture shows most where the result is small. The numbers keep the score of the
  /// worst of 34 photographs above 85, and just allow a quarter of 4000 pixels for a result of 320.
  package func leastRatio(for result: PixelSize) -> Double? {
    switch (self, max(result.width, result.height)) {
    case (.exact, _): nil
    case (.fast, _): 2
    case (.faithful, ...200): 5
    case (.faithful, ...400): 3.1
    case (.faithful, ...700): 3
    case (.faithful, _): 2
    }
  }

  /// The largest part of its sides to which a picture is reduced while it is decoded.
  ///
  /// Reduced by less and then again, it would lose more in sharpness than it saves in memory.
  package static let mostUsefulScale = 0.8

  /// The least size of a decoded picture that suffices for a result; the full size if nearly all of it is needed.
  package func sufficientSize(of full: PixelSize, for result: PixelSize) -> PixelSize {
    guard let ratio = leastRatio(for: result), !full.isEmpty else { return full }
    let scale = ratio * max(Double(result.width) / Double(full.width), Double(result.height) / Double(full.height))
    guard scale < Self.mostUsefulScale else { return full }
    // An error of rounding must not ask for one pixel more, for which a decoder may have to make four times as many.
    func side(_ side: Int) -> Int { min(side, max(1, Int((Double(side) * scale - 1e-6).rounded(.up)))) }
    return PixelSize(width: side(full.width), height: side(full.height))
  }
}
