import CEaselSandbox
import EaselCore
import Glibc

/// A process of the sandbox for one picture, which is killed with the last reference to this object.
final class SandboxChild: Sendable {
  /// The kind of pictures that a child can have.
  struct Kind: Hashable, Sendable {
    /// True if the filter allows threads, which some libraries start.
    var hasThreads: Bool
  }

  let kind: Kind
  let process: pid_t
  /// The socket to the child.
  let talk: Descriptor
  let end: ChildEnd

  init(_ kind: Kind, process: pid_t, talk: Descriptor, end: ChildEnd) {
    (self.kind, self.process, self.talk, self.end) = (kind, process, talk, end)
  }

  deinit { kill() }

  func kill() { easel_sandbox_kill(end.socket.number) }
}
