import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselTiers

/// Purges of one server and of a fleet, by a clock that only the tests move.
struct PurgeLedgerTests {
  private static let cat = "https://host/cats/a.jpg"
  private let clock = ManualClock()

  private func ledger(
    _ store: FakePurgeStore? = nil, named name: String = "a",
    _ change: (inout PurgeLedger.Configuration) -> Void = { _ in }
  ) -> PurgeLedger {
    var configuration = PurgeLedger.Configuration()
    (configuration.store, configuration.name, configuration.clock) = (store, name, clock)
    change(&configuration)
    return PurgeLedger(configuration)
  }

  private func number(_ ledger: PurgeLedger, _ source: String = cat) -> UInt64 {
    ledger.numbers(of: source, tags: []).own
  }

  // MARK: One server

  @Test func aPurgeChangesTheNumberOfItsSourceAlone() async {
    let ledger = ledger()
    let version = ledger.version
    #expect(version != nil && number(ledger) == 0)
    let report = await ledger.purge([.source(Self.cat)])
    #expect(number(ledger) == report.number && number(ledger, "https://host/b.jpg") == 0)
    // Numbers are the time of day at least, also for servers that do not know each other.
    #expect(report.number >= 1_000_000_000_000 && ledger.version != version && report.isComplete)
    let second = await ledger.purge([.sources(beginningWith: "https://host/")])
    #expect(second.number > report.number && number(ledger) == second.number)
    let third = await ledger.purge([.everything], atLeast: second.number + 1000)
    #expect(third.number == second.number + 1000)
  }

  @Test func aLedgerWithoutOthersNeedsNoLease() {
    let ledger = ledger()
    clock.advance(by: .seconds(1000))
    #expect(ledger.version != nil && ledger.figures.cutOffTime == nil)
  }

  @Test func tagsArePurgedAfterTheirTime() async {
    let ledger = ledger()
    let before = ledger.numbers(of: Self.cat, tags: []).newestTag
    let report = await ledger.purge([.tag("cats")])
    #expect(ledger.hasPurged(["cats"], since: before) && !ledger.hasPurged(["dogs"], since: before))
    #expect(!ledger.hasPurged(["cats"], since: report.number))
    #expect(ledger.numbers(of: Self.cat, tags: ["cats"]).own == report.number && number(ledger) == 0)
  }

  // MARK: Restarts and other processes

  private func withDirectory(_ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/purges-\(UInt64.random(in: 0 ... .max))"
    do {
      try await body(path)
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  @Test func aRestartForgetsNothing() async throws {
    try await withDirectory { directory in
      let first = ledger { $0.directory = directory }
      let report = await first.purge([.source(Self.cat)])
      #expect(report.isComplete)
      let second = ledger { $0.directory = directory }
      // It knows nothing before it has looked.
      #expect(second.version == nil)
      #expect(await second.moment() == .current)
      #expect(second.version != nil && number(second) == report.number)
    }
  }

  @Test func processesWithOneDirectoryHearOfEachOther() async throws {
    try await withDirectory { directory in
      let (first, second) = (ledger { $0.directory = directory }, ledger { $0.directory = directory })
      for ledger in [first, second] { #expect(await ledger.moment() == .current) }
      let report = await first.purge([.source(Self.cat)])
      #expect(second.version != nil && number(second) == 0, "It has a lease of one second.")
      clock.advance(by: .seconds(1))
      #expect(second.version == nil)
      #expect(await second.moment() == .current)
      #expect(number(second) == report.number)
      // As the program does it without a server.
      let added = try PurgeFile(in: directory).add([.everything], at: 5)
      clock.advance(by: .seconds(1))
      _ = await first.moment()
      #expect(added > report.number && number(first) == added)
    }
  }

  @Test func aDamagedFileCountsAsAPurgeOfEverything() async throws {
    try await withDirectory { directory in
      let first = ledger { $0.directory = directory }
      _ = await first.purge([.source(Self.cat)])
      try Data("nonsense".utf8).write(to: URL(filePath: "\(directory)/\(PurgeFile.name)"))
      let second = ledger { $0.directory = directory }
      _ = await second.moment()
      #expect(number(second, "https://other/x") >= 1_000_000_000_000)
    }
  }

  @Test func aPurgeThatCannotBeWrittenSaysSo() async throws {
    try await withDirectory { directory in
      try Data().write(to: URL(filePath: directory))
      let ledger = ledger { $0.directory = directory }
      let report = await ledger.purge([.source(Self.cat)])
      #expect(!report.isComplete && report.notes.first?.contains("forgotten when this server ends") == true)
      #expect(number(ledger) == report.number)
    }
  }

  // MARK: A fleet

  @Test func serversThatAnswerConfirm() async throws {
    let store = FakePurgeStore(clock: clock)
    let (a, b) = (ledger(store, named: "a"), ledger(store, named: "b"))
    for ledger in [a, b] { #expect(await ledger.moment() == .current) }
    b.start()
    let purge = Task { await a.purge([.source(Self.cat)]) }
    // It is told, and tells that it knows, without any time that passes.
    await store.waitForConfirmations(besides: "a")
    let report = await finish(purge)
    #expect(report.servers.map(\.standing) == [.confirmed, .confirmed] && report.isComplete)
    #expect(report.servers.map(\.name) == ["a", "b"] && number(b) == report.number)
  }

  @Test func aServerThatStandsStillServesNothingOlderAfterItsLease() async throws {
    let store = FakePurgeStore(clock: clock)
    let (a, frozen) = (ledger(store, named: "a"), ledger(store, named: "b") { $0.whenCutOff = .load })
    for ledger in [a, frozen] { #expect(await ledger.moment() == .current) }
    let begin = clock.uptime
    let report = await finish(Task { await a.purge([.source(Self.cat)]) })
    #expect(report.servers.map(\.standing) == [.confirmed, .waits] && report.isComplete)
    #expect(clock.uptime - begin >= .seconds(1), "The answer comes when the lease has ended.")
    #expect(frozen.version == nil, "What it knows cannot be relied on any more.")
    #expect(await frozen.moment() == .current)
    #expect(number(frozen) == report.number, "It asks before it answers.")
  }

  /// Moves the clock until a purge has its report.
  private func finish(_ purge: Task<PurgeReport, Never>) async -> PurgeReport {
    let mover = Task { [clock] in
      while true {
        await clock.waitForSleepers()
        guard !Task.isCancelled else { return }
        clock.advanceToNextDeadline()
        await Task.yield()
      }
    }
    let report = await purge.value
    mover.cancel()
    await mover.value
    return report
  }

  @Test func aServerThatIsCutOffLoadsAnewIfItIsToldTo() async throws {
    let store = FakePurgeStore(clock: clock)
    let ledger = ledger(store) { $0.whenCutOff = .load }
    #expect(await ledger.moment() == .current)
    store.setBroken(true)
    clock.advance(by: .seconds(1))
    guard case .cutOff(let first) = await ledger.moment() else {
      Issue.record("It relies on what it knows.")
      return
    }
    #expect(await ledger.moment() == .cutOff(first), "What is loaded now is good for as long as a lease.")
    clock.advance(by: .seconds(1))
    guard case .cutOff(let second) = await ledger.moment() else {
      Issue.record("It relies on what it knows.")
      return
    }
    #expect(first != second && ledger.version == nil)
    #expect(ledger.figures.cutOffTime == .seconds(1))
    store.setBroken(false)
    #expect(await ledger.moment() == .cutOff(second), "Nobody waits for what has not answered a short time ago.")
    clock.advance(by: .seconds(3))
    #expect(await ledger.moment() == .current)
    #expect(ledger.version != nil && ledger.figures.cutOffTime == nil)
  }

  @Test func aServerThatIsCutOffServesOtherwise() async throws {
    let store = FakePurgeStore(clock: clock)
    let (a, b) = (ledger(store, named: "a"), ledger(store, named: "b"))
    for ledger in [a, b] { #expect(await ledger.moment() == .current) }
    store.setBroken(true)
    clock.advance(by: .seconds(1))
    #expect(b.version == nil, "It tries to hear of purges first.")
    #expect(await b.moment() == .current)
    #expect(b.version != nil && b.figures.cutOffTime == .zero, "Nobody waits for what does not answer.")
    store.setBroken(false)
    // The others are told that it may serve what is older.
    clock.advance(by: .seconds(2))
    let report = await finish(Task { await a.purge([.everything]) })
    #expect(report.servers.map(\.standing) == [.confirmed, .mayServe] && !report.isComplete)
  }

  @Test func aPurgeThatCannotBeToldIsToldLater() async throws {
    let store = FakePurgeStore(clock: clock)
    let (a, b) = (ledger(store, named: "a"), ledger(store, named: "b"))
    for ledger in [a, b] { #expect(await ledger.moment() == .current) }
    store.setBroken(true)
    let report = await a.purge([.source(Self.cat)])
    #expect(!report.isComplete && report.notes.first?.contains("told as soon as it answers") == true)
    #expect(number(a) == report.number && number(b) == 0)
    store.setBroken(false)
    clock.advance(by: .seconds(4))
    for ledger in [a, b] { #expect(await ledger.moment() == .current) }
    #expect(number(b) > report.number && number(a) == number(b))
  }

  @Test func aServerThatPurgesLearnsOfThePurgesBefore() async throws {
    let store = FakePurgeStore(clock: clock)
    let (a, b) = (ledger(store, named: "a"), ledger(store, named: "b"))
    for ledger in [a, b] { #expect(await ledger.moment() == .current) }
    let first = await finish(Task { await a.purge([.source(Self.cat)]) })
    let second = await finish(Task { await b.purge([.tag("x")]) })
    #expect(second.number > first.number)
    clock.advance(by: .seconds(2))
    #expect(await b.moment() == .current)
    #expect(number(b) == first.number && b.numbers(of: "", tags: ["x"]).own == second.number)
  }

  @Test func aServerBringsWhatItKnowsFromBefore() async throws {
    try await withDirectory { directory in
      let report = await ledger { $0.directory = directory }.purge([.source(Self.cat)])
      let store = FakePurgeStore(clock: clock)
      #expect(await ledger(store) { $0.directory = directory }.moment() == .current)
      #expect(store.table.number(of: Self.cat) >= report.number)
    }
  }

  @Test func whatTheStoreLosesIsBroughtBack() async throws {
    let store = FakePurgeStore(clock: clock)
    let (a, b) = (ledger(store, named: "a"), ledger(store, named: "b"))
    for ledger in [a, b] { #expect(await ledger.moment() == .current) }
    let report = await finish(Task { await a.purge([.source(Self.cat), .tag("x")]) })
    store.forget()
    clock.advance(by: .seconds(2))
    #expect(await a.moment() == .current)
    #expect(store.table.number(of: Self.cat) == report.number && number(a) == report.number)
    // A new purge comes before the one that a server brings back.
    store.forget()
    let other = await finish(Task { await b.purge([.tag("y")]) })
    clock.advance(by: .seconds(2))
    for ledger in [a, b] { #expect(await ledger.moment() == .current) }
    #expect(number(b) == report.number && number(a) == report.number)
    #expect(a.numbers(of: "x", tags: ["y"]).own == other.number)
  }

  @Test func theBoundHoldsForAllServers() async throws {
    let store = FakePurgeStore(clock: clock)
    let (a, b) = (ledger(store, named: "a") { $0.capacity = 20 }, ledger(store, named: "b") { $0.capacity = 20 })
    for ledger in [a, b] { #expect(await ledger.moment() == .current) }
    for number in 1...60 {
      clock.advance(by: .seconds(2))
      _ = await finish(Task { await a.purge([.source("https://host/\(number).jpg")]) })
    }
    #expect(store.table.numbers.count <= 20 && a.figures.entries <= 20)
    clock.advance(by: .seconds(2))
    _ = await b.moment()
    #expect(b.figures.entries <= 20 && number(b, "https://host/60.jpg") == number(a, "https://host/60.jpg"))
    #expect(number(b, "https://host/1.jpg") > 0 && number(b, "https://elsewhere/") == 0)
  }

  @Test func aServerThatEndsLeaves() async throws {
    let store = FakePurgeStore(clock: clock)
    let ledger = ledger(store)
    _ = await ledger.moment()
    #expect(store.ids.count == 1)
    await ledger.stop()
    #expect(store.ids.isEmpty)
  }

  @Test func aLeaseIsRenewedBeforeItEnds() async throws {
    let store = FakePurgeStore(clock: clock)
    let ledger = ledger(store)
    ledger.start()
    for _ in 0..<40 {
      await clock.waitForSleepers()
      #expect(ledger.version != nil)
      clock.advanceToNextDeadline()
    }
    #expect(clock.uptime >= .seconds(9) && store.exchangeCount >= 39)
    await ledger.stop()
  }
}
