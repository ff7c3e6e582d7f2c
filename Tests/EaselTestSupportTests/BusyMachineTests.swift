import EaselCore
import EaselTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What suites say must depend on the plug-in, and not on what else the machine does.
struct BusyMachineTests {
  /// Whether the system says how long threads wait for a processor.
  private static let saysDelays = FileManager.default.fileExists(atPath: "/proc/self/schedstat")

  @Test(.enabled(if: saysDelays)) func timeWithoutAProcessorIsNoHanging() async {
    let contract = OptionsProcessorContract(StarvedProcessor(), patience: .milliseconds(200))
    #expect(await contract.check() == [])
  }

  /// Each pause is a turn in which a busy machine does everything else first.
  @Test func aLoadInManyPiecesIsPausedAFewTimes() async {
    let loader = PiecemealLoader()
    let contract = ImageLoaderContract(loader, samples: [.init(URL(string: "http://a/b")!, body: PiecemealLoader.body)])
    #expect(await contract.check() == [])
    #expect((1...20).contains(loader.pauses))
  }
}

/// A loader that gives its body byte by byte and counts its pauses.
private final class PiecemealLoader: ImageLoader {
  static let body = [UInt8](repeating: 7, count: 500)
  private let count = Locked(0)

  var pauses: Int { count.withLock { $0 } }

  var cacheIdentity: String? { "" }

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

/// An options processor that once needs little time on a processor and gets it late.
private final class StarvedProcessor: OptionsProcessor {
  private let wasStarved = Locked(false)

  func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext) {
    let isFirst = wasStarved.withLock { wasStarved in
      defer { wasStarved = true }
      return !wasStarved
    }
    guard isFirst else { return }
    let isOver = Locked(false)
    for _ in 0..<sysconf(CInt(_SC_NPROCESSORS_ONLN)) {
      PlainThread.start { while !isOver.withLock({ $0 }) {} }
    }
    // Each of the other threads gets seventy times as much.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    let start = Self.ownTime()
    while Self.ownTime() < start + 20_000_000 {}
    isOver.withLock { $0 = true }
  }

  /// The nanoseconds for which the calling thread had a processor.
  private static func ownTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
