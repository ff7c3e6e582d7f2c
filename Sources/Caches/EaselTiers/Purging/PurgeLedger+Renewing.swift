import EaselCore
import EaselSupport
import EaselWorkers
import FoundationEssentials

/// Hearing of purges of others.
extension PurgeLedger {
  /// Begins to renew the lease again and again, until ``stop()`` or the end of the ledger; once is enough.
  package func start() {
    guard isShared else { return }
    configuration.store?.listen { [weak self] in self?.hear() }
    let (clock, interval) = (clock, configuration.lease / 4)
    state.withLock { state in
      guard state.loop == nil else { return }
      state.loop = Task.detached { [weak self] in
        while !Task.isCancelled, await Self.turn({ self }) { try? await clock.sleep(for: interval) }
      }
    }
  }

  /// Renews the lease once; false if the ledger is gone.
  private static func turn(_ ledger: () -> PurgeLedger?) async -> Bool {
    guard let ledger = ledger() else { return false }
    await ledger.renewal().value
    return true
  }

  /// Tells the others that this server ends.
  package func stop() async {
    state.withLock { $0.loop }?.cancel()
    await configuration.store?.leave(own)
  }

  /// Renews the lease at once, because somebody has purged.
  private func hear() {
    state.withLock { $0.mustRenewAgain = true }
    _ = renewal()
  }

  /// Waits for the renewal that runs, or for a new one.
  func renew(within limit: Duration) async {
    let renewal = renewal()
    try? await Timeout.wait(atMost: limit, by: clock, failure: { ImageError(.timedOut, "The lease ended.") }) {
      await renewal.value
    }
  }

  private func renewal() -> Task<Void, Never> {
    state.withLock { state in
      if let running = state.renewal { return running }
      let task = Task.detached { [self] in await renewNow() }
      state.renewal = task
      return task
    }
  }

  private func renewNow() async {
    repeat {
      state.withLock { $0.mustRenewAgain = false }
      // From before the question, since a purge may come right after the answer.
      let asked = clock.uptime
      do {
        let hasNews = try await learn()
        state.withLock { state in
          state.validUntil = max(state.validUntil, asked + configuration.lease)
          (state.failure, state.cutOffSince) = (nil, nil)
          // What was learned is confirmed at once.
          if hasNews { state.mustRenewAgain = true }
        }
      } catch {
        let now = clock.uptime
        state.withLock { state in
          state.failure = now
          state.cutOffSince = state.cutOffSince ?? max(state.validUntil, asked)
          state.mustRenewAgain = false
        }
      }
    } while mustRenewAgain()
  }

  private func mustRenewAgain() -> Bool {
    state.withLock { state in
      if !state.mustRenewAgain { state.renewal = nil }
      return state.mustRenewAgain
    }
  }

  /// Reads what others have purged; true if the store had something new.
  private func learn() async throws -> Bool {
    try await mergeWithFile()
    guard let store = configuration.store else { return false }
    try await send(to: store)
    guard let theirs = try await store.exchange(own) ?? missingTable else { return false }
    let lost = take(theirs)
    if !lost.isEmpty { try await store.restore(lost) }
    // Before it is confirmed, so that a restart does not forget it.
    try await mergeWithFile()
    return true
  }

  /// An empty table if the store has none, although this server knows one from before its start.
  private var missingTable: PurgeTable? {
    state.withLock { $0.taken == 0 && !$0.table.numbers.isEmpty ? PurgeTable() : nil }
  }

  /// This server, as it tells the others of itself.
  var own: PurgeServer {
    var server = PurgeServer(id: id, name: configuration.name, servesCutOff: configuration.whenCutOff == .serve)
    server.known = state.withLock { $0.taken }
    return server
  }

  /// Replaces the table by that of the store; returns what the store has lost.
  private func take(_ theirs: PurgeTable) -> [Purge: UInt64] {
    let before = state.withLock { $0.version }
    defer { if state.withLock({ $0.version }) != before { tellOfPurges() } }
    return state.withLock { state in
      state.taken = theirs.latest
      let lost = state.table.purges(notIn: theirs)
      var table = theirs
      for (purge, number) in lost { table.note(purge, number) }
      table.note(latest: 0, latestTag: state.table.latestTag)
      guard table != state.table else { return lost }
      state.count += table.purges(notIn: state.table).count
      state.table = table
      state.version += 1
      state.mustWrite = true
      return lost
    }
  }

  /// Purges in the store what was purged while it did not answer, or by a process that does not know it.
  private func send(to store: any PurgeStore) async throws {
    let (unsent, latest) = state.withLock { ($0.unsent, $0.table.latest) }
    guard !unsent.isEmpty else { return }
    let number = try await store.add(Array(unsent.keys), atLeast: latest + 1)
    state.withLock { state in
      for (purge, sent) in unsent where state.unsent[purge] == sent { state.unsent[purge] = nil }
      for purge in unsent.keys { state.table.note(purge, number) }
      state.version += 1
      state.mustWrite = true
    }
  }

  // MARK: The file

  /// Brings table and file together, if one of both may have something that the other lacks.
  func mergeWithFile() async throws {
    guard let file else { return }
    let (known, mustWrite) = state.withLock { ($0.fileVersion, $0.mustWrite) }
    let (now, isFirst) = (milliseconds, state.withLock { !$0.isPrepared })
    try await onWorker { [self] in
      if isFirst {
        try file.prepare()
        state.withLock { $0.isPrepared = true }
      }
      guard mustWrite || file.version != known else { return }
      let table = state.withLock { state in
        state.mustWrite = false
        return state.table
      }
      do {
        let (news, version) = try file.merge(table, at: now)
        note(news, inFile: version)
      } catch {
        state.withLock { $0.mustWrite = true }
        throw error
      }
    }
  }

  private func note(_ news: [Purge: UInt64], inFile version: PurgeFile.Version?) {
    state.withLock { state in
      state.fileVersion = version
      guard !news.isEmpty else { return }
      for (purge, number) in news {
        state.table.note(purge, number)
        if configuration.store != nil { state.unsent[purge] = number }
      }
      state.version += 1
      state.count += news.count
    }
    if !news.isEmpty { tellOfPurges() }
  }

  private func onWorker(_ body: @escaping @Sendable () throws -> Void) async throws {
    let terms = JobTerms(WorkTime(.seconds(5), clock: WorkerSet.files.clock)) {
      ImageError(.timedOut, "The table of purges could not be read or written within 5 seconds.")
    }
    try await WorkerSet.files.run(terms, body)
  }

  /// The time of day, as numbers of purges have it.
  var milliseconds: UInt64 { UInt64(max(0, clock.date.timeIntervalSince1970 * 1000)) }
}
