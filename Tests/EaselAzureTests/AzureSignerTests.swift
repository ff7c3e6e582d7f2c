import EaselCore
import FoundationEssentials
import Testing

@testable import EaselAzure

@Suite struct AzureSignerTests {
  /// The key that Microsoft's emulator is documented to have.
  private static let key =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
  private static let url = "http://127.0.0.1:10000/devstoreaccount1/mycontainer/a%20b.png"

  private func signer() throws -> AzureSigner {
    AzureSigner(account: "devstoreaccount1", key: Array(try #require(Data(base64Encoded: Self.key))))
  }

  @Test func theTextIsThatOfTheDocumentation() throws {
    let text = try signer().text(
      "GET", url: Self.url,
      [
        "x-ms-version": "2021-08-06", "Range": "bytes=0-9", "x-ms-date": " Fri, 26 Jun 2015 23:39:12 GMT",
        "Accept": "*",
      ])
    #expect(
      text
        == "GET\n\n\n\n\n\n\n\n\n\n\nbytes=0-9\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2021-08-06\n"
        + "/devstoreaccount1/devstoreaccount1/mycontainer/a%20b.png")
  }

  /// The signature was computed by Python's hmac.
  @Test func theSignatureIsThatOfAnotherProgram() throws {
    let date = Date(timeIntervalSince1970: 1_435_361_952)
    let fields = try signer().fields(
      for: "GET", url: Self.url, ["x-ms-version": "2021-08-06", "Range": "bytes=0-9"], at: date)
    #expect(fields["x-ms-date"] == "Fri, 26 Jun 2015 23:39:12 GMT")
    #expect(fields["Authorization"] == "SharedKey devstoreaccount1:8cxTDo4vF3nj4COT3iP6oZS7B8fIVt4BbyjpgoS05q0=")
  }

  @Test(arguments: ["", "!", "a=b"]) func whatIsNoKeyIsNone(_ text: String) {
    #expect(AzureCredential.key(text) == nil)
  }

  @Test(arguments: [
    ("?sv=1&sig=a", true), ("sig=a%2F", true), ("sv=1", false), ("", false), ("sig=a b", false), ("sig=a#b", false),
  ])
  func aTokenIsAQueryWithASignature(_ text: String, _ isToken: Bool) {
    #expect((AzureCredential.token(text) != nil) == isToken)
  }

  @Test func credentialsShowNoSecret() throws {
    let key = try #require(AzureCredential.key(Self.key))
    let token = try #require(AzureCredential.token("sig=secret"))
    var text = ""
    dump(key, to: &text)
    dump(token, to: &text)
    #expect(!"\(key) \(token) \(text)".contains("Eby8") && !"\(token) \(text)".contains("secret"))
  }

  @Test(arguments: [
    "azure://container", "azure:///a", "azure://Container/a", "azure://-a-/b", "azure://a--b/c", "azure://ab/c",
    "azure://container/", "azure://container/a/../b", "azure://container/%2e%2e/b", "azure://container/%FF",
    "azure://container/a%00", "azure://container/a%5Cb", "s3://container/a",
  ])
  func whatIsNoBlobIsRefused(_ text: String) throws {
    #expect(AzureLocation(try #require(URL(string: text))) == nil)
  }

  @Test(arguments: [
    ("azure://container/a/b.png", "container/a/b.png"), ("azure://$root/a", "$root/a"),
    ("azure://con-1/a%20b%2Bc=.png?x#y", "con-1/a%20b%2Bc%3D.png"),
  ])
  func namesAreEscapedInOneWay(_ text: String, _ path: String) throws {
    #expect(AzureLocation(try #require(URL(string: text)))?.path == path)
  }

  @Test func anAccountIsAName() {
    #expect(
      AzureConfiguration(account: "pictures", credential: .anonymous).base == "https://pictures.blob.core.windows.net/")
    for name in ["", "evil.example.com/", "a.b", "a@b"] {
      #expect(AzureConfiguration(account: name, credential: .anonymous).base == nil, "\(name)")
    }
    let ftp = AzureConfiguration(account: "a", credential: .anonymous, endpoint: URL(string: "ftp://host/"))
    #expect(ftp.base == nil)
  }
}
