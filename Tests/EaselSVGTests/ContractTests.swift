import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselSVG

struct ContractTests {
  private typealias T = SVGTesting

  private func samples() throws -> [ImageSample] {
    let red = try Bitmap(7, 5, .pureRed, PixelFormat(.rgba8, alpha: .straight))
    let plain = T.svg("width='7' height='5'", T.red)
    let introduced = """
      <?xml version="1.0"?>
      <!-- A comment -->
      <!DOCTYPE svg [ <!ENTITY side "7"> <!-- > --> ]>
      \(T.svg("width='&side;' height='5'", T.red))
      """
    let large = T.svg("viewBox='0 0 600 520'", "<circle cx='300' cy='260' r='200' opacity='.5'/>")
    return [
      ImageSample("a document", bytes: Array(plain.utf8), pixels: red, signature: [0..<4]),
      ImageSample("one with a prolog", bytes: Array(introduced.utf8), pixels: red, signature: [0..<2]),
      ImageSample("gzip", bytes: Gzip.stored(Array(plain.utf8)), pixels: red),
      ImageSample("a large one", bytes: Array(large.utf8), signature: [0..<4]),
    ]
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = await ImageCoderContract(SVGCoder(), samples: try samples()).check()
    #expect(violations.isEmpty, "\(violations)")
  }
}
