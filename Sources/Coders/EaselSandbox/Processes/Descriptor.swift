import EaselCore
import Glibc

/// A file descriptor that is closed with its last reference.
final class Descriptor: Sendable {
  let number: CInt

  init(_ number: CInt) { self.number = number }

  deinit { close(number) }
}

extension ImageError {
  /// The error for a call of the system that failed for lack of something, so that it may succeed later.
  static func sandboxLacks(_ what: String, code: CInt = errno) -> ImageError {
    .exhausted("The sandbox could not get \(what): \(SystemError(code: code)).")
  }
}
