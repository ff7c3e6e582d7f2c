import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Compressed bodies, requested or not.
@Suite(.tags(.alone))
struct PackingTests {
  private static let body = ServerBody.bytes(200_000)

  private func load(
    _ coding: [String], _ packed: [UInt8], byteLimit: Int = 1 << 20, isPausing: Bool = false
  ) async throws -> (body: [UInt8], failure: ImageError?) {
    let fields = coding.map { ("Content-Encoding", $0) }
    let server = try ScriptableServer(routes: [
      "/a": .always(.reply(headers: fields, body: packed)), "/good": .always(.reply(body: [1])),
    ])
    defer { server.close() }
    return try await withLoader({ $0.maximumResumptions = 0 }) { loader in
      let sink = RecordingSink(takesHeadAtOnce: true, pausesAfterEachChunk: isPausing)
      let request = LoadRequest(url: server.url("/a"), byteLimit: byteLimit)
      let loading = Task { await loader.failure(of: request, sink: sink) }
      if isPausing {
        await sink.waitUntilPaused()
        sink.resumeForGood()
      }
      let failure = await loading.value
      let good = try await loader.body(server.url("/good")).sink
      #expect(good.body == [1])
      return (sink.body, failure)
    }
  }

  private static let packings: [([String], [UInt8])] = [
    (["gzip"], Gzip.stored(body)), (["X-GZip"], Gzip.stored(body)),
    (["deflate"], Gzip.deflated(body, isFramed: true)), (["deflate"], Gzip.deflated(body, isFramed: false)),
    (["gzip, gzip"], Gzip.stored(Gzip.stored(body))), (["gzip", "gzip"], Gzip.stored(Gzip.stored(body))),
    (["deflate,\tx-gzip , identity"], Gzip.stored(Gzip.deflated(body, isFramed: true))),
    (["gzip, deflate, gzip"], Gzip.stored(Gzip.deflated(Gzip.stored(body), isFramed: false))),
    (["identity"], body), ([""], body), ([","], body), (["zstd"], Zstd.stored(body)),
    (["gzip", "zstd"], Zstd.stored(Gzip.stored(body))), (["zstd, gzip"], Gzip.stored(Zstd.stored(body))),
    (
      ["ZSTD"], Zstd.stored(Array(body.prefix(100_000))) + Zstd.skipped(9) + Zstd.stored(Array(body.dropFirst(100_000)))
    ),
  ]

  @Test(arguments: packings.indices, [false, true])
  func codingsAreUndoneFromTheLastToTheFirst(index: Int, isPausing: Bool) async throws {
    let (coding, packed) = Self.packings[index]
    let (body, failure) = try await load(coding, packed, isPausing: isPausing)
    #expect(failure == nil, "\(coding)")
    #expect(body == Self.body, "\(coding)")
  }

  @Test(arguments: [true, false])
  func deflateIsInflatedHoweverItsBytesCome(isFramed: Bool) async throws {
    let packed = Gzip.deflated(Array("a small picture".utf8), isFramed: isFramed)
    let script = ServerScript(
      [.head(200, [("Content-Encoding", "deflate"), ("Content-Length", "\(packed.count)")])]
        + packed.map { ServerStep.send([$0]) }, keepsAlive: true)
    let server = try ScriptableServer(routes: ["/a": .always(script)])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(String(decoding: sink.body, as: UTF8.self) == "a small picture")
    }
  }

  @Test(arguments: [
    ("deflate", Named("cut", [0x78, 0x01, 1, 0, 0, 0, 0] as [UInt8])), ("deflate", Named("junk", [0xff, 0xff, 0xff])),
    ("deflate", Named("one byte", [0x78])), ("gzip, gzip", Named("gzip once", Gzip.stored([1, 2, 3]))),
    ("gzip, deflate", Named("gzip once", Gzip.stored(body))),
    ("gzip, gzip", Named("cut inside", Gzip.stored(Array(Gzip.stored(body).dropLast(20))))),
    ("deflate", Named("more behind it", Gzip.deflated(body, isFramed: true) + [1, 2, 3])),
  ])
  func damageInAnyOfThemIsAnError(coding: String, packed: Named<[UInt8]>) async throws {
    let failure = try await load([coding], packed.value).failure
    #expect(failure?.code == .badImageData)
    #expect(failure?.message.contains("cannot be unpacked") == true)
  }

  /// What the program zstd makes of a text, at its level 19.
  private static let smallZstd: [UInt8] = [
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x68, 0x6d, 0x01, 0x00, 0xe0, 0x61, 0x20, 0x73, 0x6d, 0x61, 0x6c, 0x6c, 0x20, 0x70,
    0x69, 0x63, 0x74, 0x75, 0x72, 0x65, 0x20, 0x31, 0x2c, 0x20, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x2c, 0x20,
    0x07, 0x20, 0xc0, 0xe3, 0x01, 0x9e, 0x78, 0xe7, 0xb1, 0x9e, 0x78, 0xa7, 0xc7, 0x1a, 0xb2, 0xed, 0xcb, 0x0d, 0xb7,
    0x58,
  ]

  @Test func zstdIsTheSameInAnyPieces() throws {
    let text = (1...8).map { "a small picture \($0), " }.joined()
    let (one, two) = (Self.smallZstd, Zstd.stored([4, 5]))
    let cases: [(packed: [UInt8], body: [UInt8]?)] = [
      (one, Array(text.utf8)), (one + two, Array(text.utf8) + [4, 5]), (two + Zstd.skipped(3), [4, 5]),
      (Zstd.skipped(3) + two, [4, 5]), (Zstd.stored([]), []),
      (Zstd.zeros(200_000), [UInt8](repeating: 0, count: 200_000)),
      (one.dropLast(), nil), (Array(one.dropLast(5)) + [1, 2, 3, 4, 5], nil), (one + [0], nil), (one + [0x28], nil),
      ([0x28], nil), ([0x27] + one.dropFirst(), nil), (Zstd.stored([1], windowBits: 23), [1]),
      (Zstd.stored([1], windowBits: 24), nil), (Zstd.stored([1], windowBits: 41), nil),
    ]
    for (index, (packed, body)) in cases.enumerated() {
      for size in 1...packed.count {
        #expect(try unpacked(packed, as: "zstd", inPiecesOf: size) == body, "case \(index) by \(size)")
      }
    }
  }

  /// The bytes after a gzip file are treated alike for every division into pieces.
  @Test func whatFollowsAGzipFileIsTheSameInAnyPieces() throws {
    let (one, two) = (Gzip.stored([1, 2, 3]), Gzip.stored([4, 5]))
    let zeros = [UInt8](repeating: 0, count: 9)
    let cases: [(packed: [UInt8], body: [UInt8]?)] = [
      (one, [1, 2, 3]), (one + zeros, [1, 2, 3]), (one + two, [1, 2, 3, 4, 5]), (one + two + [0], [1, 2, 3, 4, 5]),
      (one + zeros + two, nil), (one + [0] + two, nil), (one + [0, 1], nil), (one + zeros + [7] + zeros, nil),
      (one + [7], nil), (one + [7, 0], nil),
    ]
    for (packed, body) in cases {
      for size in 1...packed.count {
        #expect(try unpacked(packed, inPiecesOf: size) == body, "\(packed.suffix(30)) by \(size)")
      }
    }
  }

  /// The content of packed bytes; nil if they are broken.
  private func unpacked(_ packed: [UInt8], as coding: String = "gzip", inPiecesOf size: Int) throws -> [UInt8]? {
    let layer = try #require(PackingLayer(coding, limit: 1 << 20))
    var body: [UInt8] = []
    for start in stride(from: 0, to: packed.count, by: size) {
      let progress = packed[start..<min(start + size, packed.count)].withUnsafeBytes { piece in
        layer.unpack(piece) { part in
          body += part
          return true
        }
      }
      guard case .done = progress else { return nil }
    }
    return layer.isComplete ? body : nil
  }

  @Test(arguments: ["dcz", "compress", "gzip, dcz", "dcz, gzip", "gzip;q=1", "exi"])
  func aCodingThatNobodyHereKnowsIsNamed(coding: String) async throws {
    let failure = try await load([coding], [1, 2, 3]).failure
    #expect(failure?.code == .badImageData)
    #expect(failure?.message.contains("\"\(coding)\"") == true)
  }

  @Test func codingsWithoutEndAreRefused() async throws {
    var packed: [UInt8] = [1, 2, 3]
    for _ in 0..<6 { packed = Gzip.stored(packed) }
    let failure = try await load([Array(repeating: "gzip", count: 6).joined(separator: ",")], packed).failure
    #expect(failure?.code == .badImageData)
    #expect(failure?.message.contains("more than") == true)
  }

  /// The same bytes again and again, copied by doubling, because joining is slow without optimization.
  private static func repeated(_ bytes: [UInt8], count: Int) -> [UInt8] {
    var all = bytes
    while all.count < bytes.count * count { all += all }
    return Array(all[..<(bytes.count * count)])
  }

  private static let emptyMembers = repeated(Gzip.stored([]), count: 200_000)

  /// Bytes that unpack to nothing, or almost nothing, count too.
  @Test(arguments: [0, 1, 2, 3, 4, 5])
  func packedBytesWithoutAnythingInThemAreBounded(kind: Int) async throws {
    let packed: ([String], [UInt8])
    switch kind {
    case 0: packed = (["gzip"], Self.emptyMembers)
    case 1: packed = (["br"], [0x0c] + [UInt8](repeating: 6, count: 4_000_000))
    case 2: packed = (["gzip"], Gzip.stored([1, 2, 3]) + [UInt8](repeating: 0, count: 4_000_000))
    case 4: packed = (["zstd"], Self.repeated(Zstd.skipped(200), count: 20_000))
    case 3: packed = (["gzip"], Self.repeated(Gzip.stored([7]), count: 100_000))
    default: packed = (["gzip, gzip"], Gzip.stored(Self.emptyMembers))
    }
    let (body, failure) = try await load(packed.0, packed.1, byteLimit: 100 << 20)
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message.contains("packed") == true)
    #expect(body.count < 100_000)
  }

  @Test func packedBytesCountAgainstTheLimit() async throws {
    let (body, failure) = try await load(["gzip"], Gzip.stored(Self.body), byteLimit: Self.body.count)
    #expect(failure == nil && body == Self.body, "A frame of a few bytes is not held against anybody.")
    let padded = Gzip.stored(Self.body) + Array(Self.emptyMembers.prefix(1_000_000))
    let second = try await load(["gzip"], padded, byteLimit: Self.body.count)
    #expect(second.failure?.code == .limitExceeded)
  }

  @Test func whatIsPackedTwiceIsBoundedInBetween() async throws {
    // The first unpacking gives a thousand times as many bytes, all null; the second gives nothing.
    let (body, failure) = try await load(["gzip, gzip"], Gzip.zeros(300 << 20))
    #expect(failure != nil)
    #expect(body.isEmpty)
    let zstd = try await load(["gzip, zstd"], Zstd.zeros(300 << 20))
    #expect(zstd.failure != nil && zstd.body.isEmpty)
  }
}
