import EaselCore

/// The level of the setting for damaged pictures at which a file of a list has its turn.
///
/// A sandbox needs a process for each level. In usual runs it decodes a file at one of them, and the next file at the
/// next one; in a long run, and of few files, it decodes each at all levels.
package struct DamageTurn {
  /// Of fewer files each one counts.
  package static let fewest = 24

  /// Nil for all levels.
  private let level: DamagePolicy?

  /// Creates the turn of the file at a place in a list of so many.
  package init(at index: Int, of count: Int, isLongRun: Bool = Corpus.isLongRun) {
    let levels = DamagePolicy.allCases
    level = isLongRun || count < Self.fewest ? nil : levels[index % levels.count]
  }

  /// True at the levels of this turn.
  package func includes(_ damaged: DamagePolicy) -> Bool { level == nil || level == damaged }
}
