/// Collects the errors of the caches in a group, so that none hides another.
struct CacheFailures {
  private let subject: String?
  private var errors: [any Error] = []

  init(subject: String?) { self.subject = subject }

  mutating func note(_ error: any Error) { errors.append(error) }

  /// Notes an error.
  ///
  /// If the caller was cancelled, it throws at once, because nobody waits for the other caches then.
  mutating func add(_ error: any Error) throws {
    if Task.isCancelled { throw ImageError.cancelled(subject: subject) }
    note(error)
  }

  func throwIfAny(of count: Int) throws {
    guard let first = errors.first else { return }
    if Task.isCancelled { throw ImageError.cancelled(subject: subject) }
    let message = "\(errors.count) of \(count) caches failed; the others did their part."
    if count == 1 { throw ImageError.wrapping(first, as: .cacheFailed, "The cache failed.", subject: subject) }
    throw ImageError(.cacheFailed, message, subject: subject, causes: errors)
  }
}
