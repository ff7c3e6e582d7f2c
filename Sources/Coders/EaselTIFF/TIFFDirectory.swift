import EaselCore

/// A directory in a file: the tags of one picture.
struct TIFFDirectory: Sendable {
  let offset: Int
  let entries: [TIFFEntry]
  /// The bytes of the directory itself.
  let byteCount: Int
  /// The offset of the next directory; 0 after the last one, nil if the file ends within this offset.
  let next: Int?
  /// True if the file ends right after the entries, before it says whether there are more directories.
  let hasNoLink: Bool

  func entry(_ tag: Int) -> TIFFEntry? { entries.first { $0.tag == tag } }
}
