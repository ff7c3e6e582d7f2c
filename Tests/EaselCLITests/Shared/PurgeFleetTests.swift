import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// Servers that share a Redis, and are told to purge.
@Suite(.tags(.alone), .enabled(if: RedisServer.isAvailable, Comment(rawValue: RedisServer.missing ?? "")))
struct PurgeFleetTests {
  /// The report of a purge, as `--json` prints it.
  private struct Report: Decodable {
    struct Server: Decodable {
      let name: String
      let standing: String
    }

    let complete: Bool
    let servers: [Server]

    func count(_ standing: String) -> Int { servers.count { $0.standing == standing } }
  }

  /// A source that shows its versions, and servers that show it.
  private final class Fleet: Sendable {
    let origin: ScriptableServer
    let redis: Int
    let prefix = "purge\(UInt64.random(in: 0 ... .max))"
    let scratch: AsyncScratch

    init(_ scratch: AsyncScratch) async throws {
      self.scratch = scratch
      redis = try await RedisServer.shared().port
      origin = try ScriptableServer(routes: [:])
      try show(1)
    }

    var source: String { "\(origin.origin)/a.png" }
    var path: String { "/unsafe/w:16/plain/\(source)@png" }

    func show(_ version: UInt8) throws {
      let picture = ServerFile([UInt8](try Pictures.png(64, 32, blue: version * 40)), contentType: "image/png")
      origin.setRoute("/a.png", .file(picture))
    }

    func serve(_ number: Int) async throws -> ServeProgram {
      try await ServeProgram.listening([
        "--unsafe", "--allow-private", "--drain-delay", "0", "--shared", "redis://127.0.0.1:\(redis)?prefix=\(prefix)",
        "--shared-timeout", "20", "--metrics", "127.0.0.1:0", "--cache", scratch.path("cache-\(number)"),
        "--when-cut-off", "load", "--request-timeout", "3600",
      ])
    }

    func picture(_ server: ServeProgram) async throws -> [UInt8] {
      let answer = try await server.get(path)
      #expect(answer.status == 200)
      return answer.body
    }

    /// Purges the picture at a server.
    func purge(at server: ServeProgram) async throws -> Report {
      let address = try #require(await server.metricsAddress())
      let command = try ServeProgram(["purge", source, "--at", address, "--json"])
      let end = await command.waitForEnd()
      #expect(end.status == 0, "\(command.complaints)")
      let lines = command.results
      await command.stop()
      return try JSONDecoder().decode(Report.self, from: Data(lines.utf8))
    }
  }

  @Test func nothingOlderIsServed() async throws {
    try await AsyncScratch.with { scratch in
      let fleet = try await Fleet(scratch)
      defer { fleet.origin.close() }
      let first = try await fleet.serve(1)
      var second = try await fleet.serve(2)
      let third = try await fleet.serve(3)
      var pictures = [try await fleet.picture(first)]
      for server in [second, third] { #expect(try await fleet.picture(server) == pictures[0]) }

      // All confirm, and one of them loads the picture for all.
      try fleet.show(2)
      let all = try await fleet.purge(at: first)
      #expect(all.complete && all.count("confirmed") == 3 && all.servers.count == 3)
      pictures.append(try await fleet.picture(third))
      #expect(pictures[1] != pictures[0])
      for server in [first, second] { #expect(try await fleet.picture(server) == pictures[1]) }
      #expect(fleet.origin.requests(for: "/a.png").count == 2)

      // One that stands still is waited for until its lease ends, and asks before it serves again.
      third.send(SIGSTOP)
      try fleet.show(3)
      let frozen = try await fleet.purge(at: second)
      #expect(frozen.complete && frozen.count("confirmed") == 2 && frozen.count("waits") == 1)
      pictures.append(try await fleet.picture(first))
      #expect(pictures[2] != pictures[1])
      third.send(SIGCONT)
      #expect(try await fleet.picture(third) == pictures[2])

      // One that was killed learns of everything when it starts.
      await second.stop()
      try fleet.show(4)
      #expect(try await fleet.purge(at: third).complete)
      pictures.append(try await fleet.picture(first))
      second = try await fleet.serve(2)
      #expect(try await fleet.picture(second) == pictures[3] && pictures[3] != pictures[2])
      for server in [first, second, third] { await server.stop() }
    }
  }

  @Test func aCacheDirectoryReachesAServer() async throws {
    try await AsyncScratch.with { scratch in
      let fleet = try await Fleet(scratch)
      defer { fleet.origin.close() }
      let server = try await fleet.serve(1)
      let old = try await fleet.picture(server)
      try fleet.show(2)
      let command = try ServeProgram(["cache", "remove", fleet.source, "--cache", scratch.path("cache-1")])
      #expect(await command.waitForEnd().status == 0 && command.results.contains("from the memory of servers"))
      await command.stop()
      // Within the lease.
      var answer = old
      for _ in 0..<100_000 where answer == old { answer = try await fleet.picture(server) }
      #expect(answer != old)
      await server.stop()
    }
  }

  @Test func aServerThatCannotBeReachedIsAnError() async throws {
    let port = try RefusingPort()
    let command = try ServeProgram(["purge", "--all", "--at", "127.0.0.1:\(port.port)"])
    #expect(await command.waitForEnd().status == 1)
    #expect(command.complaints.contains("The server cannot be reached. Name its metrics address"))
    await command.stop()
  }
}
