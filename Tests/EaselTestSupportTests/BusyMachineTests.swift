import EaselCore
import EaselSupport
import FoundationEssentials
import Testing

@testable import EaselTestSupport

/// The findings of a suite depend on the plug-in, not on the load of the machine.
struct BusyMachineTests {
  /// During each pause a busy machine does all its other work first.
  @Test func aLoadInManyPiecesIsPausedAFewTimes() async {
    let loader = PiecemealLoader()
    let contract = ImageLoaderContract(loader, samples: [.init(URL(string: "http://a/b")!, body: PiecemealLoader.body)])
    #expect(await contract.check() == [])
    #expect((1...20).contains(loader.pauses))
  }

  /// A step of hundreds of calls may take long, as long as each of them returns.
  @Test func eachAnswerBeginsThePatienceAnew() async {
    let looks = Locked(0)
    let gate = AsyncGate()
    let answers = { @Sendable () -> Int in
      let count = looks.withLock { looks in
        looks += 1
        return looks
      }
      if count == 5 { gate.open() }
      return count
    }
    let ended = await Waiting.atMost(.milliseconds(5), since: answers) {
      try? await gate.pass()
      return true
    }
    #expect(ended == true)
  }

  /// A pause may last as long as others keep the pool busy, and the work goes on only after it as well.
  @Test func oneLongPauseIsNotAllThePatience() async {
    let pauses = Locked(0)
    let (gate, others) = (AsyncGate(), AsyncGate())
    let pause = { @Sendable (_: Duration) in
      let count = pauses.withLock { pauses in
        pauses += 1
        return pauses
      }
      if count == 10 { gate.open() }
      // The work has its own thread, which may not run before all other pauses are over, unless they wait for its end.
      if count > 10 { try await others.pass() }
      await Task.yield()
    }
    let ended = await Waiting.atMost(.seconds(20), pause: pause) {
      try? await gate.pass()
      return true
    }
    others.open()
    #expect(ended == true)
  }
}

/// A loader that delivers its body byte by byte and counts its pauses.
private final class PiecemealLoader: ImageLoader {
  static let body = [UInt8](repeating: 7, count: 500)
  private let count = Locked(0)

  var pauses: Int { count.withLock { $0 } }

  var cacheIdentity: CacheIdentity { .plain }

  func canLoad(_ url: URL) -> Bool { url.scheme == "http" }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    try Task.checkCancellation()
    try await sink.begin(ResponseHead(status: 200, expectedLength: Self.body.count))
    for byte in Self.body {
      switch withUnsafeBytes(of: byte, sink.append) {
      case .more: break
      case .stop: throw CancellationError()
      case .pause:
        count.withLock { $0 += 1 }
        let gate = AsyncGate()
        sink.whenReady { gate.open() }
        try await gate.pass()
      }
    }
    return .body(nil)
  }
}
