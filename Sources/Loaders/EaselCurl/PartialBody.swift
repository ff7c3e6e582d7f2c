import EaselCore

/// The beginning of a body whose transfer was cut, and what tells whether the rest still belongs to it.
struct PartialBody: Sendable {
  let bytes: ImageBytes
  /// The head that it came with.
  let head: ResponseHead
  /// A strong validator: an ETag, or a date.
  let validator: String
  /// The length of the whole.
  let length: Int
}
