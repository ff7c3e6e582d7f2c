/// The failure of a connection, or of a request on it.
package struct WireError: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// No connection could be made.
    case unreachable
    /// The connection has ended, so that nobody knows whether the request was executed.
    case lost
    /// A reply came too late or not at all.
    case late
    /// The other end sent something that is not a reply.
    case malformed
    /// A reply exceeds the limits.
    case tooLarge
    /// Too many requests already wait.
    case full
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
