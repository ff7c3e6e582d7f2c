import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselText

struct MarkupTests {
  private typealias T = TextTesting

  @Test func markupChangesLetters() throws {
    let plain = try T.drawn("Hill", isMarkup: true)
    #expect(try plain == T.drawn("Hill"))
    for markup in ["<b>Hill</b>", "<i>Hill</i>", "<u>Hill</u>", "<big>Hill</big>", "<span size='30pt'>Hill</span>"] {
      #expect(try T.drawn(markup, isMarkup: true) != plain, "\(markup)")
    }
    let blue = try T.drawn("<span foreground='#0000ff'>Hill</span>", isMarkup: true)
    #expect(blue.bounds { $0[3] == 255 && $0[2] == 255 && $0[0] == 0 } != nil && blue.size == plain.size)
    #expect(try T.drawn("H&amp;H", isMarkup: true) == T.drawn("H&H"))
  }

  @Test func withoutMarkupAllSignsAreDrawn() throws {
    #expect(try T.drawn("<b>Hill</b>").width > 2 * T.drawn("Hill").width)
    #expect(try T.drawn("a & b < c").ink != nil)
  }

  @Test(arguments: [
    "<b>", "<b>a</i>", "a & b", "<span size=9>a</span>", "<span colour='x'>a</span>", "<script>a</script>", "<",
  ])
  func whatIsNoMarkupIsOneClearError(_ markup: String) {
    let error = #expect(throws: ImageError.self) { try T.drawn(markup, isMarkup: true) }
    #expect(error?.code == .badImageData && error?.message.contains("markup") == true)
  }

  /// What has no bound has no effect.
  @Test(arguments: [
    "<span size='2000000'>Hill</span>", "<span size='90000pt'>Hill</span>",
    "<span letter_spacing='100000000'>Hill</span>",
    "<span rise='100000000'>Hill</span>", "<span font='Sans 20000'>Hill</span>", "<span size='400%'>Hill</span>",
    "<span line_height='900'>Hill</span>", "<span baseline_shift='superscript' rise='2000pt'>Hill</span>",
    String(repeating: "<big>", count: 200) + "Hill" + String(repeating: "</big>", count: 200),
  ])
  func whatHasNoBoundHasNoEffect(_ markup: String) throws {
    do throws(ImageError) {
      let (bitmap, plain) = (try T.drawn(markup, isMarkup: true), try T.drawn("Hill"))
      #expect(bitmap.width <= 3 * plain.width && bitmap.height <= 3 * plain.height, "\(bitmap.size)")
    } catch {
      // Some of it may be refused by pango itself.
      #expect(error.code == .badImageData)
    }
  }

  @Test func theBoundOfSizesIsThatOfTheLength() throws {
    let large = try T.drawn("<span size='500pt'>H</span>", isMarkup: true)
    #expect(large.height > 600)
    // So many letters may not be as large.
    let text = "<span size='500pt'>H</span>" + String(repeating: "i", count: 700)
    #expect(try T.drawn(text, isMarkup: true).height < 100)
  }
}
