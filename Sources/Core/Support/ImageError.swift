import FoundationEssentials

/// Why a picture could not be had.
public struct ImageError: Error, Sendable {
  /// The kind of failure.
  public let code: Code
  /// A sentence that a person can act on.
  public let message: String
  /// The URL, key or path that it concerns.
  public var subject: String?
  /// The head of the server's answer, where there was one.
  public var response: ResponseHead?
  /// What other parts reported, first the one that led here; a plug-in's own error is kept as it was thrown.
  public var causes: [any Error]
  /// Whether the machine was too busy or too full, which says nothing about the input.
  package var isOfTheMoment = false

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, subject: String? = nil, response: ResponseHead? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.subject = subject
    self.response = response
    causes = cause.map { [$0] } ?? []
  }

  /// Creates an error that several failures led to.
  public init(_ code: Code, _ message: String, subject: String? = nil, causes: [any Error]) {
    self.init(code, message, subject: subject)
    self.causes = causes
  }

  /// The HTTP status, where there is one.
  public var status: Int? { response?.status }

  /// What led here, the error itself aside.
  public var underlyingError: (any Error)? { causes.first }

  /// Whether the caller gave up waiting.
  public var isCancellation: Bool { code == .cancelled }
}

extension ImageError: CustomStringConvertible {
  /// The code's name, the sentence, and what it concerns.
  public var description: String {
    let about = subject.map { message.contains($0) ? "" : " (\($0))" } ?? ""
    let why = causes.isEmpty ? "" : " Cause: " + causes.map { "\($0)" }.joined(separator: "; ")
    return "\(code.name): \(message)\(about)\(why)"
  }
}

extension ImageError {
  /// The one place where whatever a plug-in throws becomes an `ImageError`.
  ///
  /// An `ImageError` passes as it is, a `CancellationError` is ``Code/cancelled``, and everything else is kept as the
  /// cause of an error of `code`.
  package static func wrapping(
    _ error: any Error, as code: Code, _ message: @autoclosure () -> String, subject: String? = nil
  ) -> ImageError {
    if var known = error as? ImageError {
      if known.subject == nil { known.subject = subject }
      return known
    }
    if error is CancellationError { return .cancelled(subject: subject) }
    return ImageError(code, message(), subject: subject, cause: error)
  }

  /// A limit that another moment or another machine would not meet with the same input.
  package static func exhausted(_ message: String, subject: String? = nil) -> ImageError {
    var error = ImageError(.limitExceeded, message, subject: subject)
    error.isOfTheMoment = true
    return error
  }

  package static func cancelled(subject: String? = nil) -> ImageError {
    ImageError(.cancelled, "The load was cancelled.", subject: subject)
  }
}
