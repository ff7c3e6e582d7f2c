import EaselFuzzing
import EaselTestCorpus
import EaselTestSupport
import Foundation
import Testing

/// Some changed inputs for each reader, always the same ones; `script/fuzz` looks for new ones.
struct ShortFuzzingTests {
  /// Large pictures take long, and small ones have all the parts of a format.
  private static let largestSeed = 3000
  private static let mostSeeds = 12
  private static let changesOfASeed = 12

  @Test(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"), arguments: FuzzedCoder.all.keys.sorted())
  func codersKeepTheirWordOnChangedPictures(_ format: String) throws {
    let coder = try #require(FuzzedCoder.all[format])
    let seeds = try Self.seeds(of: format) + [coder.sample].compactMap { $0 }
    #expect(!seeds.isEmpty)
    // A trap ends the process, and leaves the input there.
    let input = FileManager.default.temporaryDirectory.appendingPathComponent("easel-fuzzed-input.\(format)")
    Self.change(seeds) { bytes in
      try? Data(bytes).write(to: input)
      coder.run(bytes)
    }
    try? FileManager.default.removeItem(at: input)
  }

  @Test func theReaderOfHeadsKeepsItsWord() {
    let heads = [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "HEAD /a%2Fb?c=d HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\n",
      "GET * HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nX:\t\u{e4}\r\n\r\n",
    ]
    Self.change(heads.map { Array($0.utf8) }) { FuzzedHead().run($0) }
  }

  @Test func theCoderOfTextsKeepsItsWord() {
    let texts = [
      "<b>Hill</b> and <span size='40pt' foreground='#ff0000'>more</span>\n\u{5d0}\u{5d1} \u{628}\u{628} e\u{301}",
      "\u{1}easel text\n<big>a</big> &amp; <u>\u{1f600}</u>", "<span font='Sans 20' rise='100'>a\tb</span>",
    ]
    Self.change(texts.map { Array($0.utf8) }) { FuzzedText().run($0) }
  }

  @Test func theCleanerOfDrawingsKeepsItsWord() {
    let drawings = [
      """
      <?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg width="9"><script>alert(1)</script><a href="http://h">
      <path d="M0 0&#10;z" onload="x" style='fill:url(#b)'/></a><style>.a > b {fill:red}</style><use href="#a"/></svg>
      """,
      """
      <svg:svg><![CDATA[<]]><image xlink:href="data:image/png;base64,AA=="/><set attributeName="href" to="x"/><!-- -->
      <foreignObject><p>a</p></foreignObject><text x="1">&lt;&amp;\u{e4}</text></svg:svg>
      """,
    ]
    Self.change(drawings.map { Array($0.utf8) }) { FuzzedDrawing().run($0) }
  }

  @Test func theReadersOfPagesKeepTheirWord() {
    let pages = [
      """
      <html><head><title><meta></title><base href=/a><meta property="og:image" content="b&amp;c"><meta name=twitter:image
      content='d'><link rel="icon apple-touch-icon" sizes="16x16 any" href=e><link rel=manifest href="f"><!-- <meta -->
      <script>"</head>"</script></head><body><meta property="og:image" content="g">
      """,
      #"{"icons":[{"src":"a","sizes":"48x48 any","purpose":"maskable"},{"src":"b","purpose":"monochrome"},{}]}"#,
    ]
    Self.change(pages.map { Array($0.utf8) }) { FuzzedPage().run($0) }
  }

  @Test func theReadersOfSourcesKeepTheirWord() {
    let texts = [
      "\u{FEFF}# places\r\n[s3://bucket/a]\r\nregion = eu\r\n[https://*.example.com]\nfield = X: y\nfield = Z: y=z\n",
      "[local://photos]\nfolder=/a\n[nowhere]\nlost = yes\n[azure://container]\naccount = a\n no setting\n",
      "[default]\naws_access_key_id = A\naws_secret_access_key = B\n", "azure://container/a%20b/%C3%A4?c#d",
      "s3://bucket/folder/key%2F%00", "url=https%3A%2F%2Fa%2Fb&tag=c%26d&all&time=12&signature=e",
      "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01", "?sv=1&sig=a%2Bb",
    ]
    Self.change(texts.map { Array($0.utf8) }) { FuzzedSource().run($0) }
  }

  @Test func theReadersOfWhatRedisSendsKeepTheirWord() {
    let replies = [
      "*3\r\n$1\r\n1\r\n$5\r\nhello\r\n$-1\r\n:12\r\n",
      "-MOVED 3999 127.0.0.1:6381\r\n+OK\r\n*2\r\n*1\r\n:1\r\n$0\r\n\r\n",
      "E100000000000000010000000000000001 -1 -1 1000000000 0\n",
      "claim\nfailed\nbadStatus\n404\nThere is no such picture.",
    ]
    Self.change(replies.map { Array($0.utf8) }) { FuzzedRedis().run($0) }
  }

  /// Calls `body` with each input as it is, and with some changes.
  private static func change(_ seeds: [[UInt8]], _ body: (UnsafeRawBufferPointer) -> Void) {
    var random = SeededRandom(seed: 42)
    for seed in seeds {
      (seed + [0]).withUnsafeBytes(body)
      for _ in 0..<changesOfASeed {
        var bytes = seed
        for _ in 0...Int(random.next() % 4) { change(&bytes, seeds, &random) }
        // The last byte chooses how the input is driven.
        bytes.append(UInt8(truncatingIfNeeded: random.next()))
        bytes.withUnsafeBytes(body)
      }
    }
  }

  private static func change(_ bytes: inout [UInt8], _ seeds: [[UInt8]], _ random: inout SeededRandom) {
    guard !bytes.isEmpty else { return }
    let place = Int(random.next() % UInt64(bytes.count))
    switch random.next() % 6 {
    case 0: bytes[place] ^= 1 << UInt8(random.next() % 8)
    case 1: bytes[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random)!
    case 2: bytes.removeLast(bytes.count - place)
    case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 16)], at: place)
    case 4: bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 8)))
    default:
      let other = seeds.randomElement(using: &random)!
      let start = min(place, other.count)
      bytes.replaceSubrange(place..<min(bytes.count, place + 8), with: other[start..<min(other.count, start + 8)])
    }
  }

  /// The smallest pictures of each folder of a format.
  private static func seeds(of format: String) throws -> [[UInt8]] {
    let root = try #require(Corpus.shared).directory + "/" + format
    let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String }.sorted() ?? []
    let small = try files.compactMap { path -> [UInt8]? in
      let attributes = try FileManager.default.attributesOfItem(atPath: root + "/" + path)
      guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int,
        size <= largestSeed
      else { return nil }
      return try Array(Data(contentsOf: URL(fileURLWithPath: root + "/" + path)))
    }
    let step = max(1, small.count / mostSeeds)
    return stride(from: 0, to: small.count, by: step).map { small[$0] }
  }
}
