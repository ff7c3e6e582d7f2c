import EaselCore
import EaselSupport
import FoundationEssentials

/// Purging, here and on all servers.
extension PurgeLedger {
  /// Makes sure that nothing is found any more that was made of these sources before.
  ///
  /// With a store, it waits until all servers have confirmed, or until the leases of the others have ended. `number` is the
  /// least one that the purge gets; two fleets without a store in common use one for both.
  package func purge(_ purges: [Purge], atLeast number: UInt64 = 0) async -> PurgeReport {
    var report = PurgeReport()
    let now = milliseconds
    let least = state.withLock { max($0.table.latest + 1, number, now) }
    var isTold = false
    report.number = least
    if let store = configuration.store {
      do {
        report.number = try await store.add(purges, atLeast: least)
        isTold = true
      } catch {
        report.note(
          "The shared store could not be told, so that other servers do not know of the purge yet: \(error). It is told as "
            + "soon as it answers.")
      }
    }
    note(purges, report.number, isTold: isTold)
    do {
      try await mergeWithFile()
    } catch {
      report.note("The purge is forgotten when this server ends, because it could not be written: \(error)")
    }
    report.servers = [PurgeReport.Server(name: configuration.name, standing: .confirmed)]
    if isTold, let store = configuration.store {
      await fold(in: store)
      report.servers += await others(in: store, after: report.number, &report)
    }
    return report
  }

  private func note(_ purges: [Purge], _ number: UInt64, isTold: Bool) {
    state.withLock { state in
      for purge in purges {
        state.table.note(purge, number)
        if !isTold, configuration.store != nil { state.unsent[purge] = number }
      }
      if configuration.store == nil, let folding = state.table.folding(to: configuration.capacity) {
        state.table.apply(folding)
      }
      state.version += 1
      state.count += purges.count
      state.mustWrite = true
    }
    tellOfPurges()
  }

  /// Keeps the bound of the table of all servers.
  private func fold(in store: any PurgeStore) async {
    guard let folding = state.withLock({ $0.table.folding(to: configuration.capacity) }) else { return }
    guard (try? await store.apply(folding)) != nil else { return }
    state.withLock { state in
      state.table.apply(folding)
      state.version += 1
      state.mustWrite = true
    }
  }

  /// Waits until the other servers have confirmed, or until none of them has a lease from before the purge any more.
  private func others(
    in store: any PurgeStore, after number: UInt64, _ report: inout PurgeReport
  ) async -> [PurgeReport.Server] {
    // Clocks of two machines do not run equally fast.
    let lease = configuration.lease * 1.1
    let end = clock.uptime + lease
    var pause = Duration.milliseconds(5)
    var servers: [PurgeServer] = []
    while true {
      do {
        servers = try await store.servers().filter { $0.id != id }
      } catch {
        report.note("The shared store does not tell which servers have confirmed: \(error)")
        return []
      }
      let isAwaited = servers.contains { $0.known < number && $0.silence < lease }
      guard isAwaited, clock.uptime < end, (try? await clock.sleep(for: pause)) != nil else { break }
      pause = min(pause * 2, .milliseconds(40))
    }
    let confirmed = Set(servers.lazy.filter { $0.known >= number }.map(\.name) + [configuration.name])
    return servers.sorted { ($0.name, $0.id) < ($1.name, $1.id) }.compactMap { server in
      if server.known >= number { return PurgeReport.Server(name: server.name, standing: .confirmed) }
      // A server that was started again has another identity and the same name.
      if server.silence >= lease, confirmed.contains(server.name) { return nil }
      return PurgeReport.Server(name: server.name, standing: server.servesCutOff ? .mayServe : .waits)
    }
  }
}
