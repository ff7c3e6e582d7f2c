import EaselCore

extension EncodingCoder {
  /// Throws unless the coder writes `format`; `name` begins the message.
  package func check(canEncode format: ImageFormat, named name: String) throws(ImageError) {
    guard canEncode(format) else {
      throw ImageError(.encodeFailed, "\(name): the coder does not write \(format).")
    }
  }
}
