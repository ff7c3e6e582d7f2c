/// The cause of an error: work on a picture took longer than allowed.
///
/// The manager does not block the URL, because the machine may have been busy. A server uses this cause to recognize
/// pictures that would keep it busy.
package enum WorkTimeout: Error, CustomStringConvertible {
  /// Probing or decoding: every result made from these bytes takes as long.
  case reading
  /// Transforming or encoding: other results from the same bytes may be quick.
  case making

  package var description: String {
    switch self {
    case .reading: "The picture took too long to read."
    case .making: "The picture took too long to make."
    }
  }

  /// Adds this cause to an error about a limit if the work used up its time; returns other errors unchanged.
  package func noted(in error: any Error, after time: Duration, of work: WorkContext) -> any Error {
    guard var failure = error as? ImageError, failure.code == .limitExceeded, !failure.isAboutLength,
      time >= work.limits.decodeTime
    else { return error }
    failure.causes.append(self)
    return failure
  }
}

extension ImageError {
  /// The work that took too long, if that is the reason of the error.
  package var slowWork: WorkTimeout? {
    for cause in causes {
      if let work = cause as? WorkTimeout ?? (cause as? ImageError)?.slowWork { return work }
    }
    return nil
  }
}
