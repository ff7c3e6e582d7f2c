import EaselSupport
import FoundationEssentials
import Glibc

/// The error of a failed load or of other work on a picture.
///
/// ```swift
/// do {
///   print(try await manager.image(for: url).size)
/// } catch where error.code == .badStatus {
///   print("The server said \(error.status ?? 0).")
/// } catch {
///   print(error.message)
/// }
/// ```
public struct ImageError: Error, Sendable {
  private struct Parts: Sendable {
    let code: Code
    let message: String
    var subject: String?
    var response: ResponseHead?
    var causes: [any Error]
    var isTemporary = false
    var isExhaustion = false
    var isAboutLength = false
    var sharedStoreTrouble: SharedStoreTrouble?
  }

  // Boxed, because every function that may throw the error reserves space for it.
  private var parts: Boxed<Parts>

  /// The kind of failure.
  public var code: Code { parts.code }

  /// A message that a person can act on.
  public var message: String { parts.message }

  /// The URL, key or path that the error concerns.
  ///
  /// A user name and a password in a URL are replaced by `***`, here and in the message.
  public var subject: String? {
    get { parts.subject }
    set { parts.subject = newValue.map(ShownURL.text) }
  }

  /// The head of the server's response, if there was one.
  public var response: ResponseHead? {
    get { parts.response }
    set { parts.response = newValue }
  }

  /// The errors that led to this one, the most direct one first.
  ///
  /// A plug-in's own error is kept as it was thrown.
  public var causes: [any Error] {
    get { parts.causes }
    set { parts.causes = newValue }
  }

  /// True when another request for the same input may succeed, because the input is not to blame.
  package var isTemporary: Bool {
    get { parts.isTemporary }
    set { parts.isTemporary = newValue }
  }

  /// True when the machine was too busy or too full, so that the same request may succeed later.
  package var isExhaustion: Bool {
    get { parts.isExhaustion }
    set { parts.isExhaustion = newValue }
  }

  /// True when a file or a body has too many bytes, and no coder has read them yet.
  package var isAboutLength: Bool {
    get { parts.isAboutLength }
    set { parts.isAboutLength = newValue }
  }

  /// The way in which a shared store caused an error.
  package enum SharedStoreTrouble: Sendable {
    /// A call failed or took too long.
    case failed
    /// The store was not called, because it had failed before.
    case passedOver
  }

  /// The way in which a shared store made a cache fail; nil for all other errors.
  package var sharedStoreTrouble: SharedStoreTrouble? {
    get { parts.sharedStoreTrouble }
    set { parts.sharedStoreTrouble = newValue }
  }

  /// Makes an error that tells what happened to which input.
  ///
  /// ```swift
  /// throw ImageError(.badImageData, "The file ends within its header.", subject: url.absoluteString)
  /// ```
  public init(
    _ code: Code, _ message: String, subject: String? = nil, response: ResponseHead? = nil, cause: (any Error)? = nil
  ) {
    self.init(code, message, subject: subject, causes: cause.map { [$0] } ?? [])
    parts.response = response
  }

  /// Creates an error with several causes.
  public init(_ code: Code, _ message: String, subject: String? = nil, causes: [any Error]) {
    // Every error passes here, so code that mentions a URL in a message need not hide its password.
    parts = Boxed(
      Parts(code: code, message: ShownURL.text(message), subject: subject.map(ShownURL.text), causes: causes))
  }

  /// The HTTP status, if there was a response.
  public var status: Int? { response?.status }

  /// The most direct cause, if there is one.
  public var underlyingError: (any Error)? { causes.first }

  /// True when the load was cancelled.
  public var isCancellation: Bool { code == .cancelled }
}

extension ImageError: CustomStringConvertible {
  /// The name of the code, the message, the subject and the causes.
  public var description: String {
    let about = subject.map { message.contains($0) ? "" : " (\($0))" } ?? ""
    let why = causes.isEmpty ? "" : " Cause: " + causes.map { "\($0)" }.joined(separator: "; ")
    return "\(code.name): \(message)\(about)\(ShownURL.text(why))"
  }
}

extension ImageError {
  /// Converts any error that a plug-in throws into an `ImageError`.
  ///
  /// An `ImageError` passes unchanged, apart from a missing subject. A `CancellationError` becomes ``Code/cancelled``.
  /// Any other error becomes the cause of an error of `code`.
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

  /// Converts an error of a plug-in whose load was not cancelled.
  ///
  /// A `CancellationError` is then the plug-in's own, and a failure like any other.
  package static func wrappingUncancelled(
    _ error: any Error, as code: Code, _ message: @autoclosure () -> String, subject: String? = nil
  ) -> ImageError {
    guard error is CancellationError else { return wrapping(error, as: code, message(), subject: subject) }
    return ImageError(code, message(), subject: subject, cause: error)
  }

  /// Makes an error for a limit of this machine at this moment; the same input may succeed later or elsewhere.
  package static func exhausted(_ message: String, subject: String? = nil) -> ImageError {
    var error = ImageError(.limitExceeded, message, subject: subject)
    error.isTemporary = true
    error.isExhaustion = true
    return error
  }

  /// Makes an error for a file or a body with too many bytes.
  package static func tooLong(_ message: String, subject: String?) -> ImageError {
    var error = ImageError(.limitExceeded, message, subject: subject)
    error.isAboutLength = true
    return error
  }

  package static func cancelled(subject: String? = nil) -> ImageError {
    ImageError(.cancelled, "The load was cancelled.", subject: subject)
  }
}

extension ImageError {
  /// The kinds of failure.
  ///
  /// Their names and numbers never change.
  public enum Code: Int, Hashable, Sendable, CaseIterable {
    /// The URL is empty or cannot be read, or the file it names cannot be opened.
    case invalidURL = 1000
    /// The bytes cannot be decoded as a picture.
    case badImageData = 1001
    /// The server said that nothing changed, but there was no cached picture.
    case notModified = 1002
    /// The URL failed before and is not tried again for a while.
    case blockedURL = 1003
    /// The picture is not in the cache, and the loader was not to be called.
    case notInCache = 1004
    /// No coder supports the format.
    case unsupportedFormat = 1005
    /// No loader supports the URL.
    case unsupportedURL = 1006
    /// The picture exceeds a limit.
    case limitExceeded = 1007
    /// A transformer failed.
    case transformFailed = 1008
    /// The picture could not be encoded as requested.
    case encodeFailed = 1009
    /// A cache failed.
    case cacheFailed = 1010
    /// A decoder in a sandbox crashed or broke its rules, or there was no sandbox for it.
    case decoderCrashed = 1011
    /// The manager's `shouldLoad` refused the URL.
    case refusedURL = 1012
    /// There is too much other work; the same load may succeed later.
    case overloaded = 1013
    /// A request modifier ended the load.
    case invalidRequest = 2000
    /// The server responded with a status that is not accepted.
    case badStatus = 2001
    /// The load was cancelled.
    case cancelled = 2002
    /// A response modifier ended the load.
    case invalidResponse = 2003
    /// The server sent a content type that is not accepted.
    case badContentType = 2004
    /// The load took too long.
    case timedOut = 2005
    /// The network failed.
    case network = 2006
    /// Connections to the address are forbidden.
    case forbiddenAddress = 2007
    /// The body ended before its announced length.
    case truncatedBody = 2008

    /// The name of the code.
    public var name: String { "\(self)" }
  }
}

/// An error number of the operating system.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The `errno` value.
  package let code: Int32

  /// Creates an error from an `errno` value.
  package init(code: Int32) { self.code = code }

  /// The system's message for the error number.
  package var description: String { String(cString: strerror(code)) }
}
