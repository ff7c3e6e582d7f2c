import Glibc

/// A port of loopback, held for a server that opens its port itself.
///
/// The system gives a port that has a socket to nobody who asks for a free one. Who names it may take it as well, if both
/// set SO_REUSEADDR, as Redis and memcached do, and only one of them listens.
final class HeldPort: Sendable {
  let number: Int
  private let descriptor: CInt

  init() throws { (descriptor, number) = try LoopbackSocket.bind(sharesPort: true) }

  deinit { close(descriptor) }
}
