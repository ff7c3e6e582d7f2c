import CEaselCurl

extension CurlLoader {
  /// A failure that curl has reported; it is kept as the cause of an `ImageError`.
  public struct Failure: Error, Hashable, Sendable {
    /// curl's number for this kind of failure.
    public let code: Int
    /// curl's message.
    public let message: String

    /// Takes the code and the message of curl.
    public init(code: Int, message: String) {
      self.code = code
      self.message = message
    }

    init(_ code: CURLcode, detail: String = "") {
      self.init(code: Int(code.rawValue), message: detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail)
    }

    /// True when no secure connection was possible, because of an unknown or wrong certificate or a failed handshake.
    public var isTLSFailure: Bool {
      [
        CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CRL_BADFILE,
      ].contains { Int($0.rawValue) == code }
    }

    /// True when another attempt would fail in the same way.
    var isPermanent: Bool {
      isTLSFailure || isTooManyRedirects
        || [CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING]
          .contains { Int($0.rawValue) == code }
    }

    /// True when there were more redirects than the loader may follow.
    public var isTooManyRedirects: Bool { code == Int(CURLE_TOO_MANY_REDIRECTS.rawValue) }
  }
}

extension CurlLoader.Failure: CustomStringConvertible {
  /// The message and the number.
  public var description: String { "\(message) (curl \(code))" }
}
