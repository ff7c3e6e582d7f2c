import EaselCore
import Glibc

/// The rule for existing files, the same for all commands: nothing is replaced unless the user allows it.
enum ExistingFiles: Hashable, Sendable {
  /// An existing file is an error.
  case refuse
  case replace
  /// The existing file stays, and its input is skipped.
  case keep
  /// The existing file is replaced if its input is newer.
  case renew

  static let overwrite = Option<Bool>.flag("overwrite", "Replace files that are there already.")
  static let skip = Option<Bool>.flag("skip", "Leave files that are there already, and pass over their inputs.")
  static let newer = Option<Bool>.flag(
    "newer", "Replace files that are older than their inputs, and pass over the other inputs.")

  /// The options of commands that write many files; other commands have only `overwrite`.
  static let all = [overwrite.description, skip.description, newer.description]

  init(_ arguments: Arguments) throws(UsageError) {
    let given = [Self.overwrite, Self.skip, Self.newer].filter { arguments.has($0) }.map(\.description.spelling)
    guard given.count < 2 else { throw UsageError("\(given[0]) and \(given[1]) cannot be used together.") }
    self =
      arguments.has(Self.overwrite)
      ? .replace : arguments.has(Self.skip) ? .keep : arguments.has(Self.newer) ? .renew : .refuse
  }

  /// Returns true if the file is to be written, and false if its input is to be skipped.
  ///
  /// `source` is the time of the input, nil for an input without a time, such as a URL. This input counts as new.
  func allows(_ path: String, from source: FileTime?) throws(ImageError) -> Bool {
    var status = stat()
    // A pipe or a device has no content that could be lost.
    guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    switch self {
    case .replace: return true
    case .keep: return false
    case .renew: return source.map { FileTime(status.st_mtim) < $0 } ?? true
    case .refuse: throw Self.refusal(of: path)
    }
  }

  /// True if a written file may replace another.
  var mayReplace: Bool { self == .replace || self == .renew }

  static func refusal(of path: String) -> ImageError {
    ImageError(
      .encodeFailed, "\(path) is there already. Give --overwrite to replace it, or another name.", subject: path)
  }
}
