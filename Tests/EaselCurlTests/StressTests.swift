import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselCurl

/// Many loads at the same time, and the resources left after them.
///
/// `EASEL_CURL_ROUNDS` sets the rounds of the search for leaks; the default is 20.
@Suite(.tags(.alone), .serialized)
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
      var priorities: [LoadPriority.Live] = []
      for number in 0..<count {
        let path = ["/good", "/good", "/cut", "/moved", "/missing"][Int.random(in: 0..<5, using: &random)]
        let priority = LoadPriority.Live(LoadPriority.allCases.randomElement(using: &random)!)
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
      // At this point some loads have ended and some are waiting.
      while answers.withLock({ $0.count }) < count / 2 { await Task.yield() }
      loader.close()
      for task in tasks { await task.value }
      try Task.checkCancellation()
    }
    #expect(answers.withLock { $0.count } == count)
    #expect(answers.withLock { $0.values.allSatisfy { $0 == 1 } })
  }

  @Test func nothingIsLeftOfARound() async throws {
    let rounds = max(20, ProcessInfo.processInfo.environment["EASEL_CURL_ROUNDS"].flatMap { Int($0) } ?? 20)
    let path = try #require(ProgramBesideTests.path("EaselCurlChild"))
    let said = try await output(of: path, "\(rounds)").split(separator: "\n").map { $0.split(separator: " ") }
    #expect(said.map(\.first) == ["before", "after", "ends"])
    #expect(said.last?.last == "done,truncatedBody,done,limitExceeded,done,CancellationError")
    let numbers = said.prefix(2).map { $0.dropFirst().compactMap { Int($0) } }
    let (before, after) = (try #require(numbers.first), try #require(numbers.last))
    // A leak leaves one descriptor or thread for each round.
    #expect(after[0] < before[0] + 10 && after[1] < before[1] + 10, "\(before) \(after)")
    #expect(after[2] < before[2] + 48 << 20 + rounds << 14, "\(before) \(after)")
  }

  private func output(of path: String, _ argument: String) async throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = [argument]
    process.standardOutput = output
    var environment = ProcessInfo.processInfo.environment
    // AddressSanitizer would keep up to 256 MiB of freed memory.
    environment["ASAN_OPTIONS"] = (environment["ASAN_OPTIONS"].map { "\($0):" } ?? "") + "quarantine_size_mb=1"
    process.environment = environment
    try process.run()
    return await runBlocking {
      let said = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let text = String(decoding: said, as: UTF8.self)
      return process.terminationStatus == 0 ? text : "failed: \(text)"
    }
  }
}
