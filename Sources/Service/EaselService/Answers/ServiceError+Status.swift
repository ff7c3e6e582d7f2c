import EaselCore
import EaselObserving

extension ServiceError {
  /// The error that a client sees when a picture could not be made.
  ///
  /// It says nothing of addresses and paths behind the server; the log has the whole error.
  init(_ error: ImageError) {
    let status = Self.status(of: error)
    self.init(status, Self.message(for: error, status), retryAfter: status == 503 ? Self.retryAfter(error) : nil)
    code = error.code
    limit = Self.limit(of: error, status)
    // Operators see more, but their clients see it too: of URLs, neither users nor queries.
    details = LoggedURL.hidingSecrets(in: "\(error)")
  }

  /// The seconds after which there may be room; the refusal is the cause.
  private static func retryAfter(_ error: ImageError) -> Int {
    (error.underlyingError as? AdmissionRefusal)?.retryAfter ?? 1
  }

  private static func status(of error: ImageError) -> Int {
    switch error.code {
    case .invalidURL, .unsupportedURL, .notInCache: 404
    case .refusedURL, .forbiddenAddress: 403
    case .blockedURL: (error.underlyingError as? ImageError).map(status) ?? 502
    case .badStatus: status(ofSource: error.status)
    case .unsupportedFormat, .badContentType: 415
    // The next request would take as long.
    case .limitExceeded where error.slowWork != nil: 422
    case .limitExceeded: error.isAboutLength ? 413 : error.isExhaustion ? 503 : 422
    case .badImageData, .transformFailed, .encodeFailed: 422
    case .decoderCrashed: error.isTemporary ? 503 : 422
    case .overloaded: 503
    case .timedOut: 504
    case .cancelled: 499
    case .network, .truncatedBody, .invalidResponse, .notModified: 502
    default: 500
    }
  }

  private static func status(ofSource status: Int?) -> Int {
    switch status {
    case 401?, 403?, 404?, 410?, 451?: 404
    default: 502
    }
  }

  private static func message(for error: ImageError, _ status: Int) -> String {
    if let kind = error.hashsumMismatch?.kind {
      return "The original has another \(kind.rawValue) hash than the address states."
    }
    let shown = error.code == .blockedURL ? error.underlyingError as? ImageError ?? error : error
    switch status {
    case 403: return "The source is not allowed."
    case 404: return "The source has no such picture."
    case 413: return "The source has too many bytes."
    case 415: return "The source is no picture in a format that this server reads."
    case 422 where error.slowWork == .reading: return "The picture takes longer to read than this server allows."
    case 422 where error.slowWork == .making: return "The picture takes longer to make than this server allows."
    case 422: return LoggedURL.hidingSecrets(in: AdviceText.removed(from: shown.message))
    case 499: return "The client left."
    case 502: return "The source failed\(shown.status.map { " with status \($0)" } ?? "")."
    // The process that decoded it was ended from outside, or there was none.
    case 503 where error.code == .decoderCrashed: return "The picture could not be read just now; try again."
    case 503:
      let refusal = error.underlyingError as? AdmissionRefusal
      return refusal?.message ?? "There is too much other work; try again later."
    case 504: return "The source took too long."
    default: return "The server failed."
    }
  }

  /// The limit of the library that a client has met.
  private static func limit(of error: ImageError, _ status: Int) -> String? {
    let shown = error.code == .blockedURL ? error.underlyingError as? ImageError ?? error : error
    switch status {
    case 413: return "Limits.downloadBytes"
    case 422: return error.slowWork == nil ? AdviceText.name(in: shown.message) : "Limits.decodeTime"
    default: return nil
    }
  }
}
