import Glibc

/// An error number of the operating system.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The `errno` value.
  public let code: Int32

  /// Creates an error from an `errno` value.
  public init(code: Int32) { self.code = code }

  /// The system's message for the error number.
  public var description: String { String(cString: strerror(code)) }
}
