/// The cause of an error for work on a picture that took longer than it may.
///
/// The manager does not block the URL, because the machine may have been busy. A server uses this cause to find the
/// pictures that would keep it busy.
package enum WorkTimeout: Error, CustomStringConvertible {
  /// Probing or decoding: everything that is made of these bytes takes as long.
  case reading
  /// Transforming or encoding: only this result takes as long.
  case making

  package var description: String {
    switch self {
    case .reading: "The picture took too long to read."
    case .making: "The picture took too long to make."
    }
  }

  /// The error with this cause, if the limit that it is about can be the time.
  package func noted(in error: any Error, after time: Duration, of work: WorkContext) -> any Error {
    guard var failure = error as? ImageError, failure.code == .limitExceeded, !failure.isAboutLength,
      time >= work.limits.decodeTime
    else { return error }
    failure.causes.append(self)
    return failure
  }
}

extension ImageError {
  /// The work that took longer than it may, if that is the reason.
  package var slowWork: WorkTimeout? {
    for cause in causes {
      if let work = cause as? WorkTimeout ?? (cause as? ImageError)?.slowWork { return work }
    }
    return nil
  }
}
