import EaselCore
import EaselPNG
import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselSVG

/// What a document costs is known before a library reads it.
struct SurveyTests {
  private typealias T = SVGTesting

  private func effort(_ bytes: [UInt8]) -> Duration { T.coder.effort(of: ImageBytes(bytes), limits: Limits()) ?? .zero }

  private func effort(_ text: String) -> Duration { effort(Array(text.utf8)) }

  private static func sheet(_ count: Int) -> String {
    (0..<count).map { "g g g .a\($0) g{fill:red}\n" }.joined()
  }

  private static let elements = String(repeating: "<g><rect/></g>", count: 1500)

  // MARK: Effort

  @Test func ordinaryDrawingsAreLittleWork() {
    #expect(effort(T.small(T.red)) < .milliseconds(1))
    let icon = String(repeating: "<path d='M0 0h9v9z' class='a'/>", count: 30)
    #expect(effort(T.small("<style>.a{fill:red}.b,.c{stroke:blue}</style>\(icon)")) < .milliseconds(1))
    let map = (0..<1000).map { "<g id='g\($0)'><path d='M0 0h9v9z' fill='red'/></g>" }.joined()
    #expect(effort(T.small("<style>\(Self.sheet(20))</style>\(map)")) < .milliseconds(50))
  }

  @Test func elementsTimesRulesAreMuchWork() throws {
    let sheet = Self.sheet(20_000)
    let plain = T.small("<style type='text/css'>\(sheet)</style>\(Self.elements)")
    #expect(effort(plain) > .seconds(3))
    #expect(effort("<?xml version='1.0'?>\n<!-- <style> -->" + plain) > .seconds(3))
    #expect(effort(T.small("<style><![CDATA[\(sheet)]]></style>\(Self.elements)")) > .seconds(3))
    #expect(effort([0xFF, 0xFE] + plain.utf16Bytes) > .seconds(3))
    #expect(effort(Gzip.stored(Array(plain.utf8))) > .seconds(3))
    let wrapped = Data(plain.utf8).base64EncodedString()
    #expect(effort(T.small("<image href='data:image/svg+xml;base64,\(wrapped)'/>")) > .seconds(3))
    let prefixed = "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:style>\(sheet)</s:style>\(Self.elements)</s:svg>"
    #expect(effort(prefixed) > .seconds(3))
    #expect(effort(T.small("<style>@media all{\(sheet)}</style>\(Self.elements)")) > .seconds(3))
    // A sheet alone, and elements alone, take no long time.
    #expect(effort(T.small("<style>\(sheet)</style>")) < .milliseconds(200))
    #expect(effort(T.small(Self.elements)) < .milliseconds(50))
  }

  @Test(arguments: [
    "<!DOCTYPE svg [<!ENTITY a '<g/><g/>'>]><svg xmlns='http://www.w3.org/2000/svg'>&a;</svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><style>@import url(data:text/css;base64,Zw==);g{x:y}</style></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><image href='data:image/svg+xml;base64,H4sIAAAAAAAA'/></svg>",
  ])
  func whatCannotBeCountedIsMuchWork(text: String) { #expect(effort(text) >= .seconds(1)) }

  @Test func namesOfNamespacesAreNothingSpecial() {
    let type = "<!DOCTYPE svg [<!ENTITY ns 'http://www.w3.org/2000/svg'>]>"
    #expect(effort("\(type)<svg xmlns='&ns;' width='9' height='9'>\(T.red)</svg>") < .milliseconds(1))
  }

  @Test func whatUnpacksToMuchIsMuchWork() {
    let text = Array(T.small(T.red).utf8) + [UInt8](repeating: 0x20, count: 5 << 20)
    #expect(effort(text) < .seconds(1))
    #expect(effort(Gzip.stored(text)) >= .seconds(1))
    #expect(effort(Gzip.stored(Array(text.prefix(1 << 20)))) < .seconds(1))
  }

  /// Nothing is looked for again and again.
  @Test(.tags(.alone)) func nothingMakesTheSurveySlow() {
    let parts = ["</", "<style>", "<a b='", "<!ENTITY a \"", "<![CDATA[", "&", "<a:", "@{", "<a href='data:,<'", "<?"]
    for part in parts {
      let text = Array((T.small("<style>") + String(repeating: part, count: 200_000) + ">").utf8)
      let start = Self.usedTime
      #expect(effort(text) <= .seconds(3600))
      #expect(Self.usedTime - start < .seconds(2), "\(part)")
    }
  }

  /// The processor time of this thread.
  private static var usedTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test func elementsThatRepeatOthersAreWork() {
    let uses = (1...6).map { "<g id='g\($0)'>\(String(repeating: "<use href='#g\($0 - 1)'/>", count: 100))</g>" }
    #expect(effort(T.small("<g id='g0'/>\(uses.joined())")) > .milliseconds(100))
  }

  /// Few elements may be drawn half a million times, if what repeats others is repeated itself.
  @Test func repetitionsOfRepetitionsMultiply() {
    let shape = "<rect id='g0' width='50' height='50' opacity='.5'/>"
    func uses(_ levels: Int, each count: Int) -> String {
      let groups = (1...levels).map { level in
        "<g id='g\(level)'>\(String(repeating: "<use href='#g\(level - 1)'/>", count: count))</g>"
      }
      return T.small(shape + groups.joined())
    }
    #expect(effort(uses(11, each: 10)) >= .milliseconds(900))
    #expect(effort(uses(13, each: 3)) >= .milliseconds(900))
    #expect(effort(uses(3, each: 3)) < .milliseconds(20))
    for name in ["pattern", "mask", "marker", "clipPath"] {
      let patterns = (1...8).map { level in
        let fill = "<rect width='9' height='9' fill='url(#g\(level - 1))'/>"
        return "<\(name) id='g\(level)'>\(String(repeating: fill, count: 5))</\(name)>"
      }
      #expect(effort(T.small(shape + patterns.joined())) >= .milliseconds(900), "\(name)")
    }
  }

  /// A sheet of icons, each of which is there once, and a drawing with gradients.
  @Test func whatIsRepeatedOnceIsLittleWork() {
    let icons = (0..<100).map { "<symbol id='s\($0)'><path d='M0 0h9v9z'/></symbol><use href='#s\($0)'/>" }.joined()
    #expect(effort(T.small(icons)) < .milliseconds(100))
    let fills = String(repeating: "<path d='M0 0h9v9z' fill='url(#a)'/>", count: 100)
    #expect(effort("<svg xmlns='http://www.w3.org/2000/svg' id='all'><g id='b'>\(fills)</g></svg>") < .milliseconds(10))
  }

  @Test func anythingIsLookedOver() {
    let text = Array(T.small("<style>a{b:c}</style><image href='data:image/png;base64,iVBOR'/><!ENTITY a '&b'>").utf8)
    for damaged in WrongBytes(of: text) { #expect(effort(damaged) <= .seconds(3600)) }
    for count in 0..<text.count { #expect(effort(Array(text.prefix(count))) <= .seconds(3600)) }
  }

  // MARK: Limits

  private func error(of text: String, _ change: (inout Limits) -> Void) -> ImageError? {
    var limits = Limits()
    change(&limits)
    do {
      _ = try T.coder.decode(
        ImageBytes(Array(text.utf8)), options: DecodeOptions(), work: WorkContext(limits: limits))
      return nil
    } catch {
      return error as? ImageError
    }
  }

  private func image(_ width: Int, _ height: Int, noise: Bool = false) throws -> String {
    let bitmap = noise ? try Bitmap.noise(width, height, .opaqueRGBA8) : try Bitmap(width, height, .pureRed)
    let file = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
    return "<image width='10' height='10' preserveAspectRatio='none' "
      + "href='data:image/png;base64,\(try file.data().base64EncodedString())'/>"
  }

  @Test func thePixelsOfPicturesInsideCountTwice() throws {
    let text = T.small(try image(100, 50) + image(40, 30))
    let pixels = 2 * (5000 + 1200) + 100
    #expect(error(of: text) { $0.framePixels = pixels } == nil)
    let error = try #require(self.error(of: text) { $0.framePixels = pixels - 1 })
    #expect(error.code == .limitExceeded)
    #expect(error.message.contains("6200 pixels") && error.message.contains("Raise Limits.framePixels"), "\(error)")
    let nested = Data(text.utf8).base64EncodedString()
    let outer = T.small("<image width='9' height='9' href='data:image/svg+xml;base64,\(nested)'/>")
    #expect(self.error(of: outer) { $0.framePixels = pixels - 1 }?.code == .limitExceeded)
  }

  /// The sizes in the headers of formats that libraries may draw.
  @Test(arguments: [
    ("data:image/gif;base64,R0lGODlhECcQJw==", 100_000_000),
    ("data:image/jpeg;base64,/9j/4AAEAAD/wAALCCcQJxABAREA", 100_000_000),
    ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA%0A\n JxAAACcQ", 100_000_000),
    ("DATA:;charset=x;BASE64,iVBORw0KGgoAAAANSUhEUgAA&#10;JxAAACcQ", 100_000_000),
    ("data:image/bmp,BM000000000000(%00%00%00%10%27%00%00%f0%d8%ff%ff", 100_000_000),
  ])
  func theSizeOfAPictureInsideIsRead(url: String, pixels: Int) {
    let error = self.error(of: T.small("<image href='\(url)'/>")) { _ in }
    #expect(error?.message.contains("\(pixels) pixels") == true, "\(error as Any)")
  }

  @Test func elementsAndRulesCountAsBlocks() throws {
    let text = T.small("<style>a{b:c}d{e:f}</style><g/><g/>")
    #expect(error(of: text) { $0.blocks = 6 } == nil)
    #expect(error(of: text) { $0.blocks = 5 }?.code == .limitExceeded)
  }

  /// Libxml2 by itself refuses attributes of more than ten million bytes.
  @Test(.tags(.alone)) func photosInsideAreDrawn() throws {
    for (width, height, bytes) in [(700, 600, 1 << 20), (1900, 1500, 10_000_000)] {
      let text = T.small(try image(width, height, noise: true))
      #expect(text.utf8.count > bytes)
      let drawn = try T.decode(text).bitmap
      #expect(drawn.pixels(in: PixelRect(x: 0, y: 0, width: 10, height: 10)).allSatisfy { $0.alpha == 255 })
    }
  }
}
