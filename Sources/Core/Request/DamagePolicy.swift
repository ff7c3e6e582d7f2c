/// The rule for pictures whose files are damaged.
public enum DamagePolicy: String, Hashable, Sendable, Codable, CaseIterable {
  /// Any damage is an error, even if all pixels are there.
  case refuse
  /// A picture with all its pixels is shown, and a note in its metadata says what is missing.
  ///
  /// Examples are a JPEG without end marker, a PNG without its last chunk and a GIF without trailer.
  case whole
  /// The pixels that the file still has are shown, and the picture gets the trait `partial`.
  ///
  /// Missing rows are transparent. In formats that have no alpha, they get the colour of the last row.
  case show
}
