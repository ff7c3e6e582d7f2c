import EaselCore
import EaselTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import EaselCurl

/// Many loads at once, and what is left of them.
///
/// `EASEL_CURL_ROUNDS` says how many rounds the search for leaks takes, 20 where nothing is said.
@Suite(.serialized)
struct StressTests {
  @Test func everyoneIsAnsweredOnce() async throws {
    let body = ServerBody.bytes(3000)
    let server = try ScriptableServer(routes: [
      "/good*": .always(.reply(body: body)), "/cut*": .always(.resetting(after: 100, of: 3000)),
      "/moved*": .always(.redirect(to: "/good")),
    ])
    defer { server.close() }
    let answers = Locked<[Int: Int]>([:])
    let count = 10_000
    try await withLoader({
      $0.maximumTransfers = 16
      $0.maximumTransfersPerHost = 12
      $0.maximumResumptions = 0
    }) { loader in
      var random = SeededRandom(seed: 1)
      var tasks: [Task<Void, Never>] = []
      var priorities: [LivePriority] = []
      for number in 0..<count {
        let path = ["/good", "/good", "/cut", "/moved", "/missing"][Int.random(in: 0..<5, using: &random)]
        let priority = LivePriority(LoadPriority.allCases.randomElement(using: &random)!)
        let request = LoadRequest(url: server.url("\(path)\(number % 7)"), priority: priority)
        priorities.append(priority)
        tasks.append(
          Task {
            let sink = KeepingSink()
            do {
              _ = try await loader.load(request, into: sink)
              if sink.head?.status == 200 { #expect(sink.body == body) }
            } catch {
              let code = (error as? ImageError)?.code ?? .cancelled
              #expect([.cancelled, .truncatedBody].contains(code), "\(error)")
            }
            answers.withLock { $0[number, default: 0] += 1 }
          })
        if number % 3 == 0 { tasks[Int.random(in: 0...number, using: &random)].cancel() }
        if number % 2 == 0 {
          priorities[Int.random(in: 0...number, using: &random)].set(
            LoadPriority.allCases.randomElement(using: &random)!)
        }
      }
      // In the middle of it all, where some are done and some wait.
      while answers.withLock({ $0.count }) < count / 2 { await Task.yield() }
      loader.close()
      for task in tasks { await task.value }
      try Task.checkCancellation()
    }
    #expect(answers.withLock { $0.count } == count)
    #expect(answers.withLock { $0.values.allSatisfy { $0 == 1 } })
  }

  @Test func nothingIsLeftOfARound() async throws {
    let rounds = ProcessInfo.processInfo.environment["EASEL_CURL_ROUNDS"].flatMap { Int($0) } ?? 20
    let server = try ScriptableServer(routes: [
      "/good": .file(ServerFile(ServerBody.bytes(100_000))), "/cut": .always(.resetting(after: 50_000, of: 100_000)),
      "/moved": .always(.redirect(to: "/good")), "/bomb": .always(.gzipBomb(unpackedBytes: 10 << 20)),
      "/stall": .always(.stalling(after: 10, of: 100)),
    ])
    defer { server.close() }
    func round() async throws {
      try await withLoader { loader in
        await withTaskGroup(of: Void.self) { group in
          for path in ["/good", "/cut", "/moved", "/bomb", "/missing"] {
            group.addTask {
              _ = await loader.failure(of: LoadRequest(url: server.url(path), byteLimit: 1 << 20))
            }
          }
          let sink = KeepingSink()
          let stalled = Task { await loader.failure(of: LoadRequest(url: server.url("/stall")), sink: sink) }
          await sink.waitForBytes()
          stalled.cancel()
          _ = await stalled.value
        }
        try Task.checkCancellation()
      }
      await server.waitUntilAllHaveLeft()
    }
    for _ in 0..<3 { try await round() }
    let before = Process.now
    for _ in 0..<rounds { try await round() }
    // Others tests of the process open and close things meanwhile, a leak of each round would be far more.
    let after = Process.now
    #expect(after.descriptors < before.descriptors + max(rounds, 16))
    #expect(after.threads < before.threads + max(rounds, 16))
    #expect(after.residentBytes < before.residentBytes + 48 << 20 + rounds << 14)
  }

  /// What the process has now.
  private struct Process {
    let descriptors: Int
    let threads: Int
    let residentBytes: Int

    static var now: Process {
      func entries(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? -1 }
      let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
      return Process(
        descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"),
        residentBytes: (pages.flatMap { Int($0[1]) } ?? 0) * 4096)
    }
  }
}
