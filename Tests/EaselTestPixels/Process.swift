import EaselCore
import EaselSupport
import Glibc

/// Runs a program with input bytes, for comparisons with other software.
package enum Process {
  /// The output of the program; nil if it cannot be started or fails.
  ///
  /// A script that Python reads from its command line runs in the same Python as the last time, if it was the last one.
  package static func output(of arguments: [String], input: [UInt8]) -> [UInt8]? {
    if arguments.count > 2, arguments[1] == "-c", arguments[0].split(separator: "/").last?.hasPrefix("python") == true {
      return PythonHost.output(of: arguments[0], arguments[2], arguments: Array(arguments[3...]), input: input)
    }
    guard let (child, writer, reader) = started(arguments) else { return nil }
    PlainThread.start {
      writeAll(input, to: writer)
      close(writer)
    }
    let output = readAll(reader)
    close(reader)
    var code: Int32 = 0
    waitpid(child, &code, 0)
    return code == 0 ? output : nil
  }

  private static let starting = Locked(())

  /// Starts a program, to whose input and from whose output pipes lead; nil if it cannot be started.
  static func started(_ arguments: [String]) -> (child: pid_t, writer: Int32, reader: Int32)? {
    signal(SIGPIPE, SIG_IGN)
    // Programs start one at a time: if a child inherited another's pipes, their ends would never be noticed.
    return starting.withLock { _ in start(arguments) }
  }

  private static func start(_ arguments: [String]) -> (child: pid_t, writer: Int32, reader: Int32)? {
    guard let input = openPipe(), let output = openPipe() else { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.reader, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writer, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var child: pid_t = 0
    let words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let status = posix_spawnp(&child, arguments[0], &actions, nil, words, environ)
    close(input.reader)
    close(output.writer)
    if status == 0 { return (child, input.writer, output.reader) }
    close(input.writer)
    close(output.reader)
    return nil
  }

  private static func openPipe() -> (reader: Int32, writer: Int32)? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  static func writeAll(_ bytes: [UInt8], to file: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func readAll(_ file: Int32) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { return result }
      result += buffer[..<count]
    }
  }
}
