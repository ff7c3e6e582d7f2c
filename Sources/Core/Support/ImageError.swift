import FoundationEssentials

/// Why a picture could not be had.
public struct ImageError: Error, Sendable {
  private struct Parts: Sendable {
    let code: Code
    let message: String
    var subject: String?
    var response: ResponseHead?
    var causes: [any Error]
    var isOfTheMoment = false
  }

  private final class Box: Sendable {
    let parts: Parts
    init(_ parts: Parts) { self.parts = parts }
  }

  // One reference, since every function that may throw it keeps room for one.
  private var box: Box

  private var parts: Parts {
    get { box.parts }
    set { box = Box(newValue) }
  }

  /// The kind of failure.
  public var code: Code { box.parts.code }

  /// A sentence that a person can act on.
  public var message: String { box.parts.message }

  /// The URL, key or path that it concerns.
  public var subject: String? {
    get { box.parts.subject }
    set { parts.subject = newValue }
  }

  /// The head of the server's answer, where there was one.
  public var response: ResponseHead? {
    get { box.parts.response }
    set { parts.response = newValue }
  }

  /// What other parts reported, first the one that led here; a plug-in's own error is kept as it was thrown.
  public var causes: [any Error] {
    get { box.parts.causes }
    set { parts.causes = newValue }
  }

  /// Whether the machine was too busy or too full, which says nothing about the input.
  package var isOfTheMoment: Bool {
    get { box.parts.isOfTheMoment }
    set { parts.isOfTheMoment = newValue }
  }

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, subject: String? = nil, response: ResponseHead? = nil, cause: (any Error)? = nil
  ) {
    let causes = cause.map { [$0] } ?? []
    box = Box(Parts(code: code, message: message, subject: subject, response: response, causes: causes))
  }

  /// Creates an error that several failures led to.
  public init(_ code: Code, _ message: String, subject: String? = nil, causes: [any Error]) {
    box = Box(Parts(code: code, message: message, subject: subject, causes: causes))
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

  /// The same for a plug-in that nobody has cancelled: a `CancellationError` of its own is a failure like any other.
  static func wrappingUncancelled(
    _ error: any Error, as code: Code, _ message: @autoclosure () -> String, subject: String? = nil
  ) -> ImageError {
    guard error is CancellationError else { return wrapping(error, as: code, message(), subject: subject) }
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
