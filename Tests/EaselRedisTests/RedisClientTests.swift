import EaselCore
import EaselSupport
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import EaselWire
import Testing

@testable import EaselRedis

@Suite(.tags(.alone))
struct RedisClientTests {
  private func client(
    _ engine: ScriptedEngine, answerTime: Duration = .seconds(60), limit: Int = 1 << 20
  ) throws -> RedisClient {
    var configuration = RedisConfiguration(.one(.tcp(host: "127.0.0.1", port: engine.port)))
    (configuration.connectTime, configuration.answerTime) = (.seconds(60), answerTime)
    return try RedisClient(configuration, largestReply: limit)
  }

  @Test(arguments: [
    ("+OK\r\n", RedisReply.status("OK")), (":-12\r\n", .integer(-12)), ("$-1\r\n", .null), ("*-1\r\n", .null),
    ("$0\r\n\r\n", .string(.init())), ("$3\r\na\r\n\r\n", .string(.init("a\r\n".utf8))),
    ("*2\r\n$1\r\na\r\n*1\r\n:7\r\n", .array([.string(.init("a".utf8)), .array([.integer(7)])])),
    ("*0\r\n", .array([])),
  ])
  func repliesAreRead(_ bytes: String, _ expected: RedisReply) async throws {
    let engine = try ScriptedEngine { _, _ in .text(bytes) }
    #expect(try await client(engine).send(RedisCommand("GET", "a"), for: "a") == expected)
  }

  @Test func manyCallersGetTheirOwnReplies() async throws {
    let engine = try ScriptedEngine { words, _ in .text("$\(words[1].utf8.count)\r\n\(words[1])\r\n") }
    let client = try client(engine)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<2000 {
        group.addTask {
          let text = String(repeating: "\(number) ", count: number % 50 + 1)
          return try await client.send(RedisCommand("ECHO", text), for: "a").text == text
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(engine.connectionCount == 1)
  }

  @Test func aReplyToACancelledCallGoesToNobodyElse() async throws {
    let gate = Gate()
    let engine = try ScriptedEngine { words, _ in
      if words[1] == "first" { gate.pass() }
      return .text("+\(words[1])\r\n")
    }
    let client = try client(engine)
    let cancelled = Task { try await client.send(RedisCommand("ECHO", "first"), for: "a") }
    await gate.waitForWaiters()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let second = Task { try await client.send(RedisCommand("ECHO", "second"), for: "a") }
    gate.open()
    #expect(try await second.value == .status("second"))
    #expect(engine.connectionCount == 1)
  }

  @Test func aCallThatIsCancelledBeforehandIsNotAnswered() async throws {
    let engine = try ScriptedEngine { words, _ in .text("+\(words[1])\r\n") }
    let client = try client(engine)
    #expect(try await client.send(RedisCommand("ECHO", "a"), for: "a") == .status("a"))
    for _ in 0..<100 {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await client.send(RedisCommand("ECHO", "b"), for: "a")
      }
      _ = try? await task.value
    }
    #expect(try await client.send(RedisCommand("ECHO", "c"), for: "a") == .status("c"))
  }

  @Test func aConnectionThatEndsInTheMiddleOfAReplyIsReplaced() async throws {
    let engine = try ScriptedEngine { _, connection in
      connection == 1 ? .last(Array("$10\r\nabc".utf8)) : .text("+again\r\n")
    }
    #expect(try await client(engine).send(RedisCommand("GET", "a"), for: "a") == .status("again"))
    #expect(engine.connectionCount == 2)
  }

  @Test func aServerThatAlwaysLeavesIsAnError() async throws {
    let engine = try ScriptedEngine { _, _ in .last([]) }
    let error = await #expect(throws: WireError.self) {
      try await client(engine).send(RedisCommand("GET", "a"), for: "a")
    }
    #expect(error?.kind == .lost)
    #expect(engine.connectionCount == 2)
  }

  @Test(arguments: ["$629145600\r\n", "$9999999999999999999999\r\n", "*1000000\r\n", "*2\r\n$1048576\r\n"])
  func aReplyThatIsTooLargeIsRefusedBeforeItComes(_ head: String) async throws {
    let engine = try ScriptedEngine { _, _ in .text(head) }
    let error = await #expect(throws: WireError.self) {
      try await client(engine, limit: 1000).send(RedisCommand("GET", "a"), for: "a")
    }
    #expect(error?.kind == .tooLarge || error?.kind == .malformed)
  }

  @Test func aLineWithoutEndIsRefused() async throws {
    let engine = try ScriptedEngine { _, _ in .bytes([UInt8](repeating: UInt8(ascii: "+"), count: 200_000)) }
    let error = await #expect(throws: WireError.self) {
      try await client(engine, limit: 1000).send(RedisCommand("GET", "a"), for: "a")
    }
    #expect(error?.kind == .tooLarge)
  }

  @Test(arguments: [
    "HTTP/1.1 400 Bad Request\r\n\r\n", "$abc\r\n",
    "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "\0\0\0",
    "$-2\r\n", "*-7\r\n", ":\r\n",
  ])
  func whatIsNoReplyIsAnError(_ bytes: String) async throws {
    let engine = try ScriptedEngine { _, connection in connection == 1 ? .text(bytes) : .text("+OK\r\n") }
    let client = try client(engine)
    let error = await #expect(throws: WireError.self) { try await client.send(RedisCommand("GET", "a"), for: "a") }
    #expect(error?.kind == .malformed, "\(error.map { "\($0)" } ?? "")")
    #expect(try await client.send(RedisCommand("GET", "a"), for: "a") == .status("OK"))
  }

  @Test func aReplyThatNobodyAskedForEndsTheConnection() async throws {
    let engine = try ScriptedEngine { _, connection in .text(connection == 1 ? "+1\r\n+2\r\n" : "+3\r\n") }
    let client = try client(engine)
    #expect(try await client.send(RedisCommand("GET", "a"), for: "a") == .status("1"))
    // Never the second reply of the first command.
    #expect(try await client.send(RedisCommand("GET", "b"), for: "a") == .status("3"))
  }

  /// The second request follows while the replies to the first are still handed out, sooner or later.
  @Test func aRequestThatFollowsAtOnceNeverGetsAReplyThatWasThereBefore() async throws {
    let engine = try ScriptedEngine { words, _ in .text(words[1] == "a" ? "+1\r\n+2\r\n" : "+3\r\n") }
    for _ in 0..<100 {
      let client = try client(engine)
      #expect(try await client.send(RedisCommand("GET", "a"), for: "a") == .status("1"))
      #expect(try await client.send(RedisCommand("GET", "b"), for: "a") == .status("3"))
    }
  }

  @Test func aServerThatDoesNotAnswerIsGivenUp() async throws {
    let engine = try ScriptedEngine { _, connection in connection == 1 ? .silence : .text("+OK\r\n") }
    let client = try client(engine, answerTime: .milliseconds(50))
    let error = await #expect(throws: WireError.self) { try await client.send(RedisCommand("GET", "a"), for: "a") }
    #expect(error?.kind == .late)
    #expect(engine.connectionCount == 1)
  }

  @Test func nobodyThereIsAnError() async throws {
    let port = try ScriptedEngine { _, _ in .silence }.port
    let client = try RedisClient(RedisConfiguration(.one(.tcp(host: "127.0.0.1", port: port))), largestReply: 1000)
    // The engine is gone, so its port refuses.
    let error = await #expect(throws: WireError.self) { try await client.send(RedisCommand("GET", "a"), for: "a") }
    #expect(error?.kind == .unreachable || error?.kind == .lost)
    #expect("\(error!)".contains("127.0.0.1:\(port)") || error?.kind == .lost)
  }

  @Test func aComplaintNamesTheServer() async throws {
    let engine = try ScriptedEngine { _, _ in .text("-OOM command not allowed\r\n") }
    let error = await #expect(throws: RedisFailure.self) {
      try await client(engine).send(RedisCommand("GET", "a"), for: "a")
    }
    #expect(error?.word == "OOM")
    #expect(error?.description == "Redis at 127.0.0.1:\(engine.port) answers: OOM command not allowed")
  }

  @Test func aMovedKeyIsAskedForWhereItIs() async throws {
    let second = try ScriptedEngine { words, _ in .text("+\(words[0]) here\r\n") }
    let first = try ScriptedEngine { _, _ in .text("-MOVED 15495 127.0.0.1:\(second.port)\r\n") }
    #expect(try await client(first).send(RedisCommand("GET", "a"), for: "a") == .status("GET here"))
  }

  @Test func aKeyThatIsBeingMovedIsAskedForWithAsking() async throws {
    let second = try ScriptedEngine { words, _ in .text("+\(words[0])\r\n") }
    let first = try ScriptedEngine { _, _ in .text("-ASK 15495 127.0.0.1:\(second.port)\r\n") }
    #expect(try await client(first).send(RedisCommand("GET", "a"), for: "a") == .status("GET"))
    #expect(second.commands == [["ASKING"], ["GET", "a"]])
  }

  @Test func serversThatPointToEachOtherEnd() async throws {
    let engine = try ScriptedEngine { _, _ in .text("-MOVED 15495 :1\r\n") }
    await #expect(throws: (any Error).self) { try await client(engine).send(RedisCommand("GET", "a"), for: "a") }
    let loop = Locked(0)
    let other = try ScriptedEngine { _, _ in .text("-MOVED 15495 127.0.0.1:\(loop.withLock { $0 })\r\n") }
    loop.withLock { $0 = other.port }
    await #expect(throws: RedisFailure.self) { try await client(other).send(RedisCommand("GET", "a"), for: "a") }
  }

  @Test func largeBodiesDoNotShareTheConnection() async throws {
    let engine = try ScriptedEngine { _, connection in .text(":\(connection)\r\n") }
    let client = try client(engine)
    let small = try await client.send(RedisCommand("GET", "a"), for: "a").number
    let large = try await client.send(RedisCommand("GET", "a"), for: "a", isLarge: true).number
    #expect(small != large)
  }

  @Test(arguments: [
    ("foo", 12182), ("{foo}.bar", 12182), ("a{}b", 13694), ("{user1000}.following", 3443), ("", 0),
    ("foo{{bar}}zap", 4015),
  ])
  func slotsFollowTheSpecification(_ key: String, _ slot: Int) {
    #expect(RedisClient.slot(of: key) == UInt16(slot))
  }
}
