import EaselCore
import EaselSupport

/// Tells who asked for an encoded picture how its score was found.
package final class ScoreLog: Sendable {
  /// The quality that was found for a score.
  package struct Entry: Hashable, Sendable {
    /// The quality in whole per cent, on the scale of looks.
    package let percent: Int
    package let score: Double
    /// The number of times that the picture was encoded.
    package let attempts: Int

    package init(percent: Int, score: Double, attempts: Int) {
      (self.percent, self.score, self.attempts) = (percent, score, attempts)
    }
  }

  private let entries = Locked<[ImageFormat: Entry]>([:])

  package init() {}

  /// The last entry for a format; nil if no score was looked for.
  package func entry(_ format: ImageFormat) -> Entry? { entries.withLock { $0[format] } }

  package func note(_ entry: Entry, for format: ImageFormat) { entries.withLock { $0[format] = entry } }
}

private enum ScoreLogKey: ImageContext.Key {
  static let name = "scoreLog"
  static let impact = ImageContext.Impact<ScoreLog>.neutral
}

extension ContextKeys {
  /// The log of the searches for a score.
  package static let scoreLog = ContextKey(ScoreLogKey.self)
}
