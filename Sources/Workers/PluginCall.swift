import EaselCore

/// A kind of plug-in call on a worker thread, as named in error messages.
package enum PluginCall: Sendable {
  case decoder
  case transformer(String)
  case serializer
  case encoder
  case frames
  case reading
  case gate

  /// The work to blame when this call takes too long; nil for calls that do not work on the picture.
  package var slowWork: WorkTimeout? {
    switch self {
    case .decoder, .reading: .reading
    case .transformer, .serializer, .encoder, .frames: .making
    case .gate: nil
    }
  }

  /// The error for a call that exceeded the time of its work.
  package func failure(of work: WorkContext, subject: String?) -> ImageError {
    let message =
      "\(name(in: work)) did not return within \(work.limits.decodeTime), and its thread was abandoned. Fix or replace "
      + "the plug-in that hangs, or raise Limits.decodeTime if it needs more time."
    // This is a limit error, because the same bytes would make the coder hang again and cost another thread.
    if case .decoder = self { return ImageError(.limitExceeded, message, subject: subject) }
    return .exhausted(message, subject: subject)
  }

  private func name(in work: WorkContext) -> String {
    let coder = work.time.coder.map { "coder \($0)" } ?? "coder"
    return switch self {
    case .decoder: "The \(coder)"
    case .transformer(let key): "The transformer \(key)"
    case .serializer: "The cache serializer"
    case .encoder: "Encoding by the \(coder)"
    case .frames: "The frame source of a moving picture"
    case .reading: "Reading the body"
    case .gate: "Leaving the work gate"
    }
  }
}
