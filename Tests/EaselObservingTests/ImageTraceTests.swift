import EaselCore
import EaselTestSupport
import Foundation
import Testing

@testable import EaselObserving

struct ImageTraceTests {
  /// An event of a trace that was read back.
  private struct Event {
    let phase: String
    let name: String
    let row: [Int]
    let start: Int
    let end: Int
    let id: Int?
    let details: [String: String]
  }

  /// Reads a trace, and checks what viewers need: slices of a row nest, nothing is negative, and both ends of each arrow
  /// lie in slices.
  private func read(_ trace: ImageTrace) throws -> [Event] {
    let json = try JSONSerialization.jsonObject(with: Data(trace.json().utf8)) as? [String: Any]
    let all = try #require(json?["traceEvents"] as? [[String: Any]]).map { event in
      let start = event["ts"] as? Int ?? 0
      return Event(
        phase: event["ph"] as? String ?? "", name: event["name"] as? String ?? "",
        row: [event["pid"] as? Int ?? 0, event["tid"] as? Int ?? 0], start: start,
        end: start + (event["dur"] as? Int ?? 0), id: event["id"] as? Int,
        details: (event["args"] as? [String: String]) ?? [:])
    }
    let slices = Dictionary(grouping: all.filter { $0.phase == "X" }, by: \.row)
    for (row, events) in slices {
      let ordered = events.enumerated().sorted {
        ($0.element.start, -$0.element.end, $0.offset) < ($1.element.start, -$1.element.end, $1.offset)
      }
      var open: [Event] = []
      for (_, event) in ordered {
        #expect(event.start >= 0 && event.end >= event.start)
        while let last = open.last, last.end <= event.start, last.end < event.end || last.start < event.start {
          open.removeLast()
        }
        #expect(open.last.map { $0.end >= event.end } ?? true, "\(row): \(event.name) does not nest")
        open.append(event)
      }
    }
    for event in all where ["s", "f"].contains(event.phase) {
      let inside = slices[event.row]?.contains { $0.start <= event.start && event.start < $0.end } ?? false
      #expect(inside, "The arrow \(event.id ?? 0) ends nowhere.")
    }
    for arrow in all where arrow.phase == "s" {
      let end = all.first { $0.phase == "f" && $0.id == arrow.id }
      #expect(end.map { arrow.start <= $0.start } ?? false, "The arrow \(arrow.id ?? 0) goes back in time.")
    }
    let starts = all.filter { $0.phase == "s" }.compactMap(\.id)
    #expect(Set(starts) == Set(all.filter { $0.phase == "f" }.compactMap(\.id)) && Set(starts).count == starts.count)
    return all
  }

  @Test func keepsTheContractOfObservers() async {
    #expect(await ImageObserverContract(ImageTrace()).check().isEmpty)
  }

  @Test func anEmptyTraceIsATrace() throws {
    #expect(try read(ImageTrace()).allSatisfy { $0.phase == "M" })
  }

  @Test func theStagesOfALoad() async throws {
    let trace = ImageTrace()
    _ = try await LoadStudio(trace).load().result
    let events = try read(trace)
    let load = try #require(events.first { $0.phase == "X" && $0.name == "load" })
    #expect(load.details == ["url": "https://host/path/a.toy", "result": "from network"])
    for name in ["transfer", "decode"] { #expect(events.contains { $0.phase == "X" && $0.name == name }, "\(name)") }
    #expect(events.contains { $0.phase == "s" && $0.name == "starts" } && !events.contains { $0.name == "joins" })
    #expect(!trace.json().contains("secret"))
  }

  @Test func loadsThatJoinPointToTheRunTheyJoined() async throws {
    let trace = ImageTrace()
    let studio = LoadStudio(trace)
    studio.loader.suspend(LoadStudio.url)
    let tasks = (0..<3).map { _ in studio.load() }
    await studio.loader.waitUntilSuspended(LoadStudio.url)
    studio.loader.resume(LoadStudio.url)
    for task in tasks { _ = try await task.result }
    let events = try read(trace)
    #expect(events.filter { $0.phase == "X" && $0.name == "load" }.count == 3)
    let transfers = events.filter { $0.phase == "X" && $0.name == "transfer" }
    #expect(transfers.count == 1)
    let arrows = events.filter { $0.phase == "f" && $0.row == transfers.first?.row }
    #expect(arrows.map(\.name).sorted() == ["joins", "joins", "starts"])
  }

  @Test func aFailedLoadEndsItsStages() async throws {
    let trace = ImageTrace()
    let studio = LoadStudio(trace)
    studio.loader.script(LoadStudio.url, .failure(ImageError(.network, "The network failed.")))
    _ = try? await studio.load().result
    let events = try read(trace)
    #expect(events.first { $0.name == "load" && $0.phase == "X" }?.details["result"] == "network")
    #expect(events.first { $0.name == "transfer" }?.details["result"] == "network")
  }

  @Test func aCancelledLoadEndsItsStages() async throws {
    let clock = ManualClock()
    let trace = ImageTrace(limit: 100, clock: clock)
    let studio = LoadStudio(trace)
    studio.loader.suspend(LoadStudio.url)
    let task = studio.load()
    await studio.loader.waitUntilSuspended(LoadStudio.url)
    clock.advance(by: .milliseconds(5))
    let running = try read(trace)
    #expect(running.first { $0.name == "load" && $0.phase == "X" }?.details["result"] == "running")
    #expect(running.first { $0.name == "transfer" }.map { $0.end - $0.start } == 5000)
    task.cancel()
    _ = try? await task.result
    let end = clock.uptime
    clock.advance(by: .seconds(1))
    let events = try read(trace)
    let transfer = try #require(events.first { $0.name == "transfer" })
    #expect(transfer.details["result"] == "cancelled" && transfer.end <= Int(end / .microseconds(1)))
    #expect(transfer.end - transfer.start == 5000)
  }

  @Test func anArrowNeverGoesBackInTime() throws {
    let clock = ManualClock()
    let trace = ImageTrace(limit: 100, clock: clock)
    for load in [UInt64(1), 2] { trace.observe(ImageEvent(.started, load: load)) }
    trace.observe(ImageEvent(.loading(attempt: 1), load: 1, run: 3))
    clock.advance(by: .milliseconds(2))
    trace.observe(ImageEvent(.loaded(byteCount: 9, nil), load: 1, run: 3))
    clock.advance(by: .milliseconds(1))
    // The second load hears of the work that it shared when the work is over.
    trace.observe(ImageEvent(.loading(attempt: 1), load: 2, run: 3, isJoined: true))
    let arrows = try read(trace).filter { ["s", "f"].contains($0.phase) && $0.name == "joins" }
    #expect(arrows.map(\.phase) == ["s", "f"])
    // The third begins after that work, so it cannot be drawn.
    trace.observe(ImageEvent(.started, load: 4))
    trace.observe(ImageEvent(.loading(attempt: 1), load: 4, run: 3, isJoined: true))
    #expect(try read(trace).filter { $0.phase == "s" }.count == 2)
  }

  @Test func attemptsAreStagesOfTheirOwn() throws {
    let clock = ManualClock()
    let trace = ImageTrace(limit: 100, clock: clock)
    func tell(_ kind: ImageEvent.Kind, _ load: UInt64 = 1) {
      trace.observe(ImageEvent(kind, load: load, run: 3, isJoined: load > 1))
      clock.advance(by: .milliseconds(1))
    }
    let kinds: [ImageEvent.Kind] = [
      .loading(attempt: 1), .retrying(after: .zero, ImageError(.network, "Failed.")), .loading(attempt: 2),
    ]
    trace.observe(ImageEvent(.started))
    for kind in kinds { tell(kind) }
    // A late load is told of the past, which is not drawn twice.
    trace.observe(ImageEvent(.started, load: 2))
    for kind in kinds { tell(kind, 2) }
    tell(.loaded(byteCount: 9, nil))
    tell(.succeeded(.network))
    let transfers = try read(trace).filter { $0.name == "transfer" }
    #expect(transfers.map { $0.details["attempt"] } == ["1", "2"])
    #expect(transfers[0].details["error"] == "network" && transfers[1].details["bytes"] == "9")
  }

  @Test func stagesOfARunNeverOverlap() throws {
    let clock = ManualClock()
    let trace = ImageTrace(limit: 100, clock: clock)
    clock.advance(by: .milliseconds(10))
    trace.observe(ImageEvent(.started))
    let size = PixelSize(width: 1, height: 1)
    // The times of plug-ins say that one began before the end of the other.
    for kind in [
      ImageEvent.Kind.loading(attempt: 1), .loading(attempt: 2), .loaded(byteCount: 1, nil),
      .decoded(size, .milliseconds(8)),
      .transformed(key: "Flip(1,0)", .milliseconds(9)), .transformed(key: "Flip(0,1)", .seconds(9)),
    ] {
      trace.observe(ImageEvent(kind, run: 2))
      clock.advance(by: .milliseconds(1))
    }
    trace.observe(ImageEvent(.succeeded(.network)))
    let row = try read(trace).filter { $0.phase == "X" && $0.row[0] == 2 && $0.name != "run" }
    #expect(row.map(\.name) == ["transfer", "transfer", "decode", "transform", "transform"])
    for (first, second) in zip(row, row.dropFirst()) { #expect(first.end <= second.start) }
    #expect(row.last?.details["transformer"] == "Flip")
  }

  @Test func aLongTraceIsCut() throws {
    let trace = ImageTrace(limit: 10)
    for load in UInt64(1)...20 {
      trace.observe(ImageEvent(.started, load: load))
      trace.observe(ImageEvent(.cacheMiss, load: load, run: load))
      trace.observe(ImageEvent(.succeeded(.disk), load: load))
    }
    let events = try read(trace)
    #expect(events.filter { $0.phase != "M" }.count <= 20)
    #expect(!trace.json().contains("\"dropped\":\"0\""))
  }
}
