import EaselTestTags
import Glibc
import Testing

@testable import EaselTestServers

struct HeldPortTests {
  @Test(.tags(.alone)) func aServerThatNamesAHeldPortListensOnIt() throws {
    let held = try HeldPort()
    let server = try socket(boundTo: held.number, isShared: true)
    defer { close(server) }
    #expect(listen(server, 1) == 0)
    #expect(Probe.accepts(port: held.number))
  }

  @Test(.tags(.alone)) func aHeldPortIsTakenForAllWhoShareNone() throws {
    let held = try HeldPort()
    #expect(throws: Refused(code: EADDRINUSE)) { try socket(boundTo: held.number, isShared: false) }
  }

  private struct Refused: Error, Equatable { var code: CInt }

  private func socket(boundTo port: Int, isShared: Bool) throws -> CInt {
    let descriptor = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var isShared: CInt = isShared ? 1 : 0
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<CInt>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    name.sin_port = UInt16(port).bigEndian
    let status = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      let code = errno
      close(descriptor)
      throw Refused(code: code)
    }
    return descriptor
  }
}
