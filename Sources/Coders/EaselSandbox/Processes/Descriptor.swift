import EaselCore
import Glibc

/// A file descriptor that is closed with the last reference to it.
final class Descriptor: Sendable {
  let number: CInt

  init(_ number: CInt) { self.number = number }

  deinit { close(number) }
}

extension ImageError {
  /// The error for a system call that failed for lack of a resource, so that it may succeed later.
  static func sandboxLacks(_ what: String, code: CInt = errno) -> ImageError {
    .exhausted("The sandbox could not get \(what): \(SystemError(code: code)).")
  }
}
