import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselS3

/// Servers that move, refuse, lie and cut.
@Suite(.tags(.alone)) struct S3FaultTests {
  let key = CacheKey(original: "http://a/b.png")

  private func server(_ scripted: ScriptableServer) -> S3Configuration {
    S3Testing.server(URL(string: "http://\(scripted.address):\(scripted.port)")!)
  }

  private func store(_ scripted: ScriptableServer) throws -> S3Store {
    try S3Store(.init(bucket: "bucket", server: server(scripted)))
  }

  @Test func aBucketInAnotherRegionIsAskedThere() async throws {
    let scripted = try ScriptableServer(routes: [
      "/bucket/a": .inTurn(
        .reply(301, headers: [("x-amz-bucket-region", "eu-west-1")], body: Array("<Error/>".utf8)),
        .reply(body: [1, 2, 3]), .reply(body: [4]))
    ])
    defer { scripted.close() }
    let loader = S3Loader(server(scripted))
    for expected: [UInt8] in [[1, 2, 3], [4]] {
      let sink = RecordingSink()
      _ = try await loader.load(LoadRequest(url: URL(string: "s3://bucket/a")!), into: sink)
      #expect(sink.body == expected)
    }
    let signed = scripted.requests.compactMap { $0.headers["Authorization"] }
    #expect(signed.map { $0.contains("/us-east-1/s3/") } == [true, false, false])
    #expect(signed.map { $0.contains("/eu-west-1/s3/") } == [false, true, true])
  }

  @Test func aServerThatSendsEverybodyElsewhereIsLeft() async throws {
    let scripted = try ScriptableServer(routes: [
      "/bucket/a": .inTurn(
        .reply(301, headers: [("x-amz-bucket-region", "eu-west-1")]),
        .reply(301, headers: [("x-amz-bucket-region", "eu-west-2")]),
        .reply(301, headers: [("x-amz-bucket-region", "eu-west-3")]))
    ])
    defer { scripted.close() }
    await #expect(throws: (any Error).self) {
      try await S3Loader(server(scripted)).load(LoadRequest(url: URL(string: "s3://bucket/a")!), into: RecordingSink())
    }
    #expect(scripted.requests.count == 3)
  }

  @Test func aRegionThatIsNoneIsNotFollowed() async throws {
    let scripted = try ScriptableServer(routes: [
      "/bucket/a": .always(.reply(301, headers: [("x-amz-bucket-region", "evil.example/")], body: [9]))
    ])
    defer { scripted.close() }
    let sink = RecordingSink()
    _ = try await S3Loader(server(scripted)).load(LoadRequest(url: URL(string: "s3://bucket/a")!), into: sink)
    #expect(sink.head?.status == 301)
  }

  @Test func aRedirectGetsNoSignature() async throws {
    let other = try ScriptableServer(address: "127.0.0.2", routes: ["*": .always(.reply(body: [1]))])
    defer { other.close() }
    let scripted = try ScriptableServer(routes: [
      "/bucket/a": .always(.redirect(to: "http://\(other.address):\(other.port)/bucket/a", status: 307))
    ])
    defer { scripted.close() }
    await #expect(throws: (any Error).self) {
      try await S3Loader(server(scripted)).load(LoadRequest(url: URL(string: "s3://bucket/a")!), into: RecordingSink())
    }
    #expect(other.requests.isEmpty)
  }

  @Test(arguments: [403, 500, 503])
  func aRefusalIsAnErrorThatNamesItsCode(_ status: Int) async throws {
    let body = Array("<?xml?><Error><Code>SlowDown</Code><Message>x</Message></Error>".utf8)
    let scripted = try ScriptableServer(routes: ["*": .always(.reply(status, body: body))])
    defer { scripted.close() }
    let store = try store(scripted)
    do {
      _ = try await store.entry(for: key)
      Issue.record("The refusal was taken for an answer.")
    } catch let error as ImageError {
      #expect(error.code == .cacheFailed)
      #expect(error.message.contains("\(status), SlowDown"))
      #expect(!"\(error)".contains("secret"))
    }
  }

  /// Answers writes without a condition in turn, and all others with success.
  private func failing(_ statuses: [Int]) throws -> (server: ScriptableServer, writes: Locked<Int>) {
    let writes = Locked(0)
    let scripted = try ScriptableServer(routes: [
      "*": ServerRoute { request in
        guard request.method == "PUT" else { return .reply(404) }
        guard request.headers["If-None-Match"] == nil else { return .reply(200) }
        let number = writes.withLock { writes in
          writes += 1
          return writes
        }
        return .reply(statuses[min(number, statuses.count) - 1])
      }
    ])
    return (scripted, writes)
  }

  @Test(arguments: [([500, 200], 2), ([500, 500, 200], 3)])
  func aWriteIsTriedAgainAfterAnErrorWithinS3(statuses: [Int], count: Int) async throws {
    let (scripted, writes) = try failing(statuses)
    defer { scripted.close() }
    let entry = CacheEntry(bytes: ImageBytes([1]), record: CacheRecord(stored: Date(), generation: 1))
    try await store(scripted).store(entry, for: key)
    #expect(writes.withLock { $0 } == count)
  }

  @Test(arguments: [([500], 3), ([403], 1), ([503], 1)])
  func aWriteThatGoesOnFailingIsAnError(statuses: [Int], count: Int) async throws {
    let (scripted, writes) = try failing(statuses)
    defer { scripted.close() }
    let store = try store(scripted)
    let entry = CacheEntry(bytes: ImageBytes([1]), record: CacheRecord(stored: Date(), generation: 1))
    let error = await #expect(throws: ImageError.self) { try await store.store(entry, for: key) }
    #expect(error?.message.contains("\(statuses[0])") == true)
    #expect(writes.withLock { $0 } == count)
  }

  @Test func anEndlessAnswerIsBounded() async throws {
    let scripted = try ScriptableServer(routes: [
      "*": .always(.reply(403, body: Array(repeating: UInt8(ascii: "<"), count: S3Fault.longest * 3)))
    ])
    defer { scripted.close() }
    let store = try store(scripted)
    await #expect(throws: ImageError.self) { try await store.entry(for: key) }
  }

  @Test(arguments: [
    "", "<Code>", "<Code></Code>", "<Code>a\u{7}b</Code>", "<Code>\(String(repeating: "x", count: 65))</Code>",
  ])
  func aCodeThatIsNoneIsNotShown(_ body: String) {
    #expect(S3Fault.text(of: "Code", in: Array(body.utf8)) == nil)
  }

  @Test func aCutAnswerIsAnError() async throws {
    let scripted = try ScriptableServer(routes: [
      "*": .always([.head(200, [("Content-Length", "100")]), .send([1, 2])])
    ])
    defer { scripted.close() }
    let store = try store(scripted)
    await #expect(throws: (any Error).self) { try await store.entry(for: key) }
  }

  /// A server that keeps objects; it ends each connection at its `last` request, which it has done then.
  private func keeper(last: Int) throws -> ScriptableServer {
    let state = Locked<(objects: [String: [UInt8]], requests: [Int: Int])>(([:], [:]))
    return try ScriptableServer(routes: [
      "*": ServerRoute { request in
        state.withLock { state in
          state.requests[request.connection, default: 0] += 1
          let known = state.objects[request.path]
          var answer = ServerScript.reply(404)
          if request.method == "PUT" {
            let mayWrite = known == nil || request.headers["If-None-Match"] == nil
            if mayWrite { state.objects[request.path] = request.body }
            answer = .reply(mayWrite ? 200 : 412)
          } else if let known {
            answer = .reply(headers: [("ETag", "\"1\"")], body: known)
          }
          return state.requests[request.connection] == last ? [.close] : answer
        }
      }
    ])
  }

  @Test func writesUseKeptConnections() async throws {
    let scripted = try keeper(last: .max)
    defer { scripted.close() }
    let store = try store(scripted)
    for number in 0..<10 {
      let entry = CacheEntry(bytes: ImageBytes([1]), record: CacheRecord(stored: Date(), generation: 1))
      try await store.store(entry, for: CacheKey(original: "\(number)"))
    }
    #expect(scripted.connectionCount == 1)
  }

  /// Every write may be done although its answer is lost, the conditional one of the mark too.
  @Test(arguments: 2...5)
  func aWriteWhoseAnswerIsLostIsSentAgain(last: Int) async throws {
    let scripted = try keeper(last: last)
    defer { scripted.close() }
    let store = try store(scripted)
    for number in 0..<10 {
      let key = CacheKey(original: "\(number)")
      let entry = CacheEntry(
        bytes: ImageBytes([1]), record: CacheRecord(stored: Date(timeIntervalSince1970: 1e9), generation: 1))
      try await store.store(entry, for: key)
      #expect(try await store.entry(for: key)?.record.generation == 1)
    }
    #expect(scripted.connectionCount > 5)
  }

  @Test func machinesThatAlwaysWinAreGivenWayTo() async throws {
    let scripted = try ScriptableServer(routes: [
      "/bucket/easel/epoch": .always(.reply(404)), "*": .always(.reply(412)),
    ])
    defer { scripted.close() }
    let store = try store(scripted)
    let entry = CacheEntry(bytes: ImageBytes([1]), record: CacheRecord(stored: Date(), generation: 1))
    await #expect(throws: ImageError.self) { try await store.store(entry, for: key) }
    #expect(scripted.requests.count < 40)
  }
}
