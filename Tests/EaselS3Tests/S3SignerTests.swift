import EaselCore
import FoundationEssentials
import Testing

@testable import EaselS3

/// The signatures of Amazon's documentation and of its test suite.
@Suite struct S3SignerTests {
  static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    var method = "GET"
    let path: String
    var query = ""
    var headers: [(String, String)] = []
    var payload = S3SignerTests.empty
    let signature: String

    var testDescription: String { name }
  }

  static let ofTheDocumentation = [
    Vector(
      name: "GET object with a range", path: "/test.txt", headers: [("Range", "bytes=0-9")],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Vector(
      name: "PUT object", method: "PUT", path: "/test%24file.text",
      headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
      payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Vector(
      name: "GET lifecycle", path: "/", query: "lifecycle",
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Vector(
      name: "list objects", path: "/", query: "max-keys=2&prefix=J",
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  @Test(arguments: ofTheDocumentation)
  func theSignaturesOfTheDocumentationAreMade(_ vector: Vector) throws {
    let credentials = S3Credentials(
      accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let signer = S3Signer(
      credentials: credentials, region: "us-east-1", date: Date(timeIntervalSince1970: 1_369_353_600))
    let headers = HTTPHeaders(
      [
        ("Host", "examplebucket.s3.amazonaws.com"), ("x-amz-date", signer.timestamp),
        ("x-amz-content-sha256", vector.payload),
      ]
        + vector.headers)
    let made = signer.authorization(
      method: vector.method, path: vector.path, query: vector.query, headers: headers, payloadHash: vector.payload)
    #expect(made.hasSuffix("Signature=\(vector.signature)"))
    #expect(made.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "))
  }

  static let ofTheSuite = [
    Vector(
      name: "get-vanilla", path: "/", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Vector(
      name: "get-vanilla-query-order-key-case", path: "/", query: "Param2=value2&Param1=value1",
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Vector(
      name: "post-vanilla", method: "POST", path: "/",
      signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    Vector(
      name: "get-header-value-trim", path: "/", headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
  ]

  @Test(arguments: ofTheSuite)
  func theSignaturesOfTheSuiteAreMade(_ vector: Vector) throws {
    let credentials = S3Credentials(
      accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    let signer = S3Signer(
      credentials: credentials, region: "us-east-1", service: "service",
      date: Date(timeIntervalSince1970: 1_440_938_160))
    let headers = HTTPHeaders([("Host", "example.amazonaws.com"), ("X-Amz-Date", signer.timestamp)] + vector.headers)
    #expect(signer.timestamp == "20150830T123600Z")
    let made = signer.authorization(
      method: vector.method, path: vector.path, query: vector.query, headers: headers, payloadHash: vector.payload)
    #expect(made.hasSuffix("Signature=\(vector.signature)"))
  }

  @Test(arguments: [
    ("plain.png", "plain.png"), ("a b+c", "a%20b%2Bc"), ("x=y*z", "x%3Dy%2Az"), ("ü/100%", "%C3%BC/100%25"),
    ("a//b/../c", "a//b/../c"), ("~-._", "~-._"), ("q?#&", "q%3F%23%26"),
  ])
  func namesAreEscapedAsTheyAreSigned(_ name: String, _ path: String) {
    #expect(S3Escaping.path(name) == path)
    #expect(S3Escaping.unescaped(path) == Array(name.utf8))
  }

  @Test func parametersWithoutValuesAndEscapedOnesAreSignedAlike() {
    func signature(_ query: String) -> String {
      S3Signer(
        credentials: S3Credentials(accessKeyID: "id", secretAccessKey: "secret"), region: "r",
        date: Date(timeIntervalSince1970: 0)
      ).authorization(method: "GET", path: "/", query: query, headers: ["Host": "h"], payloadHash: Self.empty)
    }
    #expect(signature("acl") == signature("acl="))
    #expect(signature("a=%7e&b=/") == signature("b=%2F&a=~"))
    #expect(signature("a=1&a=2") == signature("a=2&a=1"))
    #expect(signature("a=1") != signature("a=2"))
  }

  @Test func noTextShowsTheSecret() {
    let credentials = S3Credentials(accessKeyID: "id", secretAccessKey: "hidden", sessionToken: "hidden")
    #expect(!"\(credentials)\(String(reflecting: credentials))".contains("hidden"))
    #expect(!S3CredentialSource.fixed(credentials).identity.contains("hidden"))
  }
}
