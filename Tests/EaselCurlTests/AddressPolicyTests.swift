import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// The addresses to which the loader may connect.
///
/// No test sends a packet beyond loopback: the policy of the test refuses all other addresses.
@Suite(.tags(.alone))
struct AddressPolicyTests {
  @Test(arguments: [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.9", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.7",
    "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "64:ff9b:1:a00:0:100:808:808",
    "64:ff9b:1::808:808", "2002:7f00:1::", "2002:a00:1::1",
    "2001:0:1:2:3:4:80ff:fffe", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1",
    "3fff::1", "100::1", "5f00::1",
  ])
  func privateSpaceIsNotPublic(text: String) throws {
    let address = try #require(AddressPolicy.IPAddress(text))
    #expect(!address.isPublic)
    #expect(!AddressPolicy.denyPrivate.allows(address, port: 80))
    #expect(AddressPolicy.allowAll.allows(address, port: 80))
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1",
    "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
  ])
  func thePublicInternetIsAllowed(text: String) throws {
    let address = try #require(AddressPolicy.IPAddress(text))
    #expect(AddressPolicy.denyPrivate.allows(address, port: 443))
  }

  @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "a", "::g", "1.2.3.4/8"])
  func otherTextsAreNoAddresses(text: String) { #expect(AddressPolicy.IPAddress(text) == nil) }

  @Test func addressesAreSpelledAndKnown() throws {
    #expect(AddressPolicy.IPAddress("127.0.0.1")?.description == "127.0.0.1")
    #expect(AddressPolicy.IPAddress("::1")?.description == "0:0:0:0:0:0:0:1")
    #expect(AddressPolicy.IPAddress("::1")?.isLoopback == true)
    #expect(AddressPolicy.IPAddress("::ffff:127.9.9.9")?.isLoopback == true)
    #expect(AddressPolicy.IPAddress("128.0.0.1")?.isLoopback == false)
    #expect(AddressPolicy.IPAddress(bytes: [1, 2, 3]) == nil)
  }

  /// Loads with a policy that asks `denyPrivate` but connects only to loopback; returns the addresses it was asked
  /// about.
  private func asked(
    about url: URL, resolve: [String] = []
  ) async throws -> (addresses: [String], failure: ImageError?) {
    let asked = Locked<[AddressPolicy.IPAddress]>([])
    return try await withLoader({
      $0.connectTimeout = .seconds(5)
      if !resolve.isEmpty { $0.resolve = { resolve } }
      $0.addressPolicy = .custom { address, _ in
        asked.withLock { $0.append(address) }
        return AddressPolicy.denyPrivate.allows(address, port: 0) && address.isLoopback
      }
    }) { loader in
      let failure = await loader.failure(of: url)
      try Task.checkCancellation()
      return (asked.withLock { $0.map(\.description) }, failure)
    }
  }

  @Test(arguments: [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "localhost",
    "0",
  ])
  func everySpellingOfLoopbackIsForbidden(host: String) async throws {
    let url = try #require(URL(string: "http://\(host):9/a"))
    let (addresses, failure) = try await asked(about: url)
    #expect(failure?.code == .forbiddenAddress)
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { AddressPolicy.IPAddress($0)?.isPublic == false })
  }

  @Test(arguments: ["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::]"])
  func everySpellingInIPv6IsForbidden(host: String) async throws {
    let url = try #require(URL(string: "http://\(host):9/a"))
    let (addresses, failure) = try await asked(about: url)
    #expect(failure?.code == .forbiddenAddress || (addresses.isEmpty && failure?.code == .network))
  }

  @Test(arguments: ["10.0.0.1", "169.254.169.254", "100.64.0.1", "192.168.0.1", "[fd00::1]", "[fe80::1]"])
  func aNameThatLeadsInsideIsForbidden(address: String) async throws {
    let (addresses, failure) = try await asked(
      about: URL(string: "http://pictures.example:9/a")!, resolve: ["pictures.example:9:\(address)"])
    #expect(failure?.code == .forbiddenAddress)
    #expect(failure?.message.contains("forbids connections to") == true)
    #expect(addresses == [try #require(AddressPolicy.IPAddress(address.trimmingBrackets)).description])
  }

  @Test func ofSeveralAddressesTheAllowedOneIsTaken() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1]))])
    defer { server.close() }
    try await withLoader({
      $0.resolve = { ["pictures.example:\(server.port):127.0.0.9,127.0.0.1"] }
      $0.addressPolicy = .custom { address, _ in address.bytes == [127, 0, 0, 1] }
    }) { loader in
      let sink = try await loader.body(URL(string: "http://pictures.example:\(server.port)/a")!).sink
      #expect(sink.body == [1])
    }
  }

  @Test func aRedirectInsideIsForbidden() async throws {
    let inside = try ScriptableServer(address: "127.0.0.2", routes: ["/secret": .always(.reply(body: [1]))])
    defer { inside.close() }
    let server = try ScriptableServer(routes: ["/a": .always(.redirect(to: inside.url("/secret").absoluteString))])
    defer { server.close() }
    try await withLoader({ $0.addressPolicy = .custom { address, _ in address.bytes == [127, 0, 0, 1] } }) { loader in
      let failure = await loader.failure(of: server.url("/a"))
      #expect(failure?.code == .forbiddenAddress)
      #expect(failure?.message.contains("127.0.0.2") == true)
      try Task.checkCancellation()
    }
    #expect(inside.connectionCount == 0)
  }

  @Test func aNameWhoseAddressChangesIsAskedAboutEachTime() async throws {
    let close: [(String, String)] = [("Connection", "close")]
    let server = try ScriptableServer(routes: ["/a": .always(.reply(headers: close, body: [1]))])
    defer { server.close() }
    let inside = try ScriptableServer(address: "127.0.0.2", routes: ["/a": .always(.reply(body: [2]))])
    defer { inside.close() }
    let turn = Locked(0)
    try await withLoader({
      $0.resolve = {
        turn.withLock { turn in
          turn += 1
          return ["pictures.example:\(server.port):127.0.0.\(turn)"]
        }
      }
      $0.addressPolicy = .custom { address, _ in address.bytes == [127, 0, 0, 1] }
    }) { loader in
      let url = URL(string: "http://pictures.example:\(server.port)/a")!
      let first = try await loader.body(url).sink
      #expect(first.body == [1])
      let second = await loader.failure(of: url)
      #expect(second?.code == .forbiddenAddress)
    }
    #expect(inside.connectionCount == 0)
  }

  @Test func thePortIsAskedAboutToo() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1]))])
    defer { server.close() }
    let ports = Locked<[Int]>([])
    try await withLoader({
      $0.addressPolicy = .custom { _, port in
        ports.withLock { $0.append(port) }
        return true
      }
    }) { loader in
      _ = try await loader.body(server.url("/a"))
    }
    #expect(ports.withLock { $0 } == [server.port])
  }
}

extension String {
  fileprivate var trimmingBrackets: String { String(filter { $0 != "[" && $0 != "]" }) }
}
