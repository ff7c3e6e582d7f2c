import EaselCore
import FoundationEssentials

/// Pictures nobody here wrote, with what each must give; not part of the project.
package struct Corpus: Sendable {
  /// The directory that holds them.
  package let directory: String
  /// What the manifest lists.
  package let entries: [CorpusEntry]

  /// The corpus of this machine, nil where there is none: `$EASEL_CORPUS`, or beside the project.
  package static let shared: Corpus? = {
    let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../../../shared/corpus"
    ).standardizedFileURL.path
    let directory = ProcessInfo.processInfo.environment["EASEL_CORPUS"] ?? beside
    guard let text = try? String(contentsOfFile: directory + "/MANIFEST.tsv", encoding: .utf8) else { return nil }
    let lines = text.split(separator: "\n")
    guard let names = lines.first?.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) else {
      return nil
    }
    return Corpus(
      directory: directory,
      entries: lines.dropFirst().compactMap { line in
        CorpusEntry(names, line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init))
      })
  }()

  /// Why tests that need the corpus are skipped where it is not.
  package static let skipReason =
    "There is no corpus of pictures beside the project, and $EASEL_CORPUS names none: nothing is compared with it."

  /// Whether there is time for all of it: `$EASEL_CORPUS_LONG` is set.
  package static let isLongRun = ProcessInfo.processInfo.environment["EASEL_CORPUS_LONG"] != nil

  /// The files of a format, by their signature.
  package func entries(format: String) -> [CorpusEntry] { entries.filter { $0.format == format } }

  /// The path of a file.
  package func path(of entry: CorpusEntry) -> String { directory + "/" + entry.path }

  /// The bytes of a file.
  package func bytes(of entry: CorpusEntry) throws -> ImageBytes {
    try ImageBytes(contentsOfFile: path(of: entry)).loaded()
  }
}
