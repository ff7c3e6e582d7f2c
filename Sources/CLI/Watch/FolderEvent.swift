/// An event in a watched folder.
enum FolderEvent: Hashable, Sendable {
  /// A file is complete: it was closed after writing, or moved in.
  case file(path: String, subfolder: String)
  /// A folder has arrived, with all of its content.
  case folder(path: String, subfolder: String)
  /// The system dropped events because there were too many.
  case lost
  /// The watched folder no longer exists.
  case gone
}
