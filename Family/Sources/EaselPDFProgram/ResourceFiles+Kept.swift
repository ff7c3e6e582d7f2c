import CEaselPDFProgram
import EaselPDF

extension ResourceFiles {
  /// Keeps fonts in memory, and the tables that poppler needs for languages such as Chinese.
  static let kept = ResourceFiles {
    easel_kept_file_add($0!)
  } directory: {
    easel_kept_file_add_directory($0)
  }
}
