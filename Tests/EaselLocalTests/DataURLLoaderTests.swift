import EaselCore
import EaselTestSupport
import EaselWorkers
import FoundationEssentials
import Testing

@testable import EaselLocal

struct DataURLLoaderTests {
  private let loader = DataURLLoader()

  private func load(_ text: String, byteLimit: Int = 1 << 30) async throws -> (bytes: [UInt8], head: ResponseHead) {
    let url = try #require(URL(string: text))
    let result = try await loader.load(LoadRequest(url: url, byteLimit: byteLimit), into: RecordingSink())
    guard case .bytes(let bytes, let head) = result else { throw ImageError(.network, "\(result)") }
    #expect(head.expectedLength == bytes.count)
    #expect(head.url == url)
    return (try bytes.withUnsafeBytes { Array($0) }, head)
  }

  private func failure(_ text: String, byteLimit: Int = 1 << 30) async -> ImageError? {
    do {
      _ = try await load(text, byteLimit: byteLimit)
      return nil
    } catch {
      return error as? ImageError
    }
  }

  @Test func itKeepsTheContract() async throws {
    let samples = [0, 1, 2, 3, 20_000].flatMap { count in
      let body = ServerBody.bytes(count)
      let escaped = body.prefix(1000).map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
      return [
        ImageLoaderContract.Sample(
          URL(string: "data:image/png;base64," + Data(body).base64EncodedString())!, body: body),
        ImageLoaderContract.Sample(URL(string: "data:image/png," + escaped)!, body: Array(body.prefix(1000))),
      ]
    }
    let contract = ImageLoaderContract(
      loader, samples: samples, foreignURL: URL(string: "file:///data:,")!, failingURL: URL(string: "data:image/png")!)
    #expect(await contract.check() == [])
  }

  @Test(arguments: [
    ("data:,", "text/plain;charset=US-ASCII", ""),
    ("data:,Hello", "text/plain;charset=US-ASCII", "Hello"),
    ("DATA:,Hello", "text/plain;charset=US-ASCII", "Hello"),
    ("data:,a,b,c", "text/plain;charset=US-ASCII", "a,b,c"),
    ("data:,a?b=c", "text/plain;charset=US-ASCII", "a?b=c"),
    ("data:,visible#fragment", "text/plain;charset=US-ASCII", "visible"),
    ("data:,%41%2c%25", "text/plain;charset=US-ASCII", "A,%"),
    ("data:;charset=utf-8,x", "text/plain;charset=utf-8", "x"),
    ("data:nonsense,x", "text/plain;charset=US-ASCII", "x"),
    ("data:image/svg+xml;charset=utf-8;q=1,x", "image/svg+xml;charset=utf-8;q=1", "x"),
    ("data:base64,QUJD", "text/plain;charset=US-ASCII", "QUJD"),
    ("data:image/png;base64;x=1,QUJD", "image/png;base64;x=1", "QUJD"),
    ("data:image/png;base64,QUJD", "image/png", "ABC"),
    ("data:image/png;BASE64,QUJD", "image/png", "ABC"),
    ("data:image/png; base64 ,QUJD", "image/png", "ABC"),
    ("data:image/png;name=a;base64,QUJD", "image/png;name=a", "ABC"),
    ("data:;base64,", "text/plain;charset=US-ASCII", ""),
    ("data:;base64,QUI=", "text/plain;charset=US-ASCII", "AB"),
    ("data:;base64,QUI", "text/plain;charset=US-ASCII", "AB"),
    ("data:;base64,QQ==", "text/plain;charset=US-ASCII", "A"),
    ("data:;base64,QQ", "text/plain;charset=US-ASCII", "A"),
    ("data:;base64,QUJD%0aRE%0d%0a%20%09%0cVG", "text/plain;charset=US-ASCII", "ABCDEF"),
    ("data:;base64,%51%51%3D%3d", "text/plain;charset=US-ASCII", "A"),
    ("data:;base64,QUI%3D#x", "text/plain;charset=US-ASCII", "AB"),
  ])
  func itReadsWhatBrowsersRead(text: String, type: String, expected: String) async throws {
    let (bytes, head) = try await load(text)
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
    #expect(head.headers["Content-Type"] == type)
  }

  @Test func theStatedTypeIsTheHeads() async throws {
    let head = try await load("data:IMAGE/PNG;x=1;base64,QUJD").head
    #expect(head.mimeType == "image/png")
    #expect(head.status == nil)
  }

  @Test(arguments: ["data:", "data:image/png", "data:image/png;base64", "data:;base64%2CQUJD", "data:#,abc"])
  func withoutACommaItIsNoURL(text: String) async {
    let error = await failure(text)
    #expect(error?.code == .invalidURL)
    #expect(error?.message.contains("comma") == true)
  }

  @Test(arguments: [
    "Q", "QUJDR", "Q===", "====", "=", "QQ=", "QQ=Q", "QUI==", "QQ==QQ==", "Q%00Q=", "QU-_", "QU__", "QUJD!", "Q,==",
    "%ff%ff%ff%ff", "QQ%3D",
    "%51%55%4a%44%3D%3d",
  ])
  func whatIsNoBase64IsRefused(text: String) async {
    let error = await failure("data:image/png;base64,\(text)")
    #expect(error?.code == .badImageData)
    #expect(error?.message.contains("base64") == true)
  }

  @Test(arguments: [
    ("data:;base64,QUJDREVG", 6), ("data:;base64,QUJDREU=", 5), ("data:;base64,QUJDREU", 5),
    ("data:;base64,QUJDRA%3d%3d", 4), ("data:;base64,QUJD%0a%0a%0a%0aRA==", 4), ("data:,abcdef", 6),
    ("data:,%61%62%63", 3),
  ])
  func theLimitIsForTheBytesThatComeOut(text: String, count: Int) async throws {
    #expect(try await load(text, byteLimit: count).bytes.count == count)
    let error = await failure(text, byteLimit: count - 1)
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("\(count) bytes") == true)
  }

  @Test func theLimitIsCheckedBeforeAnythingIsDecoded() async throws {
    // Neither URL is valid, but nothing has parsed them yet.
    for text in [
      "data:;base64," + String(repeating: "!", count: 4000), "data:;base64,%00" + String(repeating: "A", count: 4000),
    ] {
      #expect(await failure(text, byteLimit: 100)?.code == .limitExceeded)
    }
  }

  @Test func aLongURLIsNotRepeatedInErrors() async throws {
    let text = "data:image/png;base64," + String(repeating: "A", count: 100_001)
    let error = try #require(await failure(text))
    #expect(error.code == .badImageData)
    #expect("\(error)".utf8.count < 300)
    #expect(error.subject?.hasPrefix("data:image/png;base64,AAA") == true)
  }

  @Test func megabytesAreRead() async throws {
    let body = ServerBody.bytes(3 << 20)
    let text = Data(body).base64EncodedString()
    #expect(try await load("data:image/png;base64," + text).bytes == body)
  }

  @Test func theKeyIsAHash() throws {
    let url = try #require(URL(string: "data:,abc"))
    let origin = loader.origin(of: url)
    // printf 'data:,abc' | sha256sum
    #expect(origin.key == "data:e0147ac4b65900c17399766e0eb605e19fbc36b907c6fa3fa04b51e9f1c5d436")
    #expect(origin.cacheIdentity == .plain)
    #expect(origin.diskUse == .nothing)
    #expect(loader.origin(of: try #require(URL(string: "data:,abd"))).key != origin.key)
  }

  @Test func decodingHappensOnWorkers() async throws {
    let workers = WorkerSet(threads: 1)
    let gate = Gate()
    workers.start(at: LoadPriority.Live()) { gate.pass() }
    await gate.waitForWaiters()
    let loader = DataURLLoader(workers: workers)
    let load = Task {
      try await loader.load(LoadRequest(url: URL(string: "data:,a")!), into: RecordingSink())
    }
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    gate.open()
  }
}
