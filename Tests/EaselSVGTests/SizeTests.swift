import EaselCore
import Testing

@testable import EaselSVG

struct SizeTests {
  private typealias T = SVGTesting

  @Test(
    "The size is that of the file in pixels of CSS",
    arguments: [
      ("width='20' height='30'", 20, 30), ("width='20px' height='30px' viewBox='0 0 1 1'", 20, 30),
      ("width='1in' height='2.54cm'", 96, 96), ("width='72pt' height='6pc'", 96, 96),
      ("width='25.4mm' height='10.4'", 96, 10), ("width='10.5' height='0.2'", 11, 1),
      ("style='width:20px;height:30px'", 20, 30), ("viewBox='5 5 40 50'", 40, 50),
      ("width='100%' height='100%' viewBox='0 0 40 50'", 40, 50),
      ("width='50%' height='25%' viewBox='0 0 40 50'", 40, 50), ("width='auto' viewBox='0 0 40 50'", 40, 50),
      ("width='80' viewBox='0 0 40 50'", 80, 100), ("height='25' viewBox='0 0 40 50'", 20, 25),
      ("width='2em' height='100%' viewBox='0 0 40 50'", 24, 30), ("width='1in' viewBox='0 0 10 20'", 96, 192),
      ("height='9mm' viewBox='0 0 10 10'", 34, 34), ("viewBox='0 0 0 0'", 7, 9), ("", 7, 9),
      ("width='-3' height='1e400'", 7, 9), ("width='20'", 7, 9),
    ])
  func statedSize(_ attributes: String, width: Int, height: Int) throws {
    let text = T.svg(attributes, "<rect x='1' y='2' width='6' height='7'/>")
    #expect(try T.probe(text).storedSize == T.size(width, height))
    #expect(try T.decode(text).size == T.size(width, height))
  }

  @Test func withoutAnythingToGoByTheSizeIsThatOfCSS() throws {
    #expect(try T.probe(T.svg("")).storedSize == T.size(300, 150))
    #expect(try T.decode(T.svg("")).size == T.size(300, 150))
    #expect(try T.decode("<svg xmlns='http://www.w3.org/2000/svg'/>").size == T.size(300, 150))
  }

  @Test(arguments: ["width='0' height='5'", "width='0' height='0'"])
  func aDocumentThatSaysItHasNoAreaIsAnError(attributes: String) {
    #expect(T.error(of: T.svg(attributes, T.red))?.code == .badImageData)
  }

  @Test(arguments: ["width='70000' height='5'", "width='10001' height='10000'", "width='1e30' height='1e30'"])
  func aHugeSizeIsRefusedBeforeAnythingIsDrawn(attributes: String) throws {
    let text = T.svg(attributes, T.red)
    #expect(T.error(of: text)?.code == .limitExceeded)
    let error = #expect(throws: ImageError.self) { try T.probe(text) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func aSideThatTheLibraryCannotDrawIsRefused() {
    let error = T.error(of: T.svg("width='40000' height='1'", T.red))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("32767") == true)
  }

  @Test func aThumbnailOfAnyDrawingFits() throws {
    let image = try T.decode(T.svg("width='40000' height='1'", T.red)) { $0.thumbnailSize = T.size(400, 400) }
    #expect(image.size == T.size(400, 1))
    #expect(image.metadata.storedSize == T.size(40000, 1))
    #expect(image.traits == .thumbnail)
  }
}
