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

  /// Every fourth of many files, and all of few or in a long run.
  ///
  /// These are the files that a sandbox decodes in usual runs; their coders decode all of them without one.
  package static func files<File>(of all: [File], isLongRun: Bool = Corpus.isLongRun) -> [File] {
    isLongRun || all.count < fewest ? all : stride(from: 0, to: all.count, by: 4).map { all[$0] }
  }

  /// True at the levels of this turn.
  package func includes(_ damaged: DamagePolicy) -> Bool { level == nil || level == damaged }
}
