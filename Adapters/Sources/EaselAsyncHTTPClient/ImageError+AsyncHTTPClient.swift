import AsyncHTTPClient
import EaselCore

extension ImageError {
  /// The error of Easel for one that a client throws; that of a cancelled task stays.
  static func ofClient(_ error: any Error, subject: String) -> any Error {
    if error is ImageError || error is CancellationError { return error }
    func failure(_ code: ImageError.Code, _ message: String) -> ImageError {
      ImageError(code, message, subject: subject, cause: error)
    }
    guard let known = error as? HTTPClientError else { return failure(.network, "The transfer failed: \(error).") }
    switch known {
    case .cancelled: return CancellationError()
    case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
      .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
      return failure(.timedOut, "The server took too long: \(known.shortDescription).")
    case .invalidURL, .emptyHost, .emptyScheme:
      return failure(.invalidURL, "The client cannot read the URL.")
    case .alreadyShutdown:
      return failure(.cancelled, "The client was shut down.")
    default: return failure(.network, "The transfer failed: \(known.shortDescription).")
    }
  }
}
