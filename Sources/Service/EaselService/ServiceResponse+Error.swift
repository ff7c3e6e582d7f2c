import EaselCore
import EaselManager

extension ServiceResponse {
  /// Answers a request whose picture could not be had, with a status, and one line for the client.
  ///
  /// The line says nothing of addresses and paths behind the server; the message of the error, which does, is for the log.
  ///
  /// ```swift
  /// let refusal = ServiceResponse(ImageError(.unsupportedFormat, "No registered coder knows the signature."))
  /// print(refusal.status)
  /// ```
  public init(_ error: ImageError) {
    let failure = ServiceError(error)
    let line = ImageBytes(Array((failure.message + "\n").utf8))
    self.init(
      status: failure.status,
      headers: [
        "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(line.count)",
      ], body: [line])
    if let seconds = failure.retryAfter { headers["Retry-After"] = "\(seconds)" }
    details.error = failure.code
  }

  /// Answers with an encoded picture.
  public init(_ picture: EncodedImage, status: Int = 200) {
    self.init(
      status: status,
      headers: [
        "Content-Type": picture.format.mimeType, "Content-Length": "\(picture.bytes.count)",
        "ETag": picture.entityTag, "X-Content-Type-Options": "nosniff",
      ], body: [picture.bytes])
    details.format = picture.format
  }
}
