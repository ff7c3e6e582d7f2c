import EaselCore
import EaselGIF
import EaselJPEG
import EaselMisbehaving
import EaselPNG
import EaselSVG
import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselSandbox

/// SVG is drawn in the sandbox as it is outside, where fonts can be opened and threads started.
@Suite(.tags(.alone))
struct VectorTests {
  private typealias T = SandboxTesting

  private static func bytes(_ content: String) -> ImageBytes {
    ImageBytes(Array("<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'>\(content)</svg>".utf8))
  }

  private func drawn(_ content: String, in sandbox: Sandbox = T.sandbox) throws -> Bitmap {
    try Sandbox.Coder(SVGCoder(), in: sandbox)
      .decode(Self.bytes(content), options: DecodeOptions(), work: WorkContext()).bitmap
  }

  private static let blur =
    "<filter id='f'><feGaussianBlur stdDeviation='3'/></filter><rect filter='url(#f)' width='20' height='20'/>"

  @Test(arguments: [
    "sans-serif", "serif", "monospace", "DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "No Such Family", "cursive",
    "fantasy", "system-ui",
  ])
  func textOfEveryFamilyIsDrawn(family: String) throws {
    for style in ["", "font-weight='bold'", "font-style='italic'", "font-weight='bold' font-style='oblique'"] {
      let text = "<text y='30' font-size='31.7' font-family='\(family)' \(style)>fiÄ</text>"
      let outside = try SVGCoder().decode(Self.bytes(text), options: DecodeOptions(), work: WorkContext()).bitmap
      let pixels = outside.pixels(in: PixelRect(x: 0, y: 0, width: 60, height: 40))
      #expect(pixels.contains { $0.alpha == 255 }, "Outside \(family) \(style) is not drawn.")
      #expect(try drawn(text) == outside, "\(family) \(style)")
    }
  }

  @Test func lettersThatNoFontOfTheFamilyHasAreDrawnAsOutside() throws {
    let text = "<text y='30' font-size='20' font-family='monospace'>\u{0623}\u{05D0}\u{0416}\u{6F22}</text>"
    let outside = try SVGCoder().decode(Self.bytes(text), options: DecodeOptions(), work: WorkContext()).bitmap
    #expect(try drawn(text) == outside)
  }

  @Test func filtersAreDrawn() throws {
    let outside = try SVGCoder().decode(Self.bytes(Self.blur), options: DecodeOptions(), work: WorkContext()).bitmap
    let inside = try drawn(Self.blur)
    #expect(inside == outside)
    let alpha = try #require(inside.pixel(x: 20, y: 10)?.alpha)
    #expect((90...160).contains(alpha))
  }

  @Test func picturesInsideAreDrawn() throws {
    let red = Image(try Bitmap(8, 8, PixelColor(red: 255, green: 0, blue: 0, alpha: 255)))
    let coders: [(any EncodingCoder, ImageFormat)] = [(PNGCoder(), .png), (JPEGCoder(), .jpeg), (GIFCoder(), .gif)]
    var urls = try coders.map { coder, format in
      let file = try coder.encode(red, as: format, options: EncodeOptions(), work: WorkContext())
      return "data:\(format);base64,\(try file.data().base64EncodedString())"
    }
    let nested = try Self.bytes("<rect width='60' height='40' fill='red'/>").data()
    urls.append("data:image/svg+xml;base64,\(nested.base64EncodedString())")
    for url in urls {
      let image = try drawn("<image width='60' height='40' preserveAspectRatio='none' href='\(url)'/>")
      let color = try #require(image.pixel(x: 30, y: 20))
      #expect(color.red > 250 && color.green < 5 && color.alpha == 255, "\(url.prefix(20)) is \(color)")
    }
  }

  @Test func kindsOfPicturesMayTakeTurns() throws {
    // They need children with different filters.
    let sandbox = Sandbox(T.configuration())
    let other = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    let blurred = try drawn(Self.blur)
    for number in 0..<6 {
      #expect(try drawn(Self.blur, in: sandbox) == blurred)
      let image = try other.decode(Misdeed.nothing.bytes(number: number), options: DecodeOptions(), work: WorkContext())
      #expect(image.bitmap == (try MisbehavingCoder.picture(number: number)))
    }
  }

  @Test func whatTakesForEverIsEnded() {
    var limits = Limits()
    limits.decodeTime = .milliseconds(300)
    let uses = (1...11).map { "<g id='g\($0)'>\(String(repeating: "<use href='#g\($0 - 1)'/>", count: 10))</g>" }
    let text = "<rect id='g0' width='50' height='50' opacity='.5'/>\(uses.joined())"
    let error = #expect(throws: ImageError.self) {
      try Sandbox.Coder(SVGCoder(), in: T.sandbox)
        .decode(Self.bytes(text), options: DecodeOptions(), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("did not finish") == true)
  }

  /// Three thousand elements, one in another, each of which is compared with twenty thousand rules.
  private static let manyRules: ImageBytes = {
    let rules = (0..<20_000).map { "g g g g .a\($0) g g g{fill:red}" }.joined()
    let nest = String(repeating: "<g>", count: 150) + String(repeating: "</g>", count: 150)
    return bytes("<style>\(rules)</style>\(String(repeating: nest, count: 20))")
  }()

  /// The clock stands still: only the time that the child takes itself counts.
  @Test func theProcessorTimeOfTheChildIsBounded() {
    let work = WorkContext(limits: Limits(decodeTime: .milliseconds(300)), clock: ManualClock())
    let coder = Sandbox.Coder(SVGCoder(), in: T.sandbox)
    let calls: [() throws -> Void] = [
      { _ = try coder.decode(Self.manyRules, options: DecodeOptions(), work: work) },
      { _ = try coder.probe(Self.manyRules, work: work) },
    ]
    for call in calls {
      let error = #expect(throws: ImageError.self, performing: call)
      #expect(error?.code == .limitExceeded)
      #expect(error?.message.contains("within 0.3 seconds of processor time") == true, "\(error as Any)")
    }
  }

  @Test func picturesInsideCountAsPixelsInTheSandboxToo() throws {
    // The header of a PNG of ten thousand by ten thousand pixels.
    let url = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAJxAAACcQAQAAAAA="
    let error = #expect(throws: ImageError.self) { try drawn("<image width='60' height='40' href='\(url)'/>") }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("100000000 pixels") == true, "\(error as Any)")
  }

  @Test(.enabled(if: SandboxTesting.hasMemoryLimit, "A build with a sanitizer has no limit of memory."))
  func theMemoryOfAPictureIsBoundedByItsOwnLimit() throws {
    let own = try #require(SVGCoder().memoryBytes(forFileOf: 1000, limits: Limits()))
    #expect(own < 700 << 20 && own > 400_000_000)
    #expect(try #require(SVGCoder().memoryBytes(forFileOf: 1000, limits: Limits(framePixels: 1_000_000))) < 270 << 20)
    #expect(SVGCoder().memoryBytes(forFileOf: .max, limits: Limits(framePixels: .max)) ?? 0 > 1 << 40)
    let picture = SandboxedImage(
      bytes: Misdeed.allocate.bytes, coder: MisbehavingCoder().identifier, memoryBytes: 48 << 20)
    let error = #expect(throws: ImageError.self) {
      try T.sandbox.withProcess(for: picture, work: WorkContext()) { process, _ in
        _ = try process.picture(DecodeOptions(), work: WorkContext())
      }
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("\(48 << 20) bytes of memory") == true, "\(error as Any)")
    #expect(error?.message.contains("Raise Limits.framePixels") == true, "\(error as Any)")
  }

  @Test func withoutASandboxNothingIsDrawn() throws {
    var configuration = T.configuration(isBestEffort: true)
    configuration.program = "/no/such/program"
    let coder = Sandbox.Coder(SVGCoder(), in: Sandbox(configuration))
    let calls: [() throws -> Void] = [
      { _ = try coder.decode(Self.bytes(""), options: DecodeOptions(), work: WorkContext()) },
      { _ = try coder.probe(Self.bytes(""), work: WorkContext()) },
      { _ = try coder.metadataBytes(of: Self.bytes(""), work: WorkContext()) },
    ]
    for call in calls {
      let error = #expect(throws: ImageError.self) { try call() }
      #expect(error?.message.contains("the coder svg decodes in no other place") == true)
    }
    // Other coders decode in this process then.
    let other = Sandbox.Coder(MisbehavingCoder(), in: Sandbox(configuration))
    _ = try other.decode(Misdeed.nothing.bytes(number: 1), options: DecodeOptions(), work: WorkContext())
  }
}
