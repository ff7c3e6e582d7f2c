import EaselCore

/// The reason that S3 gives for refusing a request.
enum S3Fault {
  /// The most bytes of a response that is not an object.
  static let longest = 64 << 10

  /// The error for a response; `action` is the failed action, `name` the object.
  static func error(_ answer: S3Client.Response, _ action: String, _ name: String) -> ImageError {
    var message = "S3 does not let us \(action) the object: status \(answer.status)"
    if let code = text(of: "Code", in: answer.body) { message += ", \(code)" }
    if let advice = advice(for: answer.status) { message += ". \(advice)" }
    return ImageError(.cacheFailed, message + ".", subject: name, response: answer.head)
  }

  private static func advice(for status: Int) -> String? {
    switch status {
    case 401, 403: "Look at the credentials, at the policy of the bucket and at the clock of this machine"
    case 503: "It is asked too often"
    default: nil
    }
  }

  /// The text of an element, limited to letters, digits and a few signs, because a stranger may have written it.
  static func text(of element: String, in body: [UInt8]) -> String? {
    let text = String(decoding: body.prefix(longest), as: UTF8.self)
    guard let start = text.firstRange(of: "<\(element)>")?.upperBound, let end = text[start...].firstIndex(of: "<")
    else { return nil }
    let value = text[start..<end]
    let isPlain = value.utf8.count <= 64 && value.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
    return value.isEmpty || !isPlain ? nil : String(value)
  }
}
