import EaselCore
import EaselTestSupport
import Testing

@testable import EaselService

struct LogWriterTests {
  /// An output that can be held up.
  private final class Output: Sendable {
    let gate = Gate(isOpen: true)
    let written = Watched<[String]>([])

    var lines: [String] { written.withLock { $0 }.joined().split(separator: "\n").map(String.init) }

    func write(_ text: String) {
      gate.pass()
      written.withLock { $0.append(text) }
    }
  }

  private let output = Output()

  private func writer(capacity: Int = 100) -> LogWriter {
    LogWriter(capacity: capacity, notice: { "dropped \($0)" }, write: { [output] in output.write($0) })
  }

  private func waitForLines(_ count: Int) async {
    await output.written.wait { $0.joined().split(separator: "\n").count >= count }
  }

  @Test func linesAreWrittenInOrder() async {
    let writer = writer(capacity: 2000)
    for number in 0..<1000 { writer.write("line \(number)") }
    await waitForLines(1000)
    #expect(output.lines == (0..<1000).map { "line \($0)" })
    #expect(writer.droppedCount == 0)
  }

  @Test func aSlowOutputDelaysNobody() async {
    let writer = writer(capacity: 10)
    output.gate.close()
    writer.write("first")
    while output.gate.waitingCount == 0 { await Task.yield() }
    // Were this to wait for the output, the test would never end.
    for number in 0..<50 { writer.write("\(number)") }
    #expect(writer.droppedCount == 40)
    output.gate.open()
    await waitForLines(12)
    #expect(output.lines == ["first"] + (0..<10).map { "\($0)" } + ["dropped 40"])
  }

  @Test func eachLossIsToldOnce() async {
    let writer = writer(capacity: 1)
    for round in 1...3 {
      output.gate.close()
      writer.write("held")
      while output.gate.waitingCount == 0 { await Task.yield() }
      for _ in 0..<3 { writer.write("more") }
      output.gate.open()
      await waitForLines(3 * round)
    }
    #expect(output.lines == Array(repeating: ["held", "more", "dropped 2"], count: 3).flatMap { $0 })
    #expect(writer.droppedCount == 6)
  }

  @Test func closingWritesWhatIsQueued() {
    let writer = writer()
    for number in 0..<50 { writer.write("\(number)") }
    #expect(writer.close(withinMilliseconds: 60_000))
    #expect(output.lines.count == 50)
    writer.write("too late")
    #expect(writer.close(withinMilliseconds: 60_000) && output.lines.count == 50)
  }

  @Test func closingDoesNotWaitForEver() async {
    let writer = writer()
    output.gate.close()
    writer.write("held")
    while output.gate.waitingCount == 0 { await Task.yield() }
    #expect(!writer.close(withinMilliseconds: 1))
    output.gate.open()
    await waitForLines(1)
    #expect(writer.close(withinMilliseconds: 60_000))
  }

  @Test func aForgottenWriterWritesItsLines() async {
    do { writer().write("last words") }
    await waitForLines(1)
    #expect(output.lines == ["last words"])
  }

  @Test func manyThreadsLoseNothing() async {
    let writer = writer(capacity: 100_000)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask { for number in 0..<500 { writer.write("\(worker) \(number)") } }
      }
    }
    #expect(writer.close(withinMilliseconds: 60_000))
    let lines = output.lines
    #expect(lines.count == 4000 && Set(lines).count == 4000)
    for worker in 0..<8 {
      #expect(lines.filter { $0.hasPrefix("\(worker) ") } == (0..<500).map { "\(worker) \($0)" })
    }
  }
}
