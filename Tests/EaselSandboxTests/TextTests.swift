import EaselCore
import EaselFormats
import EaselSVG
import EaselTestTags
import EaselText
import Testing

@testable import EaselSandbox

/// Text is drawn in the sandbox as it is outside, where fonts can be opened.
@Suite(.tags(.alone))
struct TextTests {
  private typealias T = SandboxTesting

  private func bytes(_ markup: String) -> ImageBytes { ImageBytes(TextDocument(markup: markup).bytes) }

  @Test(arguments: [
    "Hill", "<b>fi\u{c4}</b> <i>g</i>", "<span font='DejaVu Serif 30' color='red'>Hill</span>", "\u{623}\u{5d0}\u{416}",
    "a\nb\nc", "<span font='No Such Family'>Hill</span>",
  ])
  func textIsDrawnAsOutside(_ markup: String) throws {
    let outside = try TextCoder().decode(bytes(markup), options: DecodeOptions(), work: WorkContext())
    let coder = T.sandboxed(TextCoder())
    #expect(try coder.probe(bytes(markup), work: WorkContext()).storedSize == outside.size)
    let inside = try coder.decode(bytes(markup), options: DecodeOptions(), work: WorkContext())
    #expect(inside.bitmap == outside.bitmap && inside.format == TextDocument.format)
  }

  @Test func badMarkupIsTheErrorOfOutside() {
    let error = #expect(throws: ImageError.self) {
      try T.sandboxed(TextCoder()).decode(bytes("<b>"), options: DecodeOptions(), work: WorkContext())
    }
    #expect(error?.code == .badImageData && error?.message.contains("markup") == true)
  }

  @Test func drawingsKeepTheirLettersBesideTexts() throws {
    let svg = ImageBytes(
      Array(
        "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'><text y='30' font-size='20'>Hi</text></svg>"
          .utf8))
    let outside = try SVGCoder().decode(svg, options: DecodeOptions(), work: WorkContext()).bitmap
    #expect(try T.sandboxed(SVGCoder()).decode(svg, options: DecodeOptions(), work: WorkContext()).bitmap == outside)
  }
}
