import EaselBenchmarkHarness
import Glibc

/// A process that runs one side of a case and measures the time itself.
///
/// It does its work once and writes the line `ready`; another line is the reason why it cannot. Then each line that it
/// reads is a number of repetitions, and each line that it writes is the seconds they took.
final class RepeatingProcess {
  /// The peak memory of the process after its first work; nil if unknown.
  let peakBytesOfFirst: Int?

  private let input: UnsafeMutablePointer<FILE>
  private let output: UnsafeMutablePointer<FILE>
  private let child: ChildProcess
  private let name: String

  /// Starts the process and waits until it is ready; `lacking` is the reason to report if it ends instead.
  init(_ command: [String], environment: [String: String] = [:], lacking: String) throws {
    signal(SIGPIPE, SIG_IGN)
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw BenchmarkUnavailable("there are no pipes left") }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    name = command[0]
    input = fdopen(toChild[1], "w")
    output = fdopen(fromChild[0], "r")
    let started = Result {
      try ChildProcess(command, environment: environment, input: toChild[0], output: fromChild[1])
    }
    // The end of the child is only seen when nobody else could still write.
    close(toChild[0])
    close(fromChild[1])
    do {
      child = try started.get()
    } catch {
      fclose(input)
      fclose(output)
      throw BenchmarkUnavailable("\(command[0]) does not start: \(error)")
    }
    let answer = Answer(from: output)
    peakBytesOfFirst = answer == .line("ready") ? child.peakBytes : nil
    if answer != .line("ready") { child.kill() }
    switch answer {
    case .line("ready"): break
    case .line(let reason): throw BenchmarkUnavailable("\(name): \(reason)")
    case .end: throw BenchmarkUnavailable("\(name) lacks \(lacking)")
    case .silence: throw JobFailure(description: "\(name) says nothing for \(ChildProcess.patience) seconds")
    }
  }

  deinit {
    fclose(input)
    fclose(output)
    _ = try? child.wait()
  }

  /// The side of a case that the process runs.
  var side: BenchmarkSide { .timed { try self.seconds($0) } }

  /// The same side with the peak memory of the process after its first work.
  var sideWithPeakOfFirst: BenchmarkSide { side.withPeak { self.peakBytesOfFirst } }

  /// The same side with the peak memory of the process and all its children while it does the work once.
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
    let answer = Answer(from: output)
    if case .line(let text) = answer, let seconds = Double(text) { return seconds }
    child.kill()
    switch answer {
    case .line(let reason): throw JobFailure(description: "\(name): \(reason)")
    case .end: throw JobFailure(description: "\(name) ended while it did the work of a case")
    case .silence: throw JobFailure(description: "\(name) took longer than \(ChildProcess.patience) seconds")
    }
  }

  /// A line of the process, or the reason why there is none.
  private enum Answer: Equatable {
    case line(String), end, silence

    /// Reads a line; waits no longer than any program may take.
    init(from output: UnsafeMutablePointer<FILE>) {
      // Each line is all that the process has written so far, so none is left in the buffer.
      var wait = pollfd(fd: fileno(output), events: Int16(POLLIN), revents: 0)
      guard poll(&wait, 1, ChildProcess.patience * 1000) > 0 else {
        self = .silence
        return
      }
      var line = [CChar](repeating: 0, count: 256)
      if fgets(&line, Int32(line.count), output) == nil {
        self = .end
      } else {
        self = .line(String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
    }
  }
}
