import EaselCore
import EaselSVG
import EaselTestSupport
import Testing

@testable import EaselSandbox

/// SVG is drawn in the sandbox as it is outside, with text and filters.
struct VectorTests {
  private typealias T = SandboxTesting

  private func drawn(_ content: String, in sandbox: Sandbox = T.sandbox) throws -> Bitmap {
    let text = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'>\(content)</svg>"
    let bytes = ImageBytes(Array(text.utf8))
    return try SandboxedCoder(SVGCoder(), in: sandbox).decode(bytes, options: DecodeOptions(), work: WorkContext()).bitmap
  }

  @Test func filtersAreDrawn() throws {
    let text = "<filter id='f'><feGaussianBlur stdDeviation='3'/></filter><rect filter='url(#f)' width='20' height='20'/>"
    let alpha = try drawn(text).pixel(x: 20, y: 10)?.alpha
    #expect((alpha ?? 0) > 90 && (alpha ?? 0) < 160)
  }
}
