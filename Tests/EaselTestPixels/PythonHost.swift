import EaselSupport
import Glibc

/// A Python that runs one script again and again, each time with other input.
///
/// Most of the time of a short script is that of starting Python and of its imports. Another script gets another Python,
/// so that no script finds what another one has imported or changed.
final class PythonHost: Sendable {
  private static let last = Locked<PythonHost?>(nil)

  private let python: String
  private let script: String
  private let child: pid_t
  private let writer: Int32
  private let reader: Int32

  /// What the script prints; nil if it fails.
  static func output(of python: String, _ script: String, arguments: [String], input: [UInt8]) -> [UInt8]? {
    last.withLock { last in
      if last?.python != python || last?.script != script { last = PythonHost(python, script) }
      guard let host = last else { return nil }
      let answer = host.ask(arguments, input)
      // One that has ended, also by itself, is not asked again.
      if answer == nil { last = nil }
      return answer.flatMap { $0.first == 0 ? Array($0.dropFirst()) : nil }
    }
  }

  private init?(_ python: String, _ script: String) {
    guard let (child, writer, reader) = Process.started([python, "-c", Self.loop, script]) else { return nil }
    (self.python, self.script, self.child, self.writer, self.reader) = (python, script, child, writer, reader)
  }

  deinit {
    close(writer)
    close(reader)
    var status: Int32 = 0
    waitpid(child, &status, 0)
  }

  /// A byte that is zero if the script succeeded, and what it printed; nil if Python has ended.
  private func ask(_ arguments: [String], _ input: [UInt8]) -> [UInt8]? {
    var request = Self.bytes(of: arguments.count)
    for part in arguments.map({ Array($0.utf8) }) + [input] { request += Self.bytes(of: part.count) + part }
    Process.writeAll(request, to: writer)
    guard let head = read(8) else { return nil }
    return read(head.reversed().reduce(0) { $0 << 8 | Int($1) })
  }

  private static func bytes(of number: Int) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let more = bytes.withUnsafeMutableBytes { Glibc.read(reader, $0.baseAddress! + done, count - done) }
      guard more > 0 else { return nil }
      done += more
    }
    return bytes
  }

  private static let loop = """
    import io, sys
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    code = compile(sys.argv[1], "script", "exec")

    def number():
        data = requests.read(8)
        if len(data) < 8: sys.exit()
        return int.from_bytes(data, "little")

    while True:
        words = [requests.read(number()).decode() for _ in range(number())]
        sys.argv = ["-c"] + words
        sys.stdin = io.TextIOWrapper(io.BytesIO(requests.read(number())))
        printed = io.BytesIO()
        sys.stdout = io.TextIOWrapper(printed)
        try:
            exec(code, {"__name__": "__main__"})
            status = 0
        except SystemExit as end:
            status = 1 if end.code else 0
        except BaseException:
            status = 1
        sys.stdout.flush()
        answer = bytes([status]) + printed.getvalue()
        answers.write(len(answer).to_bytes(8, "little") + answer)
        answers.flush()
    """
}
