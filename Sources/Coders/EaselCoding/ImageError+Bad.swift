import EaselCore

extension ImageError {
  /// The error of a file that is damaged or breaks a rule of its format; the name of the format begins the message.
  package static func bad(_ format: String, _ sentence: String) -> ImageError {
    ImageError(.badImageData, "\(format): \(sentence).")
  }
}
