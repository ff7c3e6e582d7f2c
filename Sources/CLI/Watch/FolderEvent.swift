/// Something that happened in a folder that is watched.
enum FolderEvent: Hashable, Sendable {
  /// A file is complete: it was closed after writing, or moved in.
  case file(path: String, subfolder: String)
  /// A folder has come, with all that is in it.
  case folder(path: String, subfolder: String)
  /// The system had more to tell than it could keep.
  case lost
  /// The folder itself is no longer there.
  case gone
}
