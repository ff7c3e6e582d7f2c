import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Heads that contradict themselves or contain unrequested answers.
@Suite(.tags(.alone))
struct LyingHeadTests {
  /// Returns the end of a load of this script; another load after it must succeed.
  private func end(
    of script: ServerScript, headers: HTTPHeaders = [:], byteLimit: Int = 100 << 20
  ) async throws -> (failure: ImageError?, sink: KeepingSink, requests: Int) {
    let server = try ScriptableServer(routes: ["/a": .always(script), "/good": .always(.reply(body: [1, 2, 3]))])
    defer { server.close() }
    let sink = KeepingSink()
    let failure = try await withLoader({ $0.maximumResumptions = 0 }) { loader in
      let request = LoadRequest(url: server.url("/a"), headers: headers, byteLimit: byteLimit)
      let failure = await loader.failure(of: request, sink: sink)
      let good = try await loader.body(server.url("/good")).sink
      #expect(good.body == [1, 2, 3])
      return failure
    }
    return (failure, sink, server.requests(for: "/a").count)
  }

  private func isGivenUp(_ failure: ImageError?) -> Bool {
    guard let failure else { return false }
    let request = LoadRequest(url: URL(string: "http://a/b")!)
    return ExponentialBackoff().decision(after: failure, attempt: 1, request: request) == .giveUp
  }

  @Test(arguments: [
    "5\r\nContent-Length: 6", "6\r\nContent-Length: 5", "5, 6", "5,6", "+5", "-5", "5 5", "5;", "0x5", "5.0", "five",
    "", ",", "99999999999999999999", "5\r\nContent-Length: +5", "5\r\nContent-Length:",
  ])
  func aLengthThatIsNoneOrTwoIsRefused(length: String) async throws {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabcdef"
    let (failure, sink, requests) = try await end(of: [.text(text), .close])
    #expect(failure?.code == .network, "\(failure as Any)")
    #expect(failure?.message.contains("Content-Length") == true || failure?.curlFailure != nil)
    #expect(isGivenUp(failure))
    #expect(sink.body.isEmpty && requests == 1)
  }

  @Test(arguments: ["5\r\nContent-Length: 5", "5, 5", "5 ,\t5", " 5 ", "05"])
  func aLengthThatIsSaidTwiceAlikeIsTaken(length: String) async throws {
    let (failure, sink, _) = try await end(
      of: ServerScript([.text("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabcde")], keepsAlive: true))
    #expect(failure == nil)
    #expect(sink.body == Array("abcde".utf8))
    #expect(sink.head?.expectedLength == 5)
  }

  /// curl does not recognise these fields, so it would take the chunk framing, or everything that comes, for the
  /// picture.
  @Test(arguments: [
    "Content-Length : 5", "Content-Length\t: 5", "Content-Length:\r\n 5", "Content-Length: 5\r\n ",
    "content-length : 5\r\nContent-Length: 5", "Content-Length: 5\r\nCONTENT-LENGTH : 5",
    "Transfer-Encoding : chunked", "transfer-encoding\t:chunked", "Transfer-Encoding:\r\n chunked",
    "Transfer-Encoding:\r\n\tchunked", "Transfer-Encoding: chunked\r\n ", "Transfer-Encoding : identity",
  ])
  func aFieldThatNotEverybodyReadsIsRefusedWhereItSaysWhereTheBodyEnds(field: String) async throws {
    let isChunked = field.lowercased().contains("chunked")
    let body = isChunked ? [ServerStep.chunk(Array("abcde".utf8)), .chunk([])] : [.text("abcde")]
    let (failure, sink, requests) = try await end(
      of: ServerScript([.text("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")] + body + [.close]))
    #expect(failure?.code == .network, "\(failure as Any)")
    #expect(failure?.message.contains(isChunked ? "Transfer-Encoding" : "Content-Length") == true)
    #expect(isGivenUp(failure))
    #expect(sink.heads.isEmpty && requests == 1)
  }

  @Test func otherFieldsMayBeWrittenLikeThat() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Type : image/png\r\nX-Long: one\r\n two\r\nContent-Length: 5\r\n\r\nabcde"
    let (failure, sink, _) = try await end(of: ServerScript([.text(head)], keepsAlive: true))
    #expect(failure == nil && sink.body == Array("abcde".utf8))
    #expect(sink.head?.headers["Content-Type"] == "image/png" && sink.head?.headers["X-Long"] == "one two")
  }

  @Test func chunksCountMoreThanALengthAndEndTheConnection() async throws {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"
    let server = try ScriptableServer(routes: [
      "/a": .always(ServerScript([.text(text)], keepsAlive: true)), "/good": .always(.reply(body: [1])),
    ])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == Array("abcde".utf8) && sink.head?.expectedLength == nil)
      _ = try await loader.body(server.url("/good"))
    }
    #expect(server.connectionCount == 2)
  }

  /// curl would decode all of these, or take their framing for the body.
  @Test(arguments: [
    "gzip, chunked", "gzip", "deflate", "br", "x-gzip, chunked", "chunked, identity", "identity, chunked",
    "chunked, gzip", "chunked, chunked", "chunked\r\nTransfer-Encoding: chunked",
    "chunked\r\nTransfer-Encoding: identity",
    "identity\r\nTransfer-Encoding: identity", "chunked;q=1", "xchunked", "", ",", "chunked,",
  ])
  func aTransferCodingThatNobodyAskedForIsRefused(coding: String) async throws {
    // A gzip file without its end, and chunks followed by more bytes.
    let packed = Array(Gzip.stored(ServerBody.bytes(500)).dropLast(100))
    let body = coding.contains("chunked") ? [ServerStep.chunk(packed), .chunk([]), .text("more")] : [.send(packed)]
    let head = ServerStep.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n")
    let (failure, sink, requests) = try await end(of: ServerScript([head] + body + [.close]))
    #expect(failure?.code == .network, "\(failure as Any)")
    #expect(failure?.message.contains("Transfer-Encoding") == true)
    #expect(isGivenUp(failure))
    #expect(sink.heads.isEmpty && requests == 1)
  }

  @Test(arguments: ["Chunked", "CHUNKED ", "\tchunked"])
  func theOneTransferCodingIsReadInAnySpelling(coding: String) async throws {
    let head = ServerStep.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n")
    let (failure, sink, _) = try await end(
      of: ServerScript([head, .chunk(Array("abcde".utf8)), .chunk([])], keepsAlive: true))
    #expect(failure == nil && sink.body == Array("abcde".utf8))
  }

  @Test func aTransferCodingThatDoesNothingLeavesTheLengthAsItIs() async throws {
    for (sent, code) in [("abcde", nil), ("abc", ImageError.Code.truncatedBody)] {
      let (failure, sink, _) = try await end(
        of: [.text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: Identity\r\n\r\n\(sent)"), .close])
      #expect(failure?.code == code)
      #expect(sink.body == Array(sent.utf8) && sink.head?.expectedLength == 5)
    }
  }

  @Test func aPartThatTheCallerAskedForIsItsOwnBusiness() async throws {
    let script = ServerScript.reply(206, headers: [("Content-Range", "bytes 0-4/10")], body: Array("abcde".utf8))
    let (failure, sink, _) = try await end(of: script, headers: ["Range": "bytes=0-4"])
    #expect(failure == nil)
    #expect(sink.body == Array("abcde".utf8) && sink.head?.status == 206)
  }

  @Test func anotherProtocolThatNobodyAskedForIsRefused() async throws {
    let text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: chaos\r\nConnection: Upgrade\r\n\r\nbytes of chaos"
    let (failure, sink, _) = try await end(of: [.text(text), .close])
    #expect(failure?.code == .network)
    #expect(failure?.message.contains("101") == true && failure?.message.contains("protocol") == true)
    #expect(isGivenUp(failure))
    #expect(sink.body.isEmpty)
  }

  @Test func headsThatOnlyAnnounceAnotherEndAtTheLimit() async throws {
    let early = Array(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n", count: 4000).joined()
    let (failure, _, _) = try await end(of: [.text(early), .text("HTTP/1.1 200 OK\r\n\r\nabc"), .close])
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message.contains("head of the response") == true)
  }

  @Test func aLineOfAHeadThatIsTooLongIsSaidToBeSo() async throws {
    let line = String(repeating: "x", count: 120_000)
    let (failure, _, _) = try await end(of: [.text("HTTP/1.1 200 OK\r\nX-Long: \(line)\r\n\r\n"), .close])
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message.contains("line") == true && failure?.message.contains("memory") == false)
    #expect(isGivenUp(failure))
  }

  @Test func aBodyBehindAStatusWithoutOneIsNotTaken() async throws {
    for status in [204, 304] {
      let (failure, sink, _) = try await end(
        of: [.text("HTTP/1.1 \(status) Status\r\nContent-Length: 5\r\n\r\nabcde"), .close])
      #expect(failure == nil)
      #expect(sink.body.isEmpty && sink.head?.status == status && sink.head?.expectedLength == nil)
    }
  }

  @Test(arguments: [
    "5;ext=\"a\r\nabcde\r\n0\r\n\r\n", "5;\(String(repeating: "x", count: 9000))\r\nabcde\r\n0\r\n\r\n",
  ])
  func extensionsOfChunksAreLeftOut(chunks: String) async throws {
    let (failure, sink, _) = try await end(
      of: [.head(200, [("Transfer-Encoding", "chunked")]), .text(chunks), .close])
    #expect(failure == nil)
    #expect(sink.body == Array("abcde".utf8))
  }

  /// curl reports these bytes to nobody.
  @Test func bytesAroundABodyCountAgainstTheLimit() async throws {
    let chunks = String(repeating: "1;\(String(repeating: "x", count: 16_000))\r\na\r\n", count: 1000) + "0\r\n\r\n"
    let (failure, sink, _) = try await end(
      of: [.head(200, [("Transfer-Encoding", "chunked")]), .text(chunks), .close], byteLimit: 1 << 20)
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message.contains("outside the body") == true)
    #expect(sink.count < 1000)
  }

  @Test func trailersChangeNothingOfTheHead() async throws {
    let chunks = "5\r\nabcde\r\n0\r\nETag: \"planted\"\r\nContent-Length: 1\r\nLocation: /b\r\n\r\n"
    let (failure, sink, _) = try await end(
      of: [.head(200, [("Transfer-Encoding", "chunked"), ("ETag", "\"one\"")]), .text(chunks), .close])
    #expect(failure == nil)
    #expect(sink.body == Array("abcde".utf8) && sink.heads.count == 1)
    #expect(sink.head?.headers["ETag"] == "\"one\"" && sink.head?.headers["Location"] == nil)
  }

  @Test func aTrailerThatIsTooLongIsSaidToBeSo() async throws {
    let trailer = "X-Long: \(String(repeating: "x", count: 9000))\r\n\r\n"
    let (failure, _, _) = try await end(
      of: [.head(200, [("Transfer-Encoding", "chunked")]), .text("5\r\nabcde\r\n0\r\n" + trailer), .close])
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message.contains("line") == true && failure?.message.contains("memory") == false)
    #expect(isGivenUp(failure))
  }

  @Test(arguments: ["Location: ftp://", "Location: http://[", "Location: /b\r\nLocation: /", "Content-Encoding: "])
  func whatAServerWroteIsNotTakenIntoMessagesWhole(beginning: String) async throws {
    let text = beginning + String(repeating: "x", count: 5000)
    let status = beginning.hasPrefix("Location") ? 302 : 200
    let (failure, _, _) = try await end(
      of: [.text("HTTP/1.1 \(status) Status\r\nContent-Length: 1\r\n\(text)\r\n\r\na"), .close])
    #expect(failure?.message.contains("xxx") == true)
    #expect(failure.map { $0.message.count < 400 } == true)
  }

  @Test func trailersWithoutEndAreOverTheLimit() async throws {
    let trailers = (0..<20_000).map { "X-\($0): filler\r\n" }.joined()
    let (failure, _, _) = try await end(
      of: [.head(200, [("Transfer-Encoding", "chunked")]), .text("5\r\nabcde\r\n0\r\n" + trailers), .close])
    #expect(failure?.code == .limitExceeded)
  }
}
