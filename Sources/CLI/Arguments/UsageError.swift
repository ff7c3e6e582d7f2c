/// A mistake in a command line.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}
