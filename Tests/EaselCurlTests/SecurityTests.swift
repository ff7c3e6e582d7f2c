import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Certificates that real servers present and require.
@Suite(.tags(.alone), .enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
struct SecurityTests {
  @Test func aServerThatNobodyVouchesForIsRefused() async throws {
    let server = try await NginxServer.shared()
    try await withLoader { loader in
      let failure = await loader.failure(of: server.secureURL("/ok"))
      #expect(failure?.code == .network)
      #expect(failure?.message.contains("is not trusted") == true)
      #expect(failure?.curlFailure?.isTLSFailure == true)
      // The permission for one transfer does not apply to the next.
      let request = LoadRequest(url: server.secureURL("/ok"), allowsInvalidCertificates: true)
      let sink = try await loader.body(request).sink
      #expect(sink.body == Array("ok".utf8))
      let again = await loader.failure(of: server.secureURL("/ok"))
      #expect(again?.curlFailure?.isTLSFailure == true)
    }
  }

  @Test func anAuthorityOfOnesOwnIsTrusted() async throws {
    let server = try await NginxServer.shared()
    try await withLoader({ $0.certificateAuthorities = server.certificates.authorityPath }) { loader in
      let metrics = try await loader.body(server.secureURL("/ok")).metrics
      #expect(metrics.secureConnect != nil)
      #expect(metrics.protocolName == "HTTP/2")
      // The certificate names neither address.
      let other = await loader.failure(of: URL(string: "https://127.0.0.2:\(server.securePort)/ok")!)
      #expect(other?.code == .network)
    }
  }

  @Test func aMissingFileOfAuthoritiesIsNamed() async throws {
    let server = try await NginxServer.shared()
    try await withLoader({ $0.certificateAuthorities = "/nonexistent/authorities.pem" }) { loader in
      let failure = await loader.failure(of: server.secureURL("/ok"))
      #expect(failure?.curlFailure?.isTLSFailure == true)
      #expect(failure?.message.contains("authorities") == true)
    }
  }

  @Test func aPinnedKeyMustBeTheServers() async throws {
    let server = try await NginxServer.shared()
    let authority = server.certificates.authorityPath
    try await withLoader({
      $0.certificateAuthorities = authority
      $0.pinnedPublicKeys = server.certificates.publicKeyPin
    }) { loader in
      let sink = try await loader.body(server.secureURL("/ok")).sink
      #expect(sink.count == 2)
    }
    try await withLoader({
      $0.certificateAuthorities = authority
      $0.pinnedPublicKeys = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    }) { loader in
      for allowsInvalid in [false, true] {
        let request = LoadRequest(url: server.secureURL("/ok"), allowsInvalidCertificates: allowsInvalid)
        let failure = await loader.failure(of: request)
        #expect(failure?.message.contains("is not the pinned one") == true)
      }
      try Task.checkCancellation()
    }
  }

  @Test func aClientShowsItsCertificateButNotAfterARedirect() async throws {
    let server = try await NginxServer.shared()
    let certificates = server.certificates
    let sender = try ScriptableServer(routes: [
      "/away": .always(.redirect(to: server.strictURL("/ok").absoluteString))
    ])
    defer { sender.close() }
    try await withLoader({
      $0.certificateAuthorities = certificates.authorityPath
      $0.clientCertificate = CurlLoader.ClientCertificate(
        certificateFile: certificates.clientCertificatePath, keyFile: certificates.clientKeyPath)
    }) { loader in
      let straight = try await loader.body(server.strictURL("/ok")).sink
      #expect(straight.head?.status == 200)
      let redirected = try await loader.body(sender.url("/away")).sink
      #expect(redirected.head?.status == 400)
    }
    try await withLoader({ $0.certificateAuthorities = certificates.authorityPath }) { loader in
      let without = try await loader.body(server.strictURL("/ok")).sink
      #expect(without.head?.status == 400)
    }
  }
}
