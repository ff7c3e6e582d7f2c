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
    /// The manager's `shouldLoad` refused the URL.
    case refusedURL = 1012
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
