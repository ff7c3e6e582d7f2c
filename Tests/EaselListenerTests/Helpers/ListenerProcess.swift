import EaselCore
import EaselSupport
import EaselTestSupport
import Glibc
import Testing

/// The program beside the tests that listens in a process of its own.
///
/// It is started without Foundation, whose `Process` reads past its list of open files while other tests open sockets.
final class ListenerProcess: Sendable {
  private let child: pid_t
  private let output: Int32
  private let input: Locked<Int32?>

  private static let starting = Locked(())

  init(_ arguments: [String]) throws {
    let program = try #require(ProgramBesideTests.path("EaselListenerProbe"))
    // One at a time: if a child inherited another's pipe, that one would not see the end of its input.
    let ends = Self.starting.withLock { _ in Self.start([program] + arguments) }
    (child, output) = (ends.child, ends.output)
    input = Locked(ends.input)
    if child < 0 { throw SystemError(code: errno) }
  }

  private static func start(_ words: [String]) -> (child: pid_t, input: Int32, output: Int32) {
    var (toChild, fromChild): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { return (-1, toChild[1], fromChild[0]) }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let status = posix_spawn(&child, words[0], &actions, nil, arguments, environ)
    Glibc.close(toChild[0])
    Glibc.close(fromChild[1])
    return (status == 0 ? child : -1, toChild[1], fromChild[0])
  }

  deinit { _ = end() }

  /// The next line that the program writes.
  func line() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != 0x0A { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Ends the program's input and waits for its end; returns the rest of what it writes.
  func end() -> String {
    let input = input.withLock { input in
      defer { input = nil }
      return input
    }
    guard let input else { return "" }
    Glibc.close(input)
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while case let got = read(output, &part, part.count), got > 0 { bytes += part[..<got] }
    Glibc.close(output)
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return String(decoding: bytes, as: UTF8.self)
  }
}
