import EaselTestSupport
import Testing

struct RecordingSinkTests {
  @Test(arguments: [(-1, 0), (Int.min, 0), (0, 0), (2, 2), (3, 3), (4, 3), (Int.max, 3)])
  func aRestartLeavesWhatCameBeforeIt(offset: Int, left: Int) {
    let sink = RecordingSink()
    _ = [UInt8](1...3).withUnsafeBytes(sink.append)
    sink.restart(at: offset)
    #expect(sink.body == Array([UInt8](1...3).prefix(left)))
    #expect(sink.events.last == .restart(offset))
  }
}
