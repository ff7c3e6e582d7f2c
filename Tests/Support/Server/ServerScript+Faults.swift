extension ServerScript {
  /// A body of other length than announced: a shorter one ends with the connection, a longer one goes on beyond.
  public static func wrongLength(announced: Int, sent: Int) -> ServerScript {
    [.announcing(announced), .body(count: sent)]
  }

  /// The connection is reset after so many bytes of the body.
  public static func resetting(after sent: Int, of announced: Int) -> ServerScript {
    [.announcing(announced), .body(count: sent), .reset]
  }

  /// Nothing more comes after so many bytes of the body; the connection stays.
  public static func stalling(after sent: Int, of announced: Int) -> ServerScript {
    [.announcing(announced), .body(count: sent), .waitForHangup]
  }

  /// An answer without status line and header fields.
  public static var junk: ServerScript { [.text("\u{7f}ELF this is no answer of any protocol\r\n\r\n"), .close] }

  /// Header fields of so many bytes in all, then an empty body.
  public static func hugeHead(bytes: Int = 300_000) -> ServerScript {
    let line = 1000
    let fields = (0..<max(1, bytes / line)).map { number in
      let name = "X-Filler-\(number)"
      return (name, String(repeating: "x", count: line - name.utf8.count - 4))
    }
    return .reply(headers: fields)
  }

  /// A header field with a null byte in its value.
  public static var nullInHead: ServerScript {
    [.text("HTTP/1.1 200 OK\r\nX-Null: before\0after\r\nContent-Length: 2\r\n\r\nok")]
  }

  /// What can be wrong with a body in chunks.
  public enum ChunkFault: String, CaseIterable, Sendable {
    /// A chunk announces more than comes before the connection ends.
    case sizeTooLarge
    /// A chunk announces less than comes.
    case sizeTooSmall
    /// A size is no number.
    case sizeIsNoNumber
    /// A size does not fit into 64 bits.
    case sizeOverflows
    /// A size is negative.
    case sizeIsNegative
    /// The last chunk never comes.
    case noEnd
  }

  /// A body in chunks that are not as they say.
  public static func chunked(with fault: ChunkFault) -> ServerScript {
    let head = ServerStep.head(200, [("Transfer-Encoding", "chunked")])
    let good = ServerStep.chunk(ServerBody.bytes(100))
    return switch fault {
    case .sizeTooLarge: [head, good, .text("ff\r\nshort\r\n0\r\n\r\n")]
    case .sizeTooSmall: [head, good, .text("2\r\nlonger than two\r\n0\r\n\r\n")]
    case .sizeIsNoNumber: [head, good, .text("many\r\nbytes\r\n0\r\n\r\n")]
    case .sizeOverflows: [head, good, .text("fffffffffffffffff\r\nbytes\r\n0\r\n\r\n")]
    case .sizeIsNegative: [head, good, .text("-5\r\nbytes\r\n0\r\n\r\n")]
    case .noEnd: [head, good]
    }
  }

  /// What can be wrong with a body in gzip.
  public enum GzipFault: String, CaseIterable, Sendable {
    /// It is no gzip at all.
    case notGzip
    /// A bit is wrong in the middle.
    case damaged
    /// The check sum is wrong.
    case wrongChecksum
    /// It ends in the middle, and the length says so.
    case truncated
  }

  /// A body in gzip that does not unpack.
  public static func gzip(with fault: GzipFault) -> ServerScript {
    let whole = Gzip.stored(ServerBody.bytes(2000))
    var body = whole
    switch fault {
    case .notGzip: body = ServerBody.bytes(2000)
    // The block's length no longer agrees with its complement.
    case .damaged: body[Gzip.headerLength + 1] ^= 1
    case .wrongChecksum: body[body.count - 8] ^= 1
    case .truncated: body = Array(whole.prefix(1000))
    }
    return .reply(headers: [("Content-Encoding", "gzip")], body: body)
  }

  /// A gzip body about a thousandth of the null bytes that it unpacks to.
  public static func gzipBomb(unpackedBytes: Int) -> ServerScript {
    .reply(headers: [("Content-Encoding", "gzip")], body: Gzip.zeros(unpackedBytes))
  }
}

extension ServerStep {
  fileprivate static func announcing(_ length: Int) -> ServerStep {
    .head(200, [("Content-Length", "\(length)"), ("ETag", "\"body\""), ("Accept-Ranges", "bytes")])
  }
}
