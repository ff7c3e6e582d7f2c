import EaselBenchmarkHarness
import Glibc

/// A Python process that does another library's share of a case and keeps the time itself.
///
/// Its script defines `work()`; each line that the process reads is how often to do it.
final class PythonRival {
  private let input: UnsafeMutablePointer<FILE>
  private let output: UnsafeMutablePointer<FILE>
  private let child: pid_t

  /// Starts the process and waits until its preparations are done.
  init(script: String) throws {
    guard let python = getenv("EASEL_PYTHON").map({ String(cString: $0) }) else {
      throw BenchmarkUnavailable("EASEL_PYTHON names no Python; script/bootstrap --bench makes one")
    }
    signal(SIGPIPE, SIG_IGN)
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw BenchmarkUnavailable("there are no pipes left") }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let program: [String] = [python, "-c", "\(script)\(Self.loop)"]
    let words: [UnsafeMutablePointer<CChar>?] = program.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let status = posix_spawn(&child, python, &actions, nil, words, environ)
    close(toChild[0])
    close(fromChild[1])
    self.child = status == 0 ? child : 0
    input = fdopen(toChild[1], "w")
    output = fdopen(fromChild[0], "r")
    guard status == 0, readLine() == "ready" else {
      throw BenchmarkUnavailable("\(python) lacks a library; script/bootstrap --bench installs them")
    }
  }

  deinit {
    fclose(input)
    fclose(output)
    if child > 0 { waitpid(child, nil, 0) }
  }

  /// The side of a case that the process plays.
  var side: BenchmarkSide {
    .timed { repetitions in
      fputs("\(repetitions)\n", self.input)
      fflush(self.input)
      guard let seconds = self.readLine().flatMap(Double.init) else {
        throw BenchmarkUnavailable("the Python process ended")
      }
      return seconds
    }
  }

  private func readLine() -> String? {
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), output) != nil else { return nil }
    return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init), as: UTF8.self)
  }

  private static let loop: String = """

    import sys, time
    work()
    print("ready", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line)):
            work()
        print(time.perf_counter() - start, flush=True)
    """
}
