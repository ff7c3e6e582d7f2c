import EaselCore
import FoundationEssentials

/// Pictures from other projects and their expected results; the corpus is not part of this project.
package struct Corpus: Sendable {
  /// The directory of the pictures.
  package let directory: String
  /// The entries of the manifest.
  package let entries: [CorpusEntry]

  /// The corpus of this machine, from `$EASEL_CORPUS` or beside the project; nil if there is none.
  package static let shared = Corpus(manifest: "MANIFEST.tsv")

  /// The part of the corpus with formats other than PNG, JPEG, GIF and WebP; nil if there is none.
  package static let otherFormats = Corpus(manifest: "MANIFEST-formats.tsv")

  private init?(manifest: String) {
    let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../../../shared/corpus"
    ).standardizedFileURL.path
    let directory = ProcessInfo.processInfo.environment["EASEL_CORPUS"] ?? beside
    guard let text = try? String(contentsOfFile: directory + "/" + manifest, encoding: .utf8) else { return nil }
    let lines = text.split(separator: "\n")
    guard let names = lines.first?.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) else {
      return nil
    }
    self.directory = directory
    entries = lines.dropFirst().compactMap { line in
      CorpusEntry(names, line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init))
    }
  }

  /// The reason why tests that need the corpus are skipped without it.
  package static let skipReason =
    "There is no corpus of pictures beside the project, and $EASEL_CORPUS names none: nothing is compared with it."

  /// True when `$EASEL_LONG_RUN` is set, to check the whole corpus.
  package static let isLongRun = ProcessInfo.processInfo.environment["EASEL_LONG_RUN"] != nil

  /// The entries of a format, chosen by signature.
  package func entries(format: String) -> [CorpusEntry] { entries.filter { $0.format == format } }

  /// The path of a file.
  package func path(of entry: CorpusEntry) -> String { directory + "/" + entry.path }

  /// The bytes of a file.
  package func bytes(of entry: CorpusEntry) throws -> ImageBytes {
    try ImageBytes(contentsOfFile: path(of: entry)).loaded()
  }
}
