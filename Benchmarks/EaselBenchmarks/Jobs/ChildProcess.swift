import CEaselBenchSupport
import EaselCore
import FoundationEssentials
import Glibc

/// A program in its own process group, so that its children can be found.
struct ChildProcess {
  struct Usage {
    var seconds: Double
    /// The processor time of the process and of the children it waited for.
    var processorSeconds: Double
  }

  /// The seconds after which a program has failed that neither ends nor says anything.
  static let patience: CInt = 300

  let identifier: pid_t
  private let name: String
  private let start: ContinuousClock.Instant

  /// Starts a program without input and output, or with the given descriptors as its standard input and output.
  init(_ command: [String], environment more: [String: String] = [:], input: CInt? = nil, output: CInt? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, given, mode) in [(CInt(0), input, O_RDONLY), (1, output, O_WRONLY), (2, nil, O_WRONLY)] {
      if let given {
        posix_spawn_file_actions_adddup2(&actions, given, target)
      } else {
        posix_spawn_file_actions_addopen(&actions, target, "/dev/null", mode, 0)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)

    let inherited = Self.environment().filter { word in !more.keys.contains { word.hasPrefix("\($0)=") } }
    let words = CStrings(command)
    let settings = CStrings(inherited + more.map { "\($0)=\($1)" })
    var identifier: pid_t = 0
    start = .now
    let status = posix_spawnp(&identifier, command[0], &actions, &attributes, words.pointers, settings.pointers)
    guard status == 0 else { throw SystemError(code: status) }
    self.identifier = identifier
    name = command[0]
  }

  /// Ends the process and its children at once.
  func kill() { _ = Glibc.kill(-identifier, SIGKILL) }

  /// Waits for its end; throws if its status is not 0, or if it takes too long.
  func wait() throws -> Usage {
    let isInTime = easel_bench_ends_within(identifier, Self.patience)
    if !isInTime { kill() }
    var status: CInt = 0
    var usage = rusage()
    while wait4(identifier, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw SystemError(code: errno) }
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    guard isInTime else { throw JobFailure(description: "\(name) took longer than \(Self.patience) seconds") }
    guard status == 0 else { throw JobFailure(description: "\(name) ended with status \(status)") }
    return Usage(seconds: seconds, processorSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds)
  }

  /// The peak of its resident memory so far; nil when it has ended.
  ///
  /// The kernel's figure for finished children would include this process, because each child starts as a copy of it.
  var peakBytes: Int? {
    let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
    let words = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
    return words?.dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
  }

  private static func environment() -> [String] {
    var words: [String] = []
    var next = environ
    while let word = next.pointee {
      words.append(String(cString: word))
      next += 1
    }
    return words
  }
}

/// Strings as a C array.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) { pointers = strings.map { strdup($0) } + [nil] }

  deinit { for pointer in pointers { free(pointer) } }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) * 1e-6 }
}
