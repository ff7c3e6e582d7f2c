import EaselCore
import EaselManager
import EaselTiers
import FoundationEssentials

/// Purging pictures, here and on all servers that share a store.
extension ImageService {
  /// Removes everything that was made of some sources, so that nobody gets it any more.
  ///
  /// From now on, requests load the sources anew: also those for a picture that is being made at this moment, which goes
  /// out to those who wait for it and is not kept. With a store that tells other servers, the call waits until they have
  /// confirmed, for little more than the lease of a ``EaselTiers/PurgeLedger``; the report says which
  /// have.
  ///
  /// ```swift
  /// let service = ImageService(ImageService.Configuration(configuration, signer: nil))
  /// let report = await service.purge([.source("https://example.com/cat.jpg"), .tag("cats")])
  /// if !report.isComplete { print(report.notes, report.servers) }
  /// ```
  ///
  /// What was purged is removed from the disk and from the shared store in the background, after the call. The results of
  /// a tag that only URLs name, and what memory has, stay under keys that nobody asks for, until they are evicted.
  public func purge(_ purges: [Purge]) async -> PurgeReport { await purge(purges, atLeast: 0) }

  func purge(_ purges: [Purge], atLeast number: UInt64) async -> PurgeReport {
    let ledger = settings.values.purges
    var (known, wrong) = ([Purge](), [Purge]())
    for purge in purges {
      let normal = normal(purge)
      if normal.isValid { known.append(normal) } else { wrong.append(purge) }
    }
    // The keys of what is stored now, which the purge changes.
    let removals = known.map { ($0, requestsForRemoval($0)) }
    async let removal = remove(removals)
    var report = await ledger.purge(known, atLeast: number)
    for purge in wrong {
      report.note(
        "\(purge.name.prefix(200)) cannot be purged: it is empty, too long, or has characters that URLs do not have.")
    }
    for note in await removal { report.note(note) }
    return report
  }

  /// A purge by the names under which sources are known here.
  private func normal(_ purge: Purge) -> Purge {
    switch purge {
    case .source(let text): .source(sourceName(text))
    case .sources(let text): .sources(beginningWith: sourceName(text))
    case .tag, .everything: purge
    }
  }

  private func sourceName(_ text: String) -> String {
    // As URLs of pictures are read; what is no longer allowed as a source may still be in a cache.
    if let url = (try? settings.values.sources.url(of: text)) ?? URL(string: text) { return PurgeMarks.name(of: url) }
    return text
  }

  /// The loads of a source with the marks of this moment.
  private func requestsForRemoval(_ purge: Purge) -> [ImageRequest] {
    guard case .source(let text) = purge, let url = URL(string: text) else { return [] }
    var context = ImageContext()
    settings.mark(&context, of: url, tags: [], cutOff: nil)
    return [ImageRequest(url: url, context: context)]
  }

  /// Removes what has a name at once; the rest goes in the background, or by eviction.
  private func remove(_ purges: [(Purge, [ImageRequest])]) async -> [String] {
    var notes: [String] = []
    for (purge, requests) in purges {
      do throws(ImageError) {
        if purge == .everything { try await manager.clearCache(.local) }
        for request in requests { try await manager.removeCachedImage(for: request) }
      } catch {
        notes.append("Nobody finds it any more, but a cache still has it until it is evicted: \(error.message)")
      }
    }
    return notes
  }

  // MARK: Requests

  /// The answer to a request to purge that came by an address that everybody may reach.
  func purge(_ exchange: ServiceExchange) async throws(ServiceError) -> ServiceResponse {
    let target = exchange.request.target.dropFirst(settings.values.pathPrefix.count)
    let call = try PurgeCall(target)
    guard let signer = settings.values.purgeSigner, signer.hasKeys else {
      throw ServiceError(403, "This server has no key, so that it takes requests to purge at its metrics address only.")
    }
    guard let signature = call.signature, let time = call.time else {
      throw ServiceError(403, "A request to purge needs a time and a signature: easel purge makes both.")
    }
    guard signer.acceptsPurge(signature.text, of: signature.signed) else {
      throw ServiceError(403, "The signature of the request to purge is wrong.")
    }
    let way = Int64(clock.date.timeIntervalSince1970 * 1000) - Int64(clamping: time)
    guard way.magnitude <= UInt64(PurgeCall.longestWay / .milliseconds(1)) else {
      throw ServiceError(
        403,
        "The request was signed \(way.magnitude / 1000) seconds \(way < 0 ? "in the future" : "ago"), and at most "
          + "\(PurgeCall.longestWay) may lie between. Sign it anew, and compare the clocks.")
    }
    return exchange.response(await carryOut(call), for: call)
  }

  /// Carries out a request to purge, of somebody who may.
  package func carryOut(_ call: PurgeCall) async -> PurgeReport {
    // A clock that is ahead must not make the next purges wait.
    let now = UInt64(max(0, clock.date.timeIntervalSince1970 * 1000))
    let number = call.time.map { $0 <= now + UInt64(PurgeCall.longestWay / .milliseconds(1)) ? $0 : 0 } ?? 0
    return await purge(call.purges, atLeast: number)
  }

  // MARK: Health

  /// The sentence about a server that does not hear of purges; nil if it does.
  var cutOffNotice: String? {
    settings.values.purges.figures.cutOffTime.map { time in
      "cut off from purges for \(time.components.seconds) s"
    }
  }
}

extension PurgeReport {
  /// The report as an answer: 200 if nothing older is served any more, and else 202.
  package var status: Int { isComplete ? 200 : 202 }

  /// The report as JSON.
  package var json: String {
    JSONText.object([
      ("number", .number(Int(clamping: number))), ("complete", .truth(isComplete)),
      (
        "servers",
        .list(
          servers.map { .object([("name", .text($0.name)), ("standing", .text($0.standing.rawValue))]) })
      ), ("notes", .list(notes.map { .text($0) })),
    ]) + "\n"
  }
}
