import EaselTestSupport
import Testing

@testable import EaselCurl

struct ResponseLinesTests {
  private static func lines(_ text: String) -> ResponseLines? {
    text.withCString { ResponseLines(UnsafeBufferPointer(start: $0, count: text.utf8.count)) }
  }

  @Test func fieldsKeepOrderSpellingAndRepetition() throws {
    let lines = try #require(
      Self.lines("HTTP/1.1 200 OK\r\nServer: nginx\r\nset-cookie: a=1\r\nSet-Cookie:b=2\r\nETag:  \"x: y\" \t\r\n"))
    #expect(lines.status == 200)
    #expect(lines.headers.fields.map(\.name) == ["Server", "set-cookie", "Set-Cookie", "ETag"])
    #expect(lines.headers.fields.map(\.value) == ["nginx", "a=1", "b=2", "\"x: y\""])
  }

  @Test(arguments: [
    ("HTTP/1.1 404 Not Found\r\n", 404), ("HTTP/2 301\r\n", 301), ("HTTP/1.0 200\n", 200), ("HTTP/1.1  503 ", 503),
    ("\nHTTP/1.1 200 OK", 200),
  ])
  func statusIsThreeDigits(text: String, status: Int) { #expect(Self.lines(text)?.status == status) }

  @Test(arguments: [
    "", "\r\n", "HTTP", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 abc", "ICY 200 OK",
  ])
  func withoutAStatusItIsNoHead(text: String) { #expect(Self.lines(text) == nil) }

  @Test func aFoldedValueIsOneLine() throws {
    let lines = try #require(
      Self.lines("HTTP/1.1 200 OK\r\n lost\r\nA: one\r\n  two \r\n\tthree\r\n \r\nB: four\r\n"))
    #expect(lines.headers.fields.map(\.name) == ["A", "B"])
    #expect(lines.headers["A"] == "one two three")
    #expect(lines.headers["B"] == "four")
  }

  @Test func linesThatAreNoFieldsAreLeftOut() throws {
    let lines = try #require(Self.lines("HTTP/1.1 200 OK\r\nnonsense\r\n: empty\r\n\r\n  : blank\r\nA:\r\nB"))
    #expect(lines.headers.fields.map(\.name) == ["A"])
    #expect(lines.headers["A"] == "")
  }

  @Test func aValueThatIsNoUTF8IsLatin1() {
    func value(_ bytes: [UInt8]) -> String? {
      let head = Array("HTTP/1.1 200 OK\r\nA: ".utf8) + bytes + [13, 10]
      return head.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { ResponseLines($0)?.headers["A"] }
    }
    #expect(value([0x61, 0xe9]) == "a\u{e9}")
    #expect(value([0x61, 0xe8]) == "a\u{e8}")
    #expect(value([0xc3, 0xa9]) == "\u{e9}")
    #expect(value([0xc3, 0xa9, 0xff]) == "\u{c3}\u{a9}\u{ff}")
  }

  @Test func lengthPackingAndTargetAreNoticedInAnySpelling() throws {
    let plain = try #require(Self.lines("HTTP/1.1 302 Found\r\nCONTENT-LENGTH: 12\r\nLocation: /x\r\n"))
    #expect(plain.length == 12)
    #expect(plain.isRedirect)
    let packed = try #require(
      Self.lines("HTTP/1.1 200 OK\r\nContent-Length: 12\r\ncontent-encoding: gzip\r\nContent-Encoding: br\r\n"))
    #expect(packed.length == nil)
    #expect(packed.announcedLength == 12)
    #expect(packed.packing == "gzip, br")
    let chunked = try #require(Self.lines("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n"))
    #expect(chunked.length == nil)
    #expect(Self.lines("HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\n")?.packing == nil)
    #expect(chunked.announcedLength == nil && chunked.hasTwoEnds)
    #expect(Self.lines("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n")?.framingFault == .length)
    let alike = try #require(Self.lines("HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\nContent-Length: 1\r\n"))
    #expect(alike.framingFault == nil && alike.announcedLength == 1)
  }

  /// The bytes end where their memory ends, so that AddressSanitizer detects a read beyond them.
  @Test func anyBytesAreReadWithoutLookingBeyondThem() {
    var random = SeededRandom(seed: 7)
    let pieces = ["HTTP/1.1 200 OK", "\r\n", "\n", " ", "\t", ":", "A", "Content-Length", "\0", "\r", "é", "12"]
    for _ in 0..<5000 {
      let count = Int.random(in: 0..<12, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
      let bytes = (Bool.random(using: &random) ? "HTTP/1.1 200 OK\r\n" : "") + text
      let memory = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.utf8.count)
      defer { memory.deallocate() }
      _ = memory.initialize(from: bytes.utf8.map { CChar(bitPattern: $0) })
      guard let lines = ResponseLines(UnsafeBufferPointer(memory)) else { continue }
      #expect(lines.status == 200)
      for field in lines.headers.fields {
        #expect(!field.name.isEmpty && !field.name.contains(":"))
        #expect(!field.value.utf8.contains(10))
      }
    }
  }
}
