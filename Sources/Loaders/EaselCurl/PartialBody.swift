import EaselCore

/// The beginning of a cut body, and the data that shows whether the rest still belongs to it.
struct PartialBody: Sendable {
  let bytes: ImageBytes
  /// The head that arrived with the beginning.
  let head: ResponseHead
  /// A strong validator: an ETag, or a date.
  let validator: String
  /// The length of the whole body.
  let length: Int
}
