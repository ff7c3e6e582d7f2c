/// The codes of errors under the name of the type, so that a `catch` can name one.
///
/// ```swift
/// do {
///   let known = try await manager.image(for: url, options: .fromCacheOnly)
///   print(known.size)
/// } catch ImageError.notInCache {
///   print("It has not been loaded yet.")
/// } catch {
///   print(error)
/// }
/// ```
extension ImageError {
  /// The URL is empty or cannot be read, or the file it names cannot be opened.
  public static var invalidURL: Code { .invalidURL }
  /// The bytes cannot be decoded as a picture.
  public static var badImageData: Code { .badImageData }
  /// The server said that nothing changed, but there was no cached picture.
  public static var notModified: Code { .notModified }
  /// The URL failed before and is not tried again for a while.
  public static var blockedURL: Code { .blockedURL }
  /// The picture is not in the cache, and the loader was not to be called.
  public static var notInCache: Code { .notInCache }
  /// No coder supports the format.
  public static var unsupportedFormat: Code { .unsupportedFormat }
  /// No loader supports the URL.
  public static var unsupportedURL: Code { .unsupportedURL }
  /// The picture exceeds a limit.
  public static var limitExceeded: Code { .limitExceeded }
  /// A transformer failed.
  public static var transformFailed: Code { .transformFailed }
  /// The picture could not be encoded as requested.
  public static var encodeFailed: Code { .encodeFailed }
  /// A cache failed.
  public static var cacheFailed: Code { .cacheFailed }
  /// A decoder in a sandbox crashed or broke its rules, or there was no sandbox for it.
  public static var decoderCrashed: Code { .decoderCrashed }
  /// The manager's `shouldLoad` refused the URL.
  public static var refusedURL: Code { .refusedURL }
  /// There is too much other work; the same load may succeed later.
  public static var overloaded: Code { .overloaded }
  /// A request modifier ended the load.
  public static var invalidRequest: Code { .invalidRequest }
  /// The server responded with a status that is not accepted.
  public static var badStatus: Code { .badStatus }
  /// The load was cancelled.
  public static var cancelled: Code { .cancelled }
  /// A response modifier ended the load.
  public static var invalidResponse: Code { .invalidResponse }
  /// The server sent a content type that is not accepted.
  public static var badContentType: Code { .badContentType }
  /// The load took too long.
  public static var timedOut: Code { .timedOut }
  /// The network failed.
  public static var network: Code { .network }
  /// Connections to the address are forbidden.
  public static var forbiddenAddress: Code { .forbiddenAddress }
  /// The body ended before its announced length.
  public static var truncatedBody: Code { .truncatedBody }
}

extension ImageError.Code {
  /// True for an ``ImageError`` with this code, which lets a `catch` or a `case` name the code.
  public static func ~= (code: ImageError.Code, error: any Error) -> Bool {
    (error as? ImageError)?.code == code
  }
}
