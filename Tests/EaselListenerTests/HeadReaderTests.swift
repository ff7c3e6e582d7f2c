import EaselCore
import EaselListener
import EaselTestSupport
import Testing

struct HeadReaderTests {
  @Test func aHeadIsTakenApart() throws {
    let bytes = Array(
      "GET /a%2Fb?c=%41 HTTP/1.1\r\nHost: pictures.example:8080\r\nX-Two: a\t b \r\nx-two:\r\n\r\nGET".utf8)
    let (head, length) = try #require(read(bytes).head)
    #expect(head.method == "GET")
    #expect(head.target == "/a%2Fb?c=%41")
    #expect(head.headers.fields.map(\.name) == ["Host", "X-Two", "x-two"])
    #expect(head.headers.fields.map(\.value) == ["pictures.example:8080", "a\t b", ""])
    #expect(head.isCurrentVersion && head.keepsAlive)
    #expect(length == bytes.count - 3)
  }

  @Test(arguments: HeadSample.accepted)
  func whatIsAllowedIsAccepted(_ sample: HeadSample) throws {
    let (head, length) = try #require(read(sample.bytes).head, "\(sample)")
    #expect(length == sample.bytes.count)
    #expect(head.target == sample.target)
  }

  @Test(arguments: HeadSample.accepted + HostileRequest.all.map { HeadSample($0.name, $0.bytes) })
  func everySplitGivesTheSame(_ sample: HeadSample) {
    let whole = read(sample.bytes)
    for split in sample.bytes.indices where sample.bytes.count < 2000 || split % 97 == 0 {
      var reader = HeadReader()
      let first = reader.readArray(Array(sample.bytes[..<split]))
      // What is refused at the first piece is refused for the same reason as a whole.
      let result = first == .incomplete ? reader.readArray(sample.bytes) : first
      #expect(result == whole, "split at \(split) of \(sample)")
    }
  }

  @Test(arguments: HeadSample.accepted + HostileRequest.all.map { HeadSample($0.name, $0.bytes) })
  func singleBytesGiveTheSame(_ sample: HeadSample) {
    guard sample.bytes.count < 2000 else { return }
    var reader = HeadReader()
    var result = HeadReader.Result.incomplete
    for end in sample.bytes.indices {
      result = reader.readArray(Array(sample.bytes[...end]))
      if result != .incomplete { break }
    }
    #expect(result == read(sample.bytes))
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false), ("HTTP/1.1", "Connection: CLOSE\r\n", false),
    ("HTTP/1.1", "Connection: te, close\r\n", false), ("HTTP/1.1", "Connection: keep-alive\r\n", true),
    ("HTTP/1.1", "Connection: te\r\nConnection: close\r\n", false), ("HTTP/1.0", "", false),
    ("HTTP/1.0", "Connection: keep-alive\r\n", true), ("HTTP/1.0", "Connection: Keep-Alive, te\r\n", true),
    ("HTTP/1.0", "Connection: keep-alive, close\r\n", false), ("HTTP/1.1", "Connection: closed\r\n", true),
  ])
  func theConnectionIsKeptAsTheClientAsks(_ version: String, _ fields: String, _ keepsAlive: Bool) throws {
    let (head, _) = try #require(read(Array("GET / \(version)\r\nHost: a\r\n\(fields)\r\n".utf8)).head)
    #expect(head.keepsAlive == keepsAlive)
    #expect(head.isCurrentVersion == (version == "HTTP/1.1"))
  }

  @Test func aHeadMayBeAsLargeAsTheLimit() throws {
    var limits = HeadLimits()
    limits.headBytes = 100
    let filled = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8)
    let end = Array("\r\n\r\n".utf8)
    let fits = filled + [UInt8](repeating: 0x61, count: 100 - filled.count - end.count) + end
    #expect(read(fits, limits).head?.length == 100)
    let larger = filled + [UInt8](repeating: 0x61, count: 101 - filled.count - end.count) + end
    #expect(read(larger, limits).fault?.status == 431)
    // It is refused as soon as it cannot end any more, and not when it ends.
    #expect(read(Array(larger[..<100]), limits).fault?.status == 431)
    #expect(read(Array(larger[..<99]), limits) == .incomplete)
  }

  @Test func aTargetMayBeAsLongAsTheLimit() {
    var limits = HeadLimits()
    limits.targetBytes = 20
    let target = "/" + String(repeating: "a", count: 19)
    #expect(read(Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8), limits).head?.head.target == target)
    #expect(read(Array("GET \(target)a HTTP/1.1\r\nHost: a\r\n\r\n".utf8), limits).fault?.status == 414)
  }

  @Test func fieldsAreCounted() {
    var limits = HeadLimits()
    limits.fields = 3
    let fields = "Host: a\r\nB: b\r\nC: c\r\n"
    #expect(read(Array("GET / HTTP/1.1\r\n\(fields)\r\n".utf8), limits).head != nil)
    #expect(read(Array("GET / HTTP/1.1\r\n\(fields)D: d\r\n\r\n".utf8), limits).fault?.status == 431)
  }

  @Test func otherMethodsCanBeAllowed() {
    var limits = HeadLimits()
    limits.methods = ["GET", "PURGE"]
    #expect(read(Array("PURGE /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8), limits).head?.head.method == "PURGE")
    #expect(read(Array("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8), limits).fault?.status == 405)
    // Methods have a case.
    #expect(read(Array("get /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8), limits).fault?.status == 405)
  }

  @Test func onlyTokensAreNames() {
    let tokens = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: ":") && byte != 0x0D {
      let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [byte] + Array("Y: b\r\n\r\n".utf8)
      #expect((read(bytes).head != nil) == tokens.contains(byte), "byte \(byte)")
    }
  }

  @Test func onlyPrintedBytesAndTabsAreInValues() {
    for byte in UInt8.min...UInt8.max where byte != 0x0D {
      let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: a".utf8) + [byte] + Array("b\r\n\r\n".utf8)
      let isAllowed = byte == 0x09 || byte >= 0x20 && byte < 0x7F
      #expect((read(bytes).head != nil) == isAllowed, "byte \(byte)")
    }
  }

  @Test func onlyVisibleBytesAreInTargets() {
    for byte in UInt8.min...UInt8.max where byte != 0x0D {
      let bytes = Array("GET /a".utf8) + [byte] + Array("b HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      #expect((read(bytes).head != nil) == (byte > 0x20 && byte < 0x7F), "byte \(byte)")
    }
  }

  @Test func changedHeadsNeverConfuseTheReader() {
    var random = SeededRandom(seed: 7)
    let samples = HeadSample.accepted.map(\.bytes).filter { $0.count < 2000 }
    for _ in 0..<4000 {
      var bytes = samples.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let whole = read(bytes)
      if let (head, length) = whole.head {
        #expect(length <= bytes.count)
        #expect(head.headers.fields.allSatisfy { $0.value.isFieldText || $0.value.utf8.contains(0x09) })
      }
      var reader = HeadReader()
      let split = Int.random(in: bytes.indices, using: &random)
      let first = reader.readArray(Array(bytes[..<split]))
      #expect((first == .incomplete ? reader.readArray(bytes) : first) == whole)
    }
  }

  private func read(_ bytes: [UInt8], _ limits: HeadLimits = HeadLimits()) -> HeadReader.Result {
    var reader = HeadReader()
    return bytes.withUnsafeBytes { reader.read($0, limits) }
  }
}

extension HeadReader {
  fileprivate mutating func readArray(_ bytes: [UInt8]) -> Result {
    bytes.withUnsafeBytes { read($0, HeadLimits()) }
  }
}

extension HeadReader.Result {
  fileprivate var head: (head: RequestHead, length: Int)? {
    if case .head(let head, let length) = self { return (head, length) }
    return nil
  }

  fileprivate var fault: HeadFault? {
    if case .refused(let fault) = self { return fault }
    return nil
  }
}
