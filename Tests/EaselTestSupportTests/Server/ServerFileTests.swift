import EaselCore
import EaselTestSupport
import EaselTestTags
import Testing

@Suite(.tags(.alone))
struct ServerFileTests {
  private static let date = "Wed, 21 Oct 2015 07:28:00 GMT"
  private let body = ServerBody.bytes(100)

  private func get(_ file: ServerFile, method: String = "GET", _ headers: String...) async throws -> RawClient.Answer {
    let server = try ScriptableServer(routes: ["/": .file(file)])
    defer { server.close() }
    return try await RawClient.get("/", from: server.port, method: method, headers: headers)
  }

  private var file: ServerFile { ServerFile(body, contentType: "image/png", etag: "\"a\"", lastModified: Self.date) }

  @Test func theWholeComesWithItsValidators() async throws {
    let answer = try await get(file)
    #expect(answer.status == 200)
    #expect(answer.body == body)
    #expect(answer.header("ETag") == "\"a\"")
    #expect(answer.header("Last-Modified") == Self.date)
    #expect(answer.header("Content-Type") == "image/png")
    #expect(answer.header("Accept-Ranges") == "bytes")
  }

  @Test func headHasNoBody() async throws {
    let answer = try await get(file, method: "HEAD")
    #expect(answer.header("Content-Length") == "100")
    #expect(answer.body.isEmpty)
  }

  @Test(arguments: ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"])
  func aKnownTagIsUnchanged(tag: String) async throws {
    let answer = try await get(file, "If-None-Match: \(tag)")
    #expect(answer.status == 304)
    #expect(answer.body.isEmpty)
    #expect(answer.header("ETag") == "\"a\"")
  }

  @Test func anotherTagIsTheWhole() async throws {
    // If there is a tag, the date is ignored.
    let answer = try await get(file, "If-None-Match: \"b\"", "If-Modified-Since: \(Self.date)")
    #expect(answer.status == 200)
  }

  @Test func aKnownDateIsUnchanged() async throws {
    #expect(try await get(file, "If-Modified-Since: \(Self.date)").status == 304)
    #expect(try await get(file, "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT").status == 200)
  }

  @Test(arguments: [
    ("bytes=10-19", 10..<20), ("bytes=90-", 90..<100), ("bytes=-5", 95..<100), ("bytes=99-500", 99..<100),
    ("bytes=-500", 0..<100),
  ])
  func aPartIsCutOut(range: String, expected: Range<Int>) async throws {
    let answer = try await get(file, "Range: \(range)")
    #expect(answer.status == 206)
    #expect(answer.body == Array(body[expected]))
    #expect(answer.header("Content-Range") == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/100")
  }

  @Test(arguments: ["bytes=100-", "bytes=200-300"])
  func aPartBeyondTheEndIsRefused(range: String) async throws {
    let answer = try await get(file, "Range: \(range)")
    #expect(answer.status == 416)
    #expect(answer.header("Content-Range") == "bytes */100")
  }

  @Test(arguments: ["lines=1-2", "bytes=5-2", "bytes=a-b", "bytes=1-2,4-5", "bytes=-"])
  func aRangeThatIsNoneIsIgnored(range: String) async throws {
    let answer = try await get(file, "Range: \(range)")
    #expect(answer.status == 200)
    #expect(answer.body == body)
  }

  @Test(arguments: [("\"a\"", 206), ("\"b\"", 200), ("W/\"a\"", 200), (date, 206)])
  func aPartMayHangOnAValidator(condition: String, status: Int) async throws {
    #expect(try await get(file, "Range: bytes=1-", "If-Range: \(condition)").status == status)
  }

  @Test func rangesCanBeIgnored() async throws {
    var file = file
    file.offersRanges = false
    let answer = try await get(file, "Range: bytes=1-2")
    #expect(answer.status == 200)
    #expect(answer.body == body)
    #expect(answer.header("Accept-Ranges") == nil)
  }

  @Test func aFileThatChangesIsAnotherOneEachTime() async throws {
    let server = try ScriptableServer(routes: ["/": .fileThatChanges(file)])
    defer { server.close() }
    for visit in 0..<3 {
      let known = "If-None-Match: \"version-\(visit - 1)\""
      let answer = try await RawClient.get("/", from: server.port, headers: [known])
      #expect(answer.status == 200)
      #expect(answer.header("ETag") == "\"version-\(visit)\"")
    }
  }
}
