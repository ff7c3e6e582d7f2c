import EaselCore
import EaselListener
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// The addresses of a listener.
@Suite(.tags(.alone))
struct StartTests {
  @Test(arguments: ["127.0.0.1", "::1", "localhost", ""])
  func aPortIsServed(_ host: String) async throws {
    let test = try TestListener(on: [.tcp(host: host, port: 0)])
    for address in test.listener.addresses { try await expectAnswer(address) }
    _ = await test.stop()
  }

  @Test func anEmptyHostStandsForBothVersions() async throws {
    let test = try TestListener(on: [.tcp(host: "", port: 0)])
    let port = try #require(test.listener.addresses.first?.port)
    #expect(test.listener.addresses.count == 1)
    try await expectAnswer(.tcp(host: "127.0.0.1", port: port))
    try await expectAnswer(.tcp(host: "::1", port: port))
    _ = await test.stop()
  }

  @Test func severalAddressesAreServed() async throws {
    try await withDirectory { directory in
      let test = try TestListener(
        on: [.tcp(host: "127.0.0.1", port: 0), .tcp(host: "::1", port: 0), .unix(path: directory + "/s", mode: 0o600)])
      #expect(test.listener.addresses.count == 3)
      for address in test.listener.addresses { try await expectAnswer(address) }
      _ = await test.stop()
    }
  }

  @Test func aPortThatIsTakenIsAnError() async throws {
    // An address of its own: of a usual one, the system could give the port to another test as soon as it is free.
    let test = try TestListener(on: [.tcp(host: "127.77.77.77", port: 0)])
    let address = test.listener.addresses[0]
    let error = #expect(throws: ListenerError.self) {
      try TestListener(on: [.tcp(host: "127.0.0.1", port: 0), address])
    }
    #expect(error?.description == "Could not listen on \(address): Address already in use.")
    _ = await test.stop()
    // Soon again, although connections of the last listener linger in the system for a minute.
    #expect(ListenerClient.isRefused(address))
    let next = try TestListener(on: [address])
    try await expectAnswer(address)
    _ = await next.stop()
  }

  @Test func aPortCanBeShared() async throws {
    let first = try TestListener { $0.sharesPort = true }
    let second = try TestListener(on: first.listener.addresses) { $0.sharesPort = true }
    _ = await first.stop()
    try await expectAnswer(second.listener.addresses[0])
    _ = await second.stop()
  }

  @Test(arguments: [
    (ListenerAddress.tcp(host: "127.0.0.1", port: 65_536), "no such port"),
    (.tcp(host: "127.0.0.1", port: -1), "no such port"),
    (.tcp(host: "no.such.host.invalid", port: 80), "Could not find the address"),
    (.tcp(host: "192.0.2.1", port: 0), "Cannot assign requested address"),
    (.unix(path: "", mode: 0o600), "at most 107 bytes"),
    (.unix(path: "/tmp/" + String(repeating: "a", count: 110), mode: 0o600), "at most 107 bytes"),
    (.unix(path: "/tmp/a\0b", mode: 0o600), "no null"),
    (.unix(path: "/no/such/directory/s", mode: 0o600), "No such file or directory"),
    (.inherited(descriptor: 0), "not a socket that listens"),
    (.inherited(descriptor: 9999), "not a socket that listens"),
  ])
  func anAddressThatCannotBeServedIsAnError(_ address: ListenerAddress, _ reason: String) {
    let error = #expect(throws: ListenerError.self) { try TestListener(on: [address]) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func aSocketFileHasItsModeAndIsRemoved() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      let test = try TestListener(on: [.unix(path: path, mode: 0o620)])
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o620 && status.st_mode & S_IFMT == S_IFSOCK)
      try await expectAnswer(test.listener.addresses[0])
      _ = await test.stop()
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test func aStaleSocketIsReplaced() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      try leaveStaleSocket(path)
      #expect(access(path, F_OK) == 0)
      let test = try TestListener(on: [.unix(path: path, mode: 0o600)])
      try await expectAnswer(test.listener.addresses[0])
      _ = await test.stop()
    }
  }

  @Test func aSocketInUseIsLeftAlone() async throws {
    try await withDirectory { directory in
      let address = ListenerAddress.unix(path: directory + "/socket", mode: 0o600)
      let test = try TestListener(on: [address])
      let error = #expect(throws: ListenerError.self) { try TestListener(on: [address]) }
      #expect(error?.description == "Could not listen on \(address): another program listens there.")
      try await expectAnswer(address)
      _ = await test.stop()
    }
  }

  @Test func anotherFileIsLeftAlone() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      try "important".write(toFile: path, atomically: false, encoding: .utf8)
      let error = #expect(throws: ListenerError.self) { try TestListener(on: [.unix(path: path, mode: 0o600)]) }
      #expect(error?.description.contains("a file which is not a socket") == true)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "important")
    }
  }

  @Test func theSocketOfASuccessorIsNotRemoved() async throws {
    try await withDirectory { directory in
      let address = ListenerAddress.unix(path: directory + "/socket", mode: 0o600)
      let first = try TestListener(on: [address])
      unlink(directory + "/socket")
      let second = try TestListener(on: [address])
      _ = await first.stop()
      try await expectAnswer(address)
      _ = await second.stop()
    }
  }

  @Test func aFailedStartRemovesItsSocket() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      #expect(throws: ListenerError.self) {
        try TestListener(on: [.unix(path: path, mode: 0o600), .tcp(host: "192.0.2.1", port: 0)])
      }
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test func aSocketOfAnotherProgramIsServed() async throws {
    let (descriptor, port) = try listeningSocket()
    let test = try TestListener(on: [.inherited(descriptor: descriptor)])
    #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
    let client = try ListenerClient(.tcp(host: "127.0.0.1", port: port))
    client.get("/handed")
    #expect(await client.answer()?.text == "/handed")
    _ = await test.stop()
    #expect(ListenerClient.isRefused(.tcp(host: "127.0.0.1", port: port)))
  }

  @Test func aSocketThatBreaksDoesNotKeepTheThreadBusy() async throws {
    let (descriptor, port) = try listeningSocket()
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    defer { close(copy) }
    let test = try TestListener(on: [.inherited(descriptor: descriptor)])
    let client = try ListenerClient(.tcp(host: "127.0.0.1", port: port))
    client.get("/before")
    #expect(await client.answer()?.text == "/before")
    // Another owner of the socket ends it, so the system reports it without end.
    shutdown(copy, CInt(SHUT_RDWR))
    for _ in 0..<5 {
      client.get("/after")
      #expect(await client.answer()?.text == "/after")
    }
    // The pause ends when the clock moves, and it moves only here.
    #expect(await test.stop().pauses == 1)
  }

  @Test func aClientThatLeavesASocketFileIsNoticed() async throws {
    try await withDirectory { directory in
      let test = try TestListener(on: [.unix(path: directory + "/socket", mode: 0o600)])
      let client = try test.client()
      client.get("/gate")
      await test.handler.gate.waitForWaiters()
      client.close()
      await test.handler.notes.wait { $0.cancelled == ["/gate"] }
      #expect(await test.stop().left == 1)
    }
  }

  @Test func aSocketFileHasNoLimitPerAddress() async throws {
    try await withDirectory { directory in
      let test = try TestListener(on: [.unix(path: directory + "/socket", mode: 0o600)]) {
        $0.connectionsPerAddress = 1
      }
      let clients = try (0..<3).map { _ in try test.client() }
      for client in clients {
        client.get("/a")
        #expect(await client.answer()?.text == "/a")
      }
      _ = await test.stop()
    }
  }

  @Test func aReaderOfASocketFileThatStopsIsCutOff() async throws {
    try await withDirectory { directory in
      let test = try TestListener(
        on: [.unix(path: directory + "/socket", mode: 0o600)],
        handler: TestHandler {
          $0.target == "/settle" ? TestHandler.echo($0) : TestHandler.body(50_000_000)($0)
        })
      let client = try test.client()
      client.get("/")
      #expect(await client.receive(1000).count == 1000)
      for _ in 0..<3 {
        try await test.settle()
        test.advance(by: .seconds(10))
      }
      #expect(await test.stop().stalled == 1)
    }
  }

  @Test func socketsOfSystemdAreForOneProcess() {
    #expect(
      ListenerAddress.fromSystemd(["LISTEN_PID": "7", "LISTEN_FDS": "2"], process: 7)
        == [.inherited(descriptor: 3), .inherited(descriptor: 4)])
    for variables in [
      [:], ["LISTEN_FDS": "2"], ["LISTEN_PID": "8", "LISTEN_FDS": "2"], ["LISTEN_PID": "7"],
      ["LISTEN_PID": "7", "LISTEN_FDS": "0"], ["LISTEN_PID": "7", "LISTEN_FDS": "-1"],
      ["LISTEN_PID": "7", "LISTEN_FDS": "x"], ["LISTEN_PID": "7", "LISTEN_FDS": "2000000000"],
    ] {
      #expect(ListenerAddress.fromSystemd(variables, process: 7).isEmpty, "\(variables)")
    }
  }

  @Test func addressesReadLikeSettings() {
    #expect("\(ListenerAddress.tcp(host: "127.0.0.1", port: 80))" == "127.0.0.1:80")
    #expect("\(ListenerAddress.tcp(host: "::1", port: 80))" == "[::1]:80")
    #expect("\(ListenerAddress.tcp(host: "", port: 80))" == ":80")
    #expect("\(ListenerAddress.unix(path: "/run/easel", mode: 0o600))" == "unix:/run/easel")
    #expect("\(ListenerAddress.inherited(descriptor: 3))" == "descriptor 3")
  }

  private func expectAnswer(_ address: ListenerAddress) async throws {
    let client = try ListenerClient(address)
    client.get("/a")
    #expect(await client.answer()?.text == "/a", "\(address)")
  }

  private func withDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "easel-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory.path)
  }

  /// A socket as a program leaves it that was killed.
  private func leaveStaleSocket(_ path: String) throws {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0)
  }

  private func listeningSocket() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(descriptor, name, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, name, &length) == 0
      }
    }
    try #require(isReady)
    return (descriptor, Int(UInt16(bigEndian: name.sin_port)))
  }
}

extension ListenerAddress {
  fileprivate var port: Int? {
    if case .tcp(_, let port) = self { return port }
    return nil
  }
}
