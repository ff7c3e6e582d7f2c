import EaselCore
import EaselTestSupport
import Testing

@testable import EaselService

/// Drawings without scripts, links and sources of others.
struct SVGCleanerTests {
  private static let root = "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""

  private func cleaned(_ text: String) -> String? {
    SVGCleaner.cleaned(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func inside(_ text: String) -> String? {
    cleaned("<svg xmlns=\"http://www.w3.org/2000/svg\">\(text)</svg>").map {
      String($0.dropFirst(Self.root.count + 1).dropLast(6))
    }
  }

  @Test func whatDrawsStays() {
    for text in [
      "<g fill=\"url(#a)\"><path d=\"M0 0L1 1\"/></g>", "<text x=\"1\">a &amp; b &lt; c ü</text>",
      "<use href=\"#a\"/>", "<use xlink:href=\"#a\"/>", "<image href=\"data:image/png;base64,AAAA\"/>",
      "<style>.a{fill:red;clip-path:url( '#b' )}</style>", "<rect style=\"fill:url(&quot;#a&quot;)\"/>",
      "<linearGradient id=\"a\"><stop offset=\"0\" stop-color=\"#fff\"/></linearGradient>",
      "<circle r=\"1\"><animate attributeName=\"r\" to=\"2\"/></circle>", "<text xml:space=\"preserve\"> a </text>",
    ] {
      #expect(inside(text) == text, "\(text)")
    }
    #expect(cleaned("<svg width=\"1\" viewBox=\"0 0 1 1\"/>") == "\(Self.root) width=\"1\" viewBox=\"0 0 1 1\"/>")
  }

  @Test(arguments: [
    ("<script>alert(1)</script>", ""), ("<SCRIPT>alert(1)</SCRIPT>", ""), ("<svg:script>a</svg:script>", ""),
    ("<rect onclick=\"a()\" OnLoad=\"b()\"/>", "<rect/>"), ("<foreignObject><p>a<b/></p></foreignObject><g/>", "<g/>"),
    ("<a href=\"javascript:x\"><g/></a>", "<g><g/></g>"), ("<svg:a href=\"//evil\"><g/></svg:a>", "<g><g/></g>"),
    ("<use href=\"https://evil/a.svg#b\"/>", "<use/>"),
    ("<use href=\" #a\"/>", "<use/>"), ("<image href=\"https://evil/a.png\"/>", "<image/>"),
    ("<image href=\"data:image/svg+xml;base64,AAAA\"/>", "<image/>"),
    ("<use href=\"data:image/png;base64,A\"/>", "<use/>"),
    ("<rect fill=\"url(https://evil/a)\"/>", "<rect/>"), ("<rect fill=\"URL( 'http://evil/a' )\"/>", "<rect/>"),
    ("<rect fill=\"url(#a) url(//evil)\"/>", "<rect/>"), ("<rect style=\"background:url(//evil)\"/>", "<rect/>"),
    ("<rect style=\"\\75rl(//evil)\"/>", "<rect/>"), ("<style>@import 'a';</style>", "<style></style>"),
    ("<style>a{b:url(</style><g/>", "<style></style><g/>"), ("<style>&lt;/style></style>", "<style></style>"),
    ("<set attributeName=\"href\" to=\"javascript:a\"/>", ""), ("<animate attributeName=\"xlink:href\"/>", ""),
    ("<set attributeName=\"onclick\" to=\"a\"/>", ""),
    ("<!-- a --><?b c?><g/>", "<g/>"), ("<inkscape:x a=\"b\"><g/></inkscape:x>", ""),
    ("<g xml:base=\"http://e/\"/>", "<g/>"),
    ("<iframe src=\"a\"/><embed/><object/><audio/><video/>", ""), ("<![CDATA[<script>]]>", "&lt;script&gt;"),
    ("<svg:g/>", "<g/>"), ("<handler>a</handler><listener/>", ""), ("<g data:x=\"1\" ö=\"2\"/>", "<g/>"),
  ])
  func whatCouldHarmGoes(_ text: String, _ left: String) { #expect(inside(text) == left) }

  @Test(arguments: [
    "", "text", "<html/>", "<svg>", "<svg></g></svg>", "<svg><g></svg></g>", "<svg a=b/>", "<svg a=\"1\" a=\"2\"/>",
    "<svg a=\"<\"/>", "<svg>&evil;</svg>", "<svg>&#0;</svg>", "<svg>&#xD800;</svg>", "<svg/><svg/>", "<svg><!-- a",
    "<svg a='1\"/>", "<svg>\u{1}</svg>", "<svg\u{0}/>", "<svg a=\"1\"b=\"2\"/>", "<!DOCTYPE svg [<!ENTITY a \"b\">",
    "<svg><![CDATA[a</svg>", "<svg><g/", "<svg><script></svg>",
  ])
  func whatIsNotUnderstoodIsRefused(_ text: String) { #expect(cleaned(text) == nil, "\(text)") }

  @Test func declarationsAreSkippedAndNotUsed() {
    let type = "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C\" \"http://a\" [ <!ENTITY a \"]>\"> ]>"
    #expect(cleaned(type + "<svg/>") == Self.root + "/>")
    #expect(cleaned(type + "<svg>&a;</svg>") == nil)
    #expect(cleaned("\u{FEFF}<svg/>") == Self.root + "/>")
  }

  @Test func depthAndSizeHaveLimits() {
    let deep = String(repeating: "<g>", count: 1000) + String(repeating: "</g>", count: 1000)
    #expect(inside(deep) == nil)
    #expect(inside("<script>\(deep)</script>") == "")
    #expect(SVGCleaner.cleaned([UInt8](repeating: 32, count: SVGCleaner.mostBytes + 1)) == nil)
    #expect(SVGCleaner.cleaned([0xFF, 0xFE] + Array("<svg/>".utf8)) == nil)
  }

  /// What was cleaned is clean, and every cut or changed document ends in one way or the other.
  @Test func cleaningAgainChangesNothing() throws {
    let text =
      "<svg a=\"1\"><g fill=\"url(#a)\">a &amp; &#x41;<style>a{b:c}</style><use href=\"#b\"/></g><script>x</script></svg>"
    let bytes = Array(text.utf8)
    let once = try #require(SVGCleaner.cleaned(bytes))
    #expect(SVGCleaner.cleaned(once) == once)
    var random = SeededRandom(seed: 7)
    for _ in 0..<3000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      changed.removeLast(Int.random(in: 0..<8, using: &random))
      guard let result = SVGCleaner.cleaned(changed) else { continue }
      #expect(SVGCleaner.cleaned(result) == result)
      let written = String(decoding: result, as: UTF8.self).lowercased()
      #expect(!written.contains("<script"))
    }
  }
}
