import EaselCore
import EaselTestSupport
import EaselTestTags
import Glibc
import Testing

// The tests count the descriptors of the whole process, so they run one after another.
@Suite(.tags(.alone), .serialized)
struct ServerClosingTests {
  /// Scripts that would never end, and the number of bytes after which each stops.
  private static let endless: [(String, @Sendable (Gate) -> ServerScript)] = [
    ("silence", { _ in .silence }),
    ("gate", { [.wait($0)] }),
    ("drip", { [.drip([1, 2, 3], through: $0)] }),
    ("slow drip", { _ in [.dripEvery(.seconds(3600), [1])] }),
    ("request that never comes", { _ in [.readRequest] }),
    ("body that nobody reads", { _ in [.body(count: 64 << 20)] }),
  ]

  @Test(arguments: endless.map(\.0))
  func closingEndsWhatWouldGoOnForEver(name: String) async throws {
    let script = try #require(Self.endless.first { $0.0 == name }).1
    let server = try ScriptableServer(connections: [script(Gate())])
    let client = try RawClient(port: server.port)
    defer { client.close() }
    await server.waitForConnections()
    server.close()
    #expect(server.openConnectionCount == 0)
    server.close()
    // The port is free again, at least for this process.
    #expect(throws: SystemError.self) { try RawClient(port: server.port) }
  }

  @Test func nothingIsLeftOpen() async throws {
    for _ in 0..<20 {
      let server = try ScriptableServer(routes: ["/": .always(.reply(body: [1]))])
      let idle = try RawClient(port: server.port)
      #expect(try await RawClient.get("/", from: server.port).body == [1])
      await server.waitForConnections(2)
      let open = Self.sockets(boundTo: server.port)
      #expect(open.count >= 2, "The server listens, and one connection is idle.")
      server.close()
      // Every connection of the server is closed, even the idle one.
      #expect(await idle.receive() == RawClient.Answer())
      idle.close()
      #expect(Self.sockets(boundTo: server.port).isDisjoint(with: open))
    }
  }

  @Test func aServerThatIsLetGoOfIsClosed() async throws {
    var server: ScriptableServer? = try ScriptableServer(connections: [.silence])
    let port = try #require(server).port
    let client = try RawClient(port: port)
    defer { client.close() }
    await server?.waitForConnections()
    let open = Self.sockets(boundTo: port)
    #expect(open.count >= 2)
    server = nil
    #expect(await client.receive() == RawClient.Answer())
    #expect(Self.sockets(boundTo: port).isDisjoint(with: open))
  }

  @Test func aClientThatLeavesIsSeen() async throws {
    let server = try ScriptableServer(routes: ["/": .always(.stalling(after: 5, of: 10))])
    defer { server.close() }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\n\r\n")
    await server.waitForRequests(1, path: "/")
    #expect(server.openConnectionCount == 1)
    client.close()
    await server.waitUntilAllHaveLeft()
    #expect(server.openConnectionCount == 0)
  }

  /// The inodes of the sockets of this process that are bound to the port.
  ///
  /// Once a port is free, a socket of another test may get it, but the number of an inode is not given again so soon.
  private static func sockets(boundTo port: Int) -> Set<UInt> {
    var inodes: Set<UInt> = []
    for descriptor in CInt(0)..<1024 {
      var name = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let hasName = withUnsafeMutablePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
      }
      let isBound = hasName && name.sin_family == sa_family_t(AF_INET) && Int(UInt16(bigEndian: name.sin_port)) == port
      var status = stat()
      if isBound, fstat(descriptor, &status) == 0 { inodes.insert(UInt(status.st_ino)) }
    }
    return inodes
  }
}
