import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials

/// A loader of ten bytes that breaks one rule.
final class FlawedLoader: ImageLoader {
  private let flaw: ImageLoaderContract.Rule
  private let asked = Locked(0)
  private let running = Locked(0)
  private let sinkBefore = Locked<(any LoadSink)?>(nil)
  static let body: [UInt8] = Array(0..<10)

  init(_ flaw: ImageLoaderContract.Rule) { self.flaw = flaw }

  var cacheIdentity: CacheIdentity { .plain }

  func canLoad(_ url: URL) -> Bool { flaw == .takesItsOwnURLs || url.scheme == "http" }

  func origin(of url: URL) -> ImageOrigin {
    let number = asked.withLock { asked in
      asked += 1
      return asked
    }
    return ImageOrigin(key: flaw == .originIsStable ? "\(number)" : url.absoluteString)
  }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let others = running.withLock { running in
      defer { running += 1 }
      return running
    }
    defer { running.withLock { $0 -= 1 } }
    if flaw == .silentAfterReturn {
      // Loads one after another: the one before has returned.
      let before = sinkBefore.withLock { before in
        defer { before = sink }
        return before
      }
      _ = before.map { Self.body.withUnsafeBytes($0.append) }
    }
    if flaw != .cancelledLoadGivesNothing { try Task.checkCancellation() }
    if request.url.path == "/failing", flaw != .failureIsAnError { throw ImageError(.network, "It fails.") }
    if flaw == .loadsAreApart, others > 0 { throw ImageError(.network, "Another load is running.") }
    if flaw == .headComesFirst || flaw == .waitsForTheHead { _ = Self.body[..<1].withUnsafeBytes(sink.append) }
    let rest = flaw == .headComesFirst || flaw == .waitsForTheHead ? Self.body[1...] : Self.body[...]
    if flaw == .ends { await waitForever() }
    let head = ResponseHead(status: 200, expectedLength: flaw == .lengthIsTrue ? 9 : nil)
    switch flaw {
    case .refusedHeadEndsTheLoad: try? await sink.begin(head)
    case .cancelledLoadEnds, .cancelledLoadGivesNothing:
      // A separate task does not see the cancellation.
      try await Task { try await sink.begin(head) }.value
    default: try await sink.begin(head)
    }
    for byte in flaw == .bodyIsWhole ? rest.dropLast() : rest {
      switch withUnsafeBytes(of: byte, sink.append) {
      case .more: break
      case .stop: if flaw != .obeysStop { throw CancellationError() }
      case .pause:
        guard flaw != .obeysPause else { continue }
        let gate = AsyncGate()
        sink.whenReady { gate.open() }
        try await gate.pass()
      }
    }
    if flaw == .restartsWithin { sink.restart(at: Self.body.count + 1) }
    return .body(nil)
  }
}
