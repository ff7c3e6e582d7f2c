import EaselWire
import EaselTestSupport
import Testing

@testable import EaselMemcached

struct MemcachedReplyTests {
  /// The replies in some bytes, fed in pieces of this size.
  private func replies(_ text: String, pieces: Int = 1, largest: Int = 100) throws(WireError) -> [MemcachedReply] {
    var parser = MemcachedReplyParser(largestValue: largest)
    var replies: [MemcachedReply] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      var failure: WireError?
      bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { piece in
        do throws(WireError) { try parser.feed(piece) } catch { failure = error }
      }
      if let failure { throw failure }
      while let reply = try parser.next() { replies.append(reply) }
    }
    return replies
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func repliesInPieces(size: Int) throws {
    let text =
      "HD kname c12 W\r\nVA 5 kname t-1\r\n\r\nHD \r\nEN\r\nVA 0 k\r\n\r\nSERVER_ERROR out of memory\r\nNS\r\nEX\r\nNF\r\nMN\r\n"
    let found = try replies(text, pieces: size)
    #expect(found.map(\.code) == ["HD", "VA", "EN", "VA", "SERVER_ERROR out of memory", "NS", "EX", "NF", "MN"])
    #expect(found[0]["k"] == "name" && found[0]["c"] == "12" && found[0].has("W") && !found[0].has("Z"))
    #expect(found[1].value == Array("\r\nHD ".utf8) && found[1]["t"] == "-1" && found[3].value == [])
  }

  @Test(arguments: [
    "ERROR\r\n", "CLIENT_ERROR bad data chunk\r\n", "VA\r\n", "VA x\r\n", "VA -1\r\n\r\n", "VA 3\r\nabcdef\r\n", "\r\n",
    "\n",
    "HD\n", "VALUE a 0 1\r\n", "VA 99999999999999999999\r\n", "VA 101 k\r\n", "*1\r\n$3\r\nGET\r\n",
  ])
  func everythingElseEndsTheConnection(text: String) {
    #expect(throws: WireError.self) { try replies(text, pieces: 1000) }
    #expect(throws: WireError.self) { try replies(text) }
  }

  @Test func aLineWithoutAnEndTakesNoMemory() {
    #expect(throws: WireError.self) { try replies(String(repeating: "x", count: 1 << 20), pieces: 1 << 16) }
  }

  @Test func noiseCrashesNothing() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<2000 {
      let parts = ["VA ", "HD ", "EN", "\r\n", "5", " k", "abc", "\0", "999", "SERVER_ERROR "]
      let text = (0..<12).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
      _ = try? replies(text, pieces: 5)
    }
  }
}
