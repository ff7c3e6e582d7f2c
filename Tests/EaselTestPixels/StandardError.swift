import EaselCore
import FoundationEssentials
import Glibc

/// Captures standard error, which may contain output of other tests that run at the same time.
package enum StandardError {
  private struct Unavailable: Error {}

  /// Taken while output is captured: whoever began within another capture would restore its file, which is then gone.
  private static let capturing = Locked(())

  /// Everything that the process writes to standard error while `body` runs.
  package static func during(_ body: () throws -> Void) throws -> String {
    try capturing.withLock { _ in try capture(body) }
  }

  private static func capture(_ body: () throws -> Void) throws -> String {
    let path = "/tmp/easel-stderr-\(UInt64.random(in: 0 ... .max)).txt"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    let kept = dup(STDERR_FILENO)
    guard file >= 0, kept >= 0 else { throw Unavailable() }
    defer { unlink(path) }
    dup2(file, STDERR_FILENO)
    close(file)
    defer {
      dup2(kept, STDERR_FILENO)
      close(kept)
    }
    try body()
    return try String(contentsOfFile: path, encoding: .utf8)
  }
}
