import EaselCore

/// A text about a picture that answers a URL in its place, such as the description of its tiles.
///
/// ```swift
/// let document = PictureDocument { facts in
///   PictureDocument.Text("\(facts.size.width) by \(facts.size.height)", mediaType: "text/plain")
/// }
/// ```
public struct PictureDocument: Sendable {
  /// All that a document can tell.
  public struct Facts: Sendable {
    /// The size of the picture, set upright.
    public let size: PixelSize
    /// The address at which the grammar is served, with scheme and host, without a slash at its end.
    public let base: String
    /// The `Accept` field of the request; nil if there is none.
    public let accept: String?

    /// Combines what is known of a picture and of a request.
    public init(size: PixelSize, base: String, accept: String? = nil) {
      self.size = size
      self.base = base
      self.accept = accept
    }
  }

  /// The text with its media type.
  public struct Text: Hashable, Sendable {
    /// The characters.
    public let text: String
    /// The value of `Content-Type`.
    public let mediaType: String

    /// Combines a text with its media type.
    public init(_ text: String, mediaType: String) { (self.text, self.mediaType) = (text, mediaType) }
  }

  /// Writes the text for one picture.
  public let text: @Sendable (Facts) -> Text

  /// Takes the function that writes the text for one picture.
  public init(_ text: @escaping @Sendable (Facts) -> Text) { self.text = text }
}
