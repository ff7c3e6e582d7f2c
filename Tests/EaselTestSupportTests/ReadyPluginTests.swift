import EaselCore
import EaselManager
import EaselTestSupport
import EaselTiers
import FoundationEssentials
import Testing

/// The response modifiers and decryptors that Easel contains.
struct ReadyPluginTests {
  private let request = LoadRequest(url: URL(string: "http://a/b")!)

  @Test func responseModifiersKeepTheirContract() async {
    let modifiers: [any ResponseModifier] =
      [
        .fields(["Content-Type": "image/png"]), .requiringContentType("image/*"), .readingStatuses([404: 410]),
      ] as [any ResponseModifier]
    for modifier in modifiers { #expect(await ResponseModifierContract(modifier).check() == []) }
  }

  @Test func fieldsReplaceThoseOfTheSameName() async throws {
    let modifier: any ResponseModifier = .fields(["content-type": "image/png", "X-A": "1"])
    let head = ResponseHead(status: 200, headers: ["Content-Type": "text/plain", "ETag": "\"a\""])
    let modified = try #require(await modifier.modify(head, for: request))
    #expect(modified.mimeType == "image/png")
    #expect(modified.headers["X-A"] == "1")
    #expect(modified.headers["ETag"] == "\"a\"")
    #expect(modified.headers.values(of: "Content-Type").count == 1)
    let other: any ResponseModifier = .fields(["X-A": "1"])
    #expect(modifier.cacheIdentity != other.cacheIdentity)
  }

  @Test(arguments: [
    ("image/png", true), ("image/webp; q=1", true), ("IMAGE/PNG", true), ("text/html", false), ("imagery/png", false),
    (nil, false),
  ])
  func onlyWantedTypesPass(type: String?, passes: Bool) async {
    let modifier: any ResponseModifier = .requiringContentType("image/*", "application/octet-stream")
    let head = ResponseHead(status: 200, headers: type.map { ["Content-Type": $0] } ?? [:])
    if passes {
      await #expect(throws: Never.self) { try await modifier.modify(head, for: request) }
    } else {
      let error = await #expect(throws: ImageError.self) { try await modifier.modify(head, for: request) }
      #expect(error?.code == .badContentType)
    }
  }

  @Test func statusesAreReadAsOthersAnd304Never() async throws {
    let modifier: any ResponseModifier = .readingStatuses([202: 200, 304: 200, 404: 304])
    func read(_ status: Int?) async throws -> Int? {
      try await modifier.modify(ResponseHead(status: status), for: request)?.status
    }
    #expect(try await read(202) == 200)
    #expect(try await read(404) == 404)
    #expect(try await read(304) == 304)
    #expect(try await read(500) == 500)
    #expect(try await read(nil) == nil)
    #expect(modifier.cacheIdentity == .named("statuses-202:200"))
  }

  @Test func base64KeepsItsContract() async {
    let plain = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let samples = [
      (encrypted: Array(Data(plain).base64EncodedString().utf8), plain: plain),
      (encrypted: Array("AQID".utf8), plain: [1, 2, 3]),
    ]
    #expect(await DecryptorContract(.base64, samples: samples).check() == [])
  }

  @Test(
    arguments: [
      ("AQID", [1, 2, 3]), (" A\r\nQ I\tD\n", [1, 2, 3]), ("_-8=", [255, 239]), ("/+8", [255, 239]), ("AQ", [1]),
      ("AQ==", [1]), ("", []),
    ] as [(String, [UInt8])])
  func base64TakesBothAlphabetsWithPaddingOrWithout(text: String, bytes: [UInt8]) async throws {
    let decryptor: any Decryptor = .base64
    let plain = try await decryptor.decrypt(ImageBytes(Array(text.utf8)), head: ResponseHead())
    #expect(try plain.data() == Data(bytes))
  }

  @Test(arguments: ["A", "AQIDA", "AQ=", "A===", "AQ==AQ==", "AQ!D", "<html>", "A\u{0}ID"])
  func whatIsNotBase64IsBadImageData(text: String) async {
    let decryptor: any Decryptor = .base64
    let error = await #expect(throws: ImageError.self) {
      try await decryptor.decrypt(ImageBytes(Array(text.utf8)), head: ResponseHead())
    }
    #expect(error?.code == .badImageData)
  }

  @Test func aBodyInBase64IsLoaded() async throws {
    let (loader, url) = (FakeLoader(), URL(string: "http://a/b")!)
    let picture = ToyImage(width: 3, height: 2)
    loader.script(url, .body(Array(Data(picture.bytes).base64EncodedString().utf8)))
    let manager = ImageManager(
      ImageManager.Configuration(loader: loader, coder: CoderRegistry([ToyCoder()]), cache: TieredCache()))
    let image = try await manager.image(for: url, context: [.decryptor(.base64)])
    #expect(image.bitmap == (try picture.expectedBitmap()))
  }
}
