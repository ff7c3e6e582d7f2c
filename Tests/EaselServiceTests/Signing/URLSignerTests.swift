import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselService

/// Signatures against vectors that were computed elsewhere.
struct URLSignerTests {
  private static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
  private static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"

  private static func signer(_ key: String, _ salt: String, size: Int = 32) throws -> URLSigner {
    let isText = key.utf8.count < 40
    let key =
      isText
      ? URLSigner.Key(key: Array(key.utf8), salt: Array(salt.utf8)) : try URLSigner.Key(hexadecimal: key, salt: salt)
    return URLSigner([key], size: size)
  }

  private static let imgproxy: [(key: String, salt: String, size: Int, path: String, signature: String)] = [
    (
      "secret", "hello", 32,
      "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
      "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"
    ),
    (
      "secret", "hello", 32, "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg",
      "vZ6TInXHD_gdx-w5FK0bcxhSYxKd-2GkBizoDIGgzSU"
    ),
    (
      key, salt, 32, "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg",
      "m3k5QADfcKPDj-SDI2AIogZbC3FlAXszuwhtWXYqavc"
    ),
    (key, salt, 8, "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg", "m3k5QADfcKM"),
    (
      key, salt, 32,
      "/pr:sharp/rs:fill:300:400:0/g:sm/plain/http%3A%2F%2Fexample.com%2Fa%20b%3Fq%3D1%2540x.jpg@webp",
      "HbXmoZXlb9ox_9O7ASZnXEIy5q-84ZqiZUWxdtYC9Oo"
    ),
    (
      key, salt, 32, "/w:100/exp:1735689600/plain/local:///%E7%8C%AB.png@avif",
      "zF2QyAtpAQIRQCi2mK0PpfOJe-pdskKvT-TQ6MZ6KaI"
    ),
    (key, "", 32, "/q:80/plain/s3://bucket/key.jpg", "ID7rO1qIYyGNBQocz4lUiz6bTMFkS8y7TFG6Sv3UfKo"),
    ("test-key", "test-salt", 32, "/asd", "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20"),
    ("test-key", "test-salt", 8, "/asd", "oWaL7QoW5Ts"),
  ]

  @Test(arguments: imgproxy.indices) func signaturesAreThoseOfImgproxy(_ index: Int) throws {
    let vector = Self.imgproxy[index]
    let signer = try Self.signer(vector.key, vector.salt, size: vector.size)
    #expect(signer.signed(vector.path) == "/\(vector.signature)\(vector.path)")
    #expect(signer.accepts(vector.signature[...], of: vector.path[...]))
    #expect(signer.accepts("\(vector.signature)=", of: vector.path[...]))
  }

  private static let thumbor: [(key: String, path: String, signature: String)] = [
    (
      "mysecret", "500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png",
      "cST4Ko5_FqwT3BDn-Wf4gO3RFSk="
    ),
    ("my-security-key", "300x200/smart/path/to/image.jpg", "TaWoUq6tvBe2HywzAULy6_Np-2k="),
    ("my-security-key", "300x200/image.jpg", "qjXs3_UNvhoXhEYcQzf0hy8tIek="),
    (
      "my-security-key",
      "fit-in/-300x-200/left/top/filters:quality(80):format(webp)/http%3A%2F%2Fexample.com%2Fa%20b.jpg",
      "9oAmHk8xxHG4Z-MNrJJo0XJlrSo="
    ),
    (
      "my-security-key",
      "trim:bottom-right:10/10x20:110x120/0x400/filters:watermark(http://x.example/logo.png,-10,-10,50)/example.com/%E7%8C%AB.png",
      "i9DsHPjaFMDUz98ZBKiWpAlt8v8="
    ),
    ("MY_SECURE_KEY", "200x0/filters:fill(white)/s3.example.com/b/k.jpg", "nJXjLEaqMP4gY6eAXORp1wmmxJk="),
  ]

  @Test(arguments: thumbor.indices) func signaturesAreThoseOfThumbor(_ index: Int) {
    let vector = Self.thumbor[index]
    let signer = URLSigner([URLSigner.Key(key: Array(vector.key.utf8))], grammar: .thumbor)
    #expect(signer.signed(vector.path) == "/\(vector.signature)/\(vector.path)")
    #expect(signer.accepts(vector.signature[...], of: "/\(vector.path)"[...]))
  }

  @Test func everyKeyOfARotationIsAccepted() throws {
    let (old, new) = (URLSigner.Key(key: [1], salt: [2]), URLSigner.Key(key: [3], salt: [4]))
    let both = URLSigner([new, old])
    let path = "/w:1/plain/x"
    for key in [old, new] {
      let signature = URLSigner([key]).signed(path).dropFirst().prefix { $0 != "/" }
      #expect(both.accepts(signature, of: path[...]))
    }
    #expect(both.signed(path) == URLSigner([new]).signed(path))
    #expect(URLSigner([]).signed("w:1/plain/x") == "/unsafe/w:1/plain/x")
  }

  @Test func everyOtherSignatureIsRefused() throws {
    let signer = try Self.signer(Self.key, Self.salt)
    let path = "/w:100/plain/http://host/a.jpg"
    let right = String(signer.signed(path).dropFirst().prefix { $0 != "/" })
    let other = try String(Self.signer("other", "").signed(path).dropFirst().prefix { $0 != "/" })
    let wrong = [
      "", "unsafe", "_", String(right.dropLast()), right + "A", "A" + right, right.lowercased(), right.uppercased(),
      other,
      right + "====" + String(repeating: "=", count: 100), String(repeating: "A", count: 100_000),
      String(right.reversed()),
    ]
    for signature in wrong { #expect(!signer.accepts(signature[...], of: path[...]), "\(signature.prefix(60))") }
    for changed in [
      "/w:101/plain/http://host/a.jpg", "//w:100/plain/http://host/a.jpg", "/w%3A100/plain/http://host/a.jpg", "/",
    ] {
      #expect(!signer.accepts(right[...], of: changed[...]))
    }
    #expect(!URLSigner([]).accepts("", of: path[...]))
  }

  @Test(arguments: ["", "0", "zz", "0g", "12 3", "é"]) func aKeyThatIsNoneIsNotShown(_ key: String) {
    let error = #expect(throws: ImageError.self) { try URLSigner.Key(hexadecimal: key) }
    #expect(
      error?.message.contains("hexadecimal") == true && (key.isEmpty || error?.message.contains("'\(key)'") == false))
    if !key.isEmpty { #expect(throws: ImageError.self) { try URLSigner.Key(hexadecimal: "00", salt: key) } }
  }

  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ), (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
  ])
  func sha1IsThatOfTheStandard(_ text: String, _ hash: String) {
    let digits = SHA1.hash(Array(text.utf8)).map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    #expect(digits.joined() == hash)
  }

  @Test func hashesOfManyLengthsDiffer() {
    let hashes = (0..<200).map { SHA1.hash([UInt8](repeating: 7, count: $0)) }
    #expect(Set(hashes).count == 200)
  }

  @Test func base64IsReadBack() {
    var random = SeededRandom(seed: 3)
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      for isPadded in [false, true] {
        let text = Base64URL.encoded(bytes, isPadded: isPadded)
        #expect(Base64URL.decoded(text) == bytes && (!isPadded || text.utf8.count.isMultiple(of: 4)))
      }
    }
    for text in ["A", "AAAAA", "A===", "====", "A*", "é", "AA=A"] { #expect(Base64URL.decoded(text) == nil, "\(text)") }
  }
}
