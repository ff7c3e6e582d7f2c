import EaselCore
import EaselSupport
import Foundation
import Glibc

/// A server in a separate process, which ends on request, and also when this process ends for any reason.
///
/// A shell between the two waits for the end of a pipe whose other end only this process holds. Then it stops the
/// server and removes its directory. (The system's own signal for the death of a parent follows the thread that started
/// the process, and threads come and go.)
final class ServerProcess: Sendable {
  /// The number of the server's first socket descriptor.
  static let firstSocket: CInt = 3
  private static let mostSockets = 4

  // $1 is the signal that stops the server, $2 its directory; the rest is its command.
  private static let guardian = """
    signal=$1; directory=$2; shift 2
    "$@" </dev/null &
    exec 3<&- 4<&- 5<&- 6<&-
    read -r line
    kill -s "$signal" $! 2>/dev/null
    wait
    rm -rf "$directory"
    """

  private struct State {
    var lifeline: CInt?
    var process: pid_t
  }

  private let state: Locked<State>

  /// Starts a server whose only files are in `directory`; its output goes to the file `output` there.
  ///
  /// The server owns the sockets from here on, so that connecting fails when it has ended.
  init(
    _ command: [String], directory: String, stoppedBy signal: String, sockets: [ListeningSocket],
    environment: [String: String] = [:]
  ) throws {
    precondition(sockets.count <= Self.mostSockets, "The shell closes no more than \(Self.mostSockets) sockets.")
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemError(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let log = open(directory + "/output", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer {
      close(ends[0])
      close(log)
    }
    let given = [ends[0], log, log] + sockets.map(\.descriptor)
    let arguments = ["/bin/sh", "-c", Self.guardian, "server", signal, directory] + command
    do {
      let process = try Self.spawn(arguments, descriptors: given, environment: environment)
      for socket in sockets { socket.letGo() }
      state = Locked(State(lifeline: ends[1], process: process))
    } catch {
      close(ends[1])
      throw error
    }
  }

  deinit { stop() }

  /// Stops the server and waits for its end.
  func stop() {
    let (lifeline, process) = state.withLock { state in
      defer { state.lifeline = nil }
      return (state.lifeline, state.process)
    }
    guard let lifeline else { return }
    close(lifeline)
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  }

  /// Starts a process in its own group, with these descriptors as 0, 1, 2 and so on.
  private static func spawn(
    _ arguments: [String], descriptors: [CInt], environment: [String: String]
  ) throws -> pid_t {
    // The copies have high numbers, so that they do not collide with the numbers to assign.
    let copies = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 64) }
    defer { for copy in copies { close(copy) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, copy) in copies.enumerated() { posix_spawn_file_actions_adddup2(&actions, copy, CInt(number)) }
    // Pipes of Foundation would stay open in the new process, and their readers would wait for its end.
    let limit = min(sysconf(CInt(_SC_OPEN_MAX)), 4096)
    for number in copies.count..<limit { posix_spawn_file_actions_addclose(&actions, CInt(number)) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A thread of this process may block signals, and an interrupt from the keyboard is for this process only.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    let argumentPointers = arguments.map { strdup($0) } + [nil]
    let variablePointers = variables.map { strdup($0) } + [nil]
    defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
    var process = pid_t()
    let status = posix_spawn(&process, arguments[0], &actions, &attributes, argumentPointers, variablePointers)
    guard status == 0 else { throw SystemError(code: status) }
    return process
  }
}
