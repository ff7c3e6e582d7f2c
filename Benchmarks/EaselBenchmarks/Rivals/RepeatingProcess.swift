import EaselBenchmarkHarness
import Glibc

/// A process that runs one side of a case and measures the time itself.
///
/// It does its work once and writes the line `ready`. Then each line that it reads is a number of repetitions, and each
/// line that it writes is the seconds they took.
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
    defer {
      close(toChild[0])
      close(fromChild[1])
    }
    name = command[0]
    input = fdopen(toChild[1], "w")
    output = fdopen(fromChild[0], "r")
    do {
      child = try ChildProcess(command, environment: environment, input: toChild[0], output: fromChild[1])
    } catch {
      fclose(input)
      fclose(output)
      throw BenchmarkUnavailable("\(command[0]) does not start: \(error)")
    }
    let answer = Self.line(from: output)
    if answer == nil { kill(child.identifier, SIGKILL) }
    peakBytesOfFirst = answer == "ready" ? child.peakBytes : nil
    guard answer == "ready" else { throw BenchmarkUnavailable("\(name) lacks \(lacking), or takes minutes to start") }
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
    guard let seconds = Self.line(from: output).flatMap(Double.init) else {
      kill(child.identifier, SIGKILL)
      throw BenchmarkUnavailable(
        "\(name), which does the work of a case, ended or took longer than \(Self.patience) seconds")
    }
    return seconds
  }

  /// The seconds after which a process that is silent has failed.
  private static let patience: CInt = 300

  /// Reads a line; nil when the process ends or says nothing for a long time.
  private static func line(from output: UnsafeMutablePointer<FILE>) -> String? {
    // Each line is all that the process has written so far, so none is left in the buffer.
    var wait = pollfd(fd: fileno(output), events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, patience * 1000) > 0 else { return nil }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), output) != nil else { return nil }
    return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init), as: UTF8.self)
  }
}
