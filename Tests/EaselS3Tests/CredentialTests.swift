import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselS3

@Suite struct CredentialTests {
  private func keeper(
    _ source: S3CredentialSource, _ environment: [String: String] = [:],
    now: @escaping @Sendable () -> Date = { Date() },
    fetch: @escaping @Sendable (ContainerEndpoint) async throws -> [UInt8] = { _ in [] }
  ) -> CredentialKeeper {
    CredentialKeeper(source, environment: environment, now: now, fetch: fetch)
  }

  @Test func theEnvironmentComesFirst() async throws {
    let found = try await keeper(
      .automatic, ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token"]
    ).credentials()
    #expect(found == S3Credentials(accessKeyID: "id", secretAccessKey: "secret", sessionToken: "token"))
  }

  @Test func profilesAreReadFromTheSharedFile() {
    let text = """
      # comment
      [default]
      aws_access_key_id = id
      aws_secret_access_key=secret==

      [ other ]
      aws_access_key_id=id2
      aws_secret_access_key = secret2
      aws_session_token = token
      [broken]
      aws_access_key_id = id3
      """
    #expect(
      CredentialsFile.credentials(in: text, profile: "default")
        == S3Credentials(accessKeyID: "id", secretAccessKey: "secret=="))
    #expect(
      CredentialsFile.credentials(in: text, profile: "other")
        == S3Credentials(accessKeyID: "id2", secretAccessKey: "secret2", sessionToken: "token"))
    #expect(CredentialsFile.credentials(in: text, profile: "broken") == nil)
    #expect(CredentialsFile.credentials(in: text, profile: "none") == nil)
  }

  @Test func anErrorSaysWhereItLooked() async throws {
    do {
      _ = try await keeper(.automatic, ["HOME": "/nowhere"]).credentials()
      Issue.record("There were credentials.")
    } catch let error as ImageError {
      #expect(error.message.contains("AWS_ACCESS_KEY_ID"))
      #expect(error.message.contains("/nowhere/.aws/credentials"))
    }
  }

  private static func answer(_ id: String, expires: String) -> [UInt8] {
    Array(
      #"{"AccessKeyId":"\#(id)","SecretAccessKey":"s","Token":"t","Expiration":"\#(expires)"}"#.utf8)
  }

  @Test func temporaryOnesAreRenewedBeforeTheyEndAndOnceForAll() async throws {
    let time = Locked(Date(timeIntervalSince1970: 0))
    let calls = Locked(0)
    let gate = AsyncGate()
    let keeper = keeper(
      .automatic, ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2", "HOME": "/nowhere"], now: { time.withLock { $0 } }
    ) { endpoint in
      #expect(endpoint.url.absoluteString == "http://169.254.170.2/v2")
      let count = calls.withLock { calls in
        calls += 1
        return calls
      }
      try await gate.pass()
      return Self.answer("id\(count)", expires: count == 1 ? "1970-01-01T01:00:00Z" : "1970-01-01T02:00:00Z")
    }
    async let first = keeper.credentials()
    async let second = keeper.credentials()
    await gate.waitForWaiters(count: 1)
    gate.open()
    #expect(try await first?.accessKeyID == "id1")
    #expect(try await second?.accessKeyID == "id1")
    #expect(calls.withLock { $0 } == 1)
    time.withLock { $0 = Date(timeIntervalSince1970: 3200) }
    #expect(try await keeper.credentials()?.accessKeyID == "id1")
    time.withLock { $0 = Date(timeIntervalSince1970: 3400) }
    #expect(try await keeper.credentials()?.accessKeyID == "id2")
  }

  @Test func whatIsStillGoodIsUsedWhenTheRenewalFails() async throws {
    let time = Locked(Date(timeIntervalSince1970: 0))
    let calls = Locked(0)
    let keeper = keeper(
      .automatic, ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2", "HOME": "/nowhere"], now: { time.withLock { $0 } }
    ) { _ in
      let count = calls.withLock { calls in
        calls += 1
        return calls
      }
      guard count == 1 else { throw ImageError(.network, "gone") }
      return Self.answer("id", expires: "1970-01-01T01:00:00Z")
    }
    #expect(try await keeper.credentials()?.accessKeyID == "id")
    time.withLock { $0 = Date(timeIntervalSince1970: 3500) }
    #expect(try await keeper.credentials()?.accessKeyID == "id")
    time.withLock { $0 = Date(timeIntervalSince1970: 3601) }
    await #expect(throws: ImageError.self) { try await keeper.credentials() }
  }

  @Test(arguments: ["http://evil.example/token", "ftp://localhost/", "http://169.254.169.254/", "nonsense"])
  func theTokenGoesToNoStranger(_ url: String) throws {
    #expect(throws: ImageError.self) {
      try ContainerEndpoint(environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": url], readFile: { _ in nil })
    }
  }

  @Test func aTokenInAFileIsRead() throws {
    let endpoint = try ContainerEndpoint(
      environment: [
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1/x", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/t",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN": "other",
      ], readFile: { $0 == "/t" ? "token\n" : nil })
    #expect(endpoint?.token == "token")
  }
}
