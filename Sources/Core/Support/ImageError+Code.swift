extension ImageError {
  /// The kinds of failure, with names and numbers that never change.
  public enum Code: Int, Hashable, Sendable, CaseIterable {
    /// The URL is empty or cannot be read, or the file it names cannot be opened.
    case invalidURL = 1000
    /// The bytes are no picture that can be decoded.
    case badImageData = 1001
    /// The server said that nothing changed, and there was nothing to keep.
    case notModified = 1002
    /// The URL failed before and is not tried again for a while.
    case blockedURL = 1003
    /// Only the cache was to be asked, and it does not have the picture.
    case notInCache = 1004
    /// No coder knows the format.
    case unsupportedFormat = 1005
    /// No loader takes such a URL.
    case unsupportedURL = 1006
    /// The picture asks for more than the limits allow.
    case limitExceeded = 1007
    /// A transformer failed.
    case transformFailed = 1008
    /// The picture could not be encoded as asked.
    case encodeFailed = 1009
    /// A cache could not do its work.
    case cacheFailed = 1010
    /// The manager's `shouldLoad` refused the URL.
    case refusedURL = 1012
    /// A request modifier ended the load.
    case invalidRequest = 2000
    /// The server answered with a status that is not accepted.
    case badStatus = 2001
    /// The caller gave up.
    case cancelled = 2002
    /// A response modifier ended the load.
    case invalidResponse = 2003
    /// The server sent a type that is not accepted.
    case badContentType = 2004
    /// It took too long.
    case timedOut = 2005
    /// The network failed.
    case network = 2006
    /// The address is one that must not be connected to.
    case forbiddenAddress = 2007
    /// The body ended before its announced length.
    case truncatedBody = 2008

    /// The name of the code.
    public var name: String { "\(self)" }
  }
}
