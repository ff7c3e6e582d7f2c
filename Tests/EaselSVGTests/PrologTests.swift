import EaselCore
import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import Testing

@testable import EaselSVG

struct PrologTests {
  private typealias T = SVGTesting

  @Test(arguments: [
    ("<svg/>", SVGProlog.svg), (" \r\n\t<svg >", .svg), ("\u{FEFF}<svg\n", .svg), ("<s:svg xmlns:s='x'>", .svg),
    ("<?xml version='1.0'?><svg>", .svg), ("<?xml?><!-- <html> --><?x?><svg>", .svg),
    ("<!DOCTYPE svg><svg>", .svg), ("<!DOCTYPE svg PUBLIC \"a>\" 'b]'><svg>", .svg),
    ("<!DOCTYPE svg [ <!ENTITY a \"]>\"> ]><svg>", .svg), ("<!DOCTYPE svg [<!-- ' -->]><svg>", .svg),
    ("<!DOCTYPE svg:svg ><svg:svg>", .svg),
    ("", .other), ("svg", .other), ("<html>", .other), ("<svgx>", .other), ("<SVG>", .other), ("<x:html>", .other),
    ("<!DOCTYPE html><svg>", .other), ("<!DOCTYPE html>", .other), ("<?xml?><rss>", .other), ("<?xml?>text", .other),
    ("<>", .other), ("</svg>", .other), ("\u{1}<svg>", .other),
    ("<", .cut), ("<sv", .cut), ("<svg", .cut), ("  ", .cut), ("<!", .cut), ("<!--", .cut), ("<!-- -", .cut),
    ("<?xml", .cut), ("<?xml ?", .cut), ("<!DOCTYPE", .cut), ("<!DOCTYPE sv", .cut), ("<!DOCTYPE svg", .cut),
    ("<!DOCTYPE svg [", .cut), ("<!DOCTYPE svg [<!-", .cut), ("<!DOCTYPE svg [<!-- ]>", .cut),
    ("<!DOCTYPE svg '", .cut), ("<!DOCTYPE svg>", .cut), ("<?xml?>", .cut),
  ])
  func theFirstElementDecides(_ text: String, _ expected: SVGProlog) {
    #expect(SVGProlog(Array(text.utf8)) == expected)
    if text.allSatisfy(\.isASCII), text.utf8.first == UInt8(ascii: "<") {
      #expect(SVGProlog(text.utf16Bytes) == expected, "in UTF-16")
      let swapped = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      #expect(SVGProlog(swapped) == expected, "in UTF-16 with the other order")
      #expect(SVGProlog([0xFE, 0xFF] + swapped) == expected, "in UTF-16 with a mark")
    }
  }

  @Test func aLongCommentBeforeTheFirstElementLeavesItOpen() throws {
    let comment = "<!-- \(String(repeating: "licence ", count: 30)) -->"
    let drawing = comment + T.small(T.red)
    #expect(T.coder.canDecode(prefix: Array(drawing.utf8.prefix(SVGCoder.sniffLength))))
    #expect(try T.decode(drawing).bitmap.pixel(x: 5, y: 5) == .pureRed)
    let page = comment + "<html></html>"
    #expect(T.error(of: page)?.code == .unsupportedFormat)
    #expect(!T.coder.canDecode(prefix: Array("<!-- licence -->".utf8)), "A file as short as this has no element.")
  }

  @Test(.tags(.alone)) func aPackedFileIsKnownEvenIfItsCodesFillThePrefix() throws {
    let text = T.small((0..<200).map { "<path d='M\($0 * 7919 % 977) \($0) z'/>" }.joined() + T.red)
    let packed = try #require(Process.output(of: ["gzip", "-9"], input: Array(text.utf8)))
    #expect(T.coder.canDecode(prefix: Array(packed.prefix(SVGCoder.sniffLength))))
    #expect(try T.decode(packed).bitmap.pixel(x: 5, y: 5) == .pureRed)
  }

  @Test func packedFilesAfterOneAnotherAreOneFile() throws {
    let text = Array(T.small(T.red).utf8)
    let parts = [Array(text[..<9]), [], Array(text[9...])].map(Gzip.stored)
    let packed = Array(parts.joined())
    #expect(T.coder.canDecode(prefix: Array(packed.prefix(SVGCoder.sniffLength))))
    #expect(try T.decode(packed).bitmap.pixel(x: 5, y: 5) == .pureRed)
    // Other bytes after the end do not matter; a part that is cut does.
    #expect(try T.decode(packed + [0, 0x1F, 0x8B]).bitmap.pixel(x: 5, y: 5) == .pureRed)
    #expect(T.error(of: packed.dropLast())?.code == .badImageData)
    let longer = packed + Gzip.stored([UInt8](repeating: 32, count: 1 << 20))
    #expect(T.error(of: longer) == nil)
    #expect(T.error(of: longer, Limits(downloadBytes: 1 << 20))?.code == .limitExceeded)
  }

  @Test func otherPackedFilesAreNotTaken() {
    #expect(T.coder.canDecode(prefix: Array(Gzip.stored(Array(T.small("").utf8)).prefix(64))))
    #expect(!T.coder.canDecode(prefix: Array(Gzip.stored(Array("<html><svg>".utf8)).prefix(64))))
    #expect(!T.coder.canDecode(prefix: Array(Gzip.zeros(1000).prefix(64))))
    #expect(!T.coder.canDecode(prefix: [0x1F, 0x8B, 8]))
    #expect(T.error(of: Gzip.stored(Array("<html><svg>".utf8)))?.code == .unsupportedFormat)
    #expect(T.error(of: Gzip.zeros(1 << 30))?.code == .unsupportedFormat)
  }
}
