/// Decodes one body while it arrives; its calls come one after another, from any thread.
public protocol ProgressiveDecoder: Sendable {
  /// Takes the body so far, of which all but what came since the last call was seen before.
  func update(_ bytes: ImageBytes) throws

  /// The picture as far as it is known, nil before there is something to see or nothing new since the last.
  func preview() throws -> Image?

  /// The whole picture, equal in every pixel to what the coder makes of the whole body at once.
  func finish(_ bytes: ImageBytes) throws -> Image
}
