import Easel
import EaselSupport

/// The options of commands that work on many pictures.
struct BatchOptions: Sendable {
  static let recursive = Option<Bool>.flag(
    "recursive", letter: "r", "Take all pictures in folders, and in the folders in them, by their extensions.")
  static let dryRun = Option<Bool>.flag("dry-run", "Say what would be written, and write nothing.")
  static let quiet = Option<Bool>.flag("quiet", letter: "q", "Print nothing but failures.")

  static let all =
    [recursive.description, dryRun.description] + ExistingFiles.all + [
      CommonOptions.jobs.description, quiet.description, CommonOptions.noProgress.description,
      CommonOptions.json.description,
    ]

  /// Paragraphs of help for the commands that have these options.
  static let details = [
    "Nothing that is there is replaced without --overwrite, or --newer. Two inputs that would be written to the same file "
      + "are refused before anything is written. A file appears under its name when it is complete.",
    "With several inputs, or a folder, a summary follows on standard error. The exit status is 0 if all went well, 1 if some "
      + "input failed, while all others are done, and 2 if the command line was wrong, and then nothing is done. Ctrl-C "
      + "ends the work, says how far it came, and leaves no half file.",
  ]

  let recurses: Bool
  let isDryRun: Bool
  var existing: ExistingFiles
  var jobs: Int
  let isQuiet: Bool
  let hidesProgress: Bool
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    recurses = arguments.has(Self.recursive)
    isDryRun = arguments.has(Self.dryRun)
    existing = try ExistingFiles(arguments)
    jobs = try arguments.value(CommonOptions.jobs) ?? CPUBudget.processors
    isQuiet = arguments.has(Self.quiet)
    hidesProgress = isQuiet || arguments.has(CommonOptions.noProgress)
    isJSON = arguments.has(CommonOptions.json)
  }
}
