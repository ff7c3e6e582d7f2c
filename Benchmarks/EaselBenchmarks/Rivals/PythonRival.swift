import EaselBenchmarkHarness
import Glibc

/// A Python process that does another library's share of a case and keeps the time itself.
///
/// Its script defines `work()`; each line that the process reads is how often to do it.
final class PythonRival {
  /// The largest memory of the process after it did the work once, the interpreter's included; nil where nobody tells.
  let peakBytesOfFirst: Int?

  private let input: UnsafeMutablePointer<FILE>
  private let output: UnsafeMutablePointer<FILE>
  private let child: ChildProcess

  /// Starts the process and waits until its preparations are done.
  init(script: String, environment: [String: String] = [:]) throws {
    guard let python = getenv("EASEL_PYTHON").map({ String(cString: $0) }) else {
      throw BenchmarkUnavailable("EASEL_PYTHON names no Python; script/bootstrap --bench makes one")
    }
    signal(SIGPIPE, SIG_IGN)
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw BenchmarkUnavailable("there are no pipes left") }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer {
      close(toChild[0])
      close(fromChild[1])
    }
    let program = [python, "-c", "\(script)\(Self.loop)"]
    input = fdopen(toChild[1], "w")
    output = fdopen(fromChild[0], "r")
    do {
      child = try ChildProcess(program, environment: environment, input: toChild[0], output: fromChild[1])
    } catch {
      fclose(input)
      fclose(output)
      throw BenchmarkUnavailable("\(python) does not start: \(error)")
    }
    guard Self.line(from: output) == "ready" else {
      throw BenchmarkUnavailable("\(python) lacks a library; script/bootstrap --bench installs them")
    }
    peakBytesOfFirst = child.peakBytes
  }

  deinit {
    fclose(input)
    fclose(output)
    _ = try? child.wait()
  }

  /// The side of a case that the process plays.
  var side: BenchmarkSide { .timed { try self.seconds($0) } }

  /// The same with the peak of the memory of the process and of all it starts, while it does the work once.
  var sideOfGroup: BenchmarkSide {
    side.withPeak {
      let memory = GroupMemory(group: self.child.identifier)
      let result = Result { try self.seconds(1) }
      let peak = await memory.stop()
      _ = try result.get()
      return peak
    }
  }

  private func seconds(_ repetitions: Int) throws -> Double {
    fputs("\(repetitions)\n", input)
    fflush(input)
    guard let seconds = Self.line(from: output).flatMap(Double.init) else {
      throw BenchmarkUnavailable("the Python process ended")
    }
    return seconds
  }

  private static func line(from output: UnsafeMutablePointer<FILE>) -> String? {
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
