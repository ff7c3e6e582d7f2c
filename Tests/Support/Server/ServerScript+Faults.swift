extension ServerScript {
  /// A body shorter than announced, after which the connection ends, or a longer one.
  public static func wrongLength(announced: Int, sent: Int) -> ServerScript {
    [.announcing(announced), .body(count: sent)]
  }

  /// Resets the connection after this many bytes of the body.
  public static func resetting(after sent: Int, of announced: Int) -> ServerScript {
    [.announcing(announced), .body(count: sent), .reset]
  }

  /// Sends nothing more after this many bytes of the body; the connection stays open.
  public static func stalling(after sent: Int, of announced: Int) -> ServerScript {
    [.announcing(announced), .body(count: sent), .waitForHangup]
  }

  /// An answer without status line and header fields.
  public static var junk: ServerScript { [.text("\u{7f}ELF this is no answer of any protocol\r\n\r\n"), .close] }

  /// Header fields of this many bytes in all, then an empty body.
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

  /// The faults of a chunked body.
  public enum ChunkFault: String, CaseIterable, Sendable {
    /// A chunk announces more bytes than come before the connection ends.
    case sizeTooLarge
    /// A chunk announces fewer bytes than come.
    case sizeTooSmall
    /// A size is not a number.
    case sizeIsNoNumber
    /// A size does not fit into 64 bits.
    case sizeOverflows
    /// A size is negative.
    case sizeIsNegative
    /// The last chunk never comes.
    case noEnd
  }

  /// A chunked body with a fault.
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

  /// The faults of a gzip body.
  public enum GzipFault: String, CaseIterable, Sendable {
    /// The body is not gzip.
    case notGzip
    /// A bit in the middle is wrong.
    case damaged
    /// The checksum is wrong.
    case wrongChecksum
    /// The body ends in the middle, and the announced length agrees.
    case truncated
  }

  /// A gzip body that cannot be unpacked.
  public static func gzip(with fault: GzipFault) -> ServerScript {
    let whole = Gzip.stored(ServerBody.bytes(2000))
    var body = whole
    switch fault {
    case .notGzip: body = ServerBody.bytes(2000)
    // This makes the block's length disagree with its complement.
    case .damaged: body[Gzip.headerLength + 1] ^= 1
    case .wrongChecksum: body[body.count - 8] ^= 1
    case .truncated: body = Array(whole.prefix(1000))
    }
    return .reply(headers: [("Content-Encoding", "gzip")], body: body)
  }

  /// A gzip body of about a thousandth of its unpacked size, all null bytes.
  public static func gzipBomb(unpackedBytes: Int) -> ServerScript {
    .reply(headers: [("Content-Encoding", "gzip")], body: Gzip.zeros(unpackedBytes))
  }
}

extension ServerStep {
  fileprivate static func announcing(_ length: Int) -> ServerStep {
    .head(200, [("Content-Length", "\(length)"), ("ETag", "\"body\""), ("Accept-Ranges", "bytes")])
  }
}
