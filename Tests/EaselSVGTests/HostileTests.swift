import EaselCore
import EaselPNG
import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselSVG

struct HostileTests {
  private typealias T = SVGTesting

  // MARK: Other files

  @Test func nothingBesideTheFileIsRead() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "easel-svg-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let picture = Image(try Bitmap(10, 10, .pureRed))
    let png = try PNGCoder().encode(picture, as: .png, options: EncodeOptions(), work: WorkContext()).data()
    let file = folder.appending(path: "x.png").path
    try png.write(to: folder.appending(path: "x.png"))
    try Data(T.small("<g id='a'>\(T.red)</g>").utf8).write(to: folder.appending(path: "x.svg"))
    try Data("rect { fill: red }".utf8).write(to: folder.appending(path: "x.css"))
    try Data(T.red.utf8).write(to: folder.appending(path: "x.txt"))
    let names = [
      "file://\(file)", file, "x.png", "../\(folder.lastPathComponent)/x.png", "file:x.png", "resource:///x",
    ]
    let images = names.flatMap { ["<image width='10' height='10' href='\($0)'/>", "<image xlink:href='\($0)'/>"] }
    let drawing = "\(folder.path)/x.svg"
    let others = [
      "<use href='\(drawing)#a'/>", "<use xlink:href='file://\(drawing)#a'/>",
      "<image width='10' height='10' href='\(drawing)'/>",
      "<style>@import url('file://\(folder.path)/x.css');</style><rect width='10' height='10' fill='none'/>",
      "<filter id='f'><feImage href='file://\(file)'/></filter><rect width='9' height='9' filter='url(#f)'/>",
      "<rect width='10' height='10' fill='url(\(drawing)#a) none'/>",
      "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(folder.path)/x.txt'/>",
      "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' parse='text' href='file://\(drawing)'/>",
    ]
    for content in images + others {
      let image = try T.decode(T.small(content))
      #expect(
        image.bitmap.pixels(in: PixelRect(x: 0, y: 0, width: 10, height: 10)).allSatisfy { $0 == .clear }, "\(content)")
    }
    let sheet =
      "<?xml-stylesheet href='file://\(folder.path)/x.css' type='text/css'?>" + T.small("<rect width='9' height='9'/>")
    #expect(try T.decode(sheet).bitmap.pixel(x: 5, y: 5) == .black)
    let entity = "<!DOCTYPE svg [<!ENTITY a SYSTEM 'file://\(folder.path)/x.txt'>]>" + T.small("<text>&a;</text>&a;")
    #expect(T.error(of: entity)?.code == .badImageData)
    let parameter = "<!DOCTYPE svg [<!ENTITY % a SYSTEM 'file://\(folder.path)/x.txt'> %a;]>" + T.small("")
    #expect((try? T.decode(parameter).bitmap.pixel(x: 5, y: 5)) ?? .clear == .clear)
  }

  @Test(.tags(.alone)) func theNetworkIsNotAsked() throws {
    let server = try ScriptableServer(routes: ["/x.png": .echo])
    let image = try T.decode(T.small("<image width='10' height='10' href='\(server.url("/x.png"))'/>"))
    #expect(image.bitmap.pixel(x: 5, y: 5) == .clear)
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: [
    "<script>while (true) {}</script>", "<foreignObject width='10' height='10'><p>x</p></foreignObject>",
    "<rect width='9' height='9' fill='none'><set attributeName='fill' to='red'/></rect>",
    "<rect width='9' height='9' onload='x()' fill='none'/>", "<video src='x'/>", "<iframe src='file:///etc/passwd'/>",
  ])
  func contentThatActsIsLeftOut(content: String) throws {
    let image = try T.decode(T.small(content))
    #expect(image.bitmap.pixels(in: PixelRect(x: 0, y: 0, width: 10, height: 10)).allSatisfy { $0 == .clear })
  }

  // MARK: Too much

  @Test func entitiesThatMultiplyAreAnError() {
    let names = (0..<10).map { "e\($0)" }
    let entities = zip(names, names.dropFirst()).map { inner, outer in
      "<!ENTITY \(outer) '\(String(repeating: "&\(inner);", count: 10))'>"
    }
    let type = "<!DOCTYPE svg [<!ENTITY e0 'lol'>\(entities.joined())]>"
    #expect(T.error(of: type + T.small("<text>&e9;</text>"))?.code == .badImageData)
    #expect(T.error(of: "<!DOCTYPE svg [<!ENTITY a '&b;'><!ENTITY b '&a;'>]>" + T.small("&a;"))?.code == .badImageData)
  }

  @Test func elementsInElementsAreBounded() throws {
    func nested(_ count: Int) -> String {
      T.small(String(repeating: "<g opacity='.99'>", count: count) + T.red + String(repeating: "</g>", count: count))
    }
    #expect(T.error(of: nested(20_000))?.code == .badImageData)
    #expect(try T.decode(nested(200)).size == T.size(10, 10))
  }

  @Test(arguments: [
    "<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g><use href='#a'/>",
    "<use id='a' href='#a'/>", "<symbol id='a'><use href='#a'/></symbol><use href='#a'/>",
    "<pattern id='a' width='1' height='1'><rect width='9' height='9' fill='url(#a)'/></pattern><path fill='url(#a)'/>",
    "<mask id='a'><rect width='9' height='9' mask='url(#a)'/></mask><rect width='9' height='9' mask='url(#a)'/>",
    "<clipPath id='a' clip-path='url(#a)'><rect width='1' height='1'/></clipPath><path clip-path='url(#a)'/>",
    "<marker id='a'><path marker-mid='url(#a)' d='M0 0 1 1 2 2'/></marker><path marker-mid='url(#a)' d='M0 0 1 1 2 2'/>",
    "<linearGradient id='a' href='#a'/><rect width='9' height='9' fill='url(#a)'/>",
    "<filter id='a' href='#a'/><rect width='9' height='9' filter='url(#a)'/>",
  ])
  func whatRefersToItselfEnds(content: String) throws {
    #expect(try T.decode(T.small(content)).size == T.size(10, 10))
  }

  @Test func usesThatMultiplyAreRefused() throws {
    let levels = (1...6).map { level in
      "<g id='g\(level)'>\(String(repeating: "<use href='#g\(level - 1)'/>", count: 100))</g>"
    }
    let error = try #require(T.error(of: T.small("<defs><g id='g0'/>\(levels.joined())</defs><use href='#g6'/>")))
    #expect(error.code == .limitExceeded)
    #expect(error.message.hasPrefix("SVG: it takes too much to draw: "))
  }

  @Test(.tags(.alone)) func theLimitOfBytesIsThatOfXML() throws {
    func error(of bytes: [UInt8]) -> ImageError? { T.error(of: bytes, Limits(downloadBytes: 1 << 20)) }
    func padded(_ count: Int) -> [UInt8] {
      let text = Array(T.small(T.red).utf8)
      return text + [UInt8](repeating: UInt8(ascii: " "), count: count - text.count)
    }
    // Without a tighter limit, such files are ordinary ones.
    #expect(try T.decode(padded(3 << 20)).bitmap.pixel(x: 5, y: 5) == .pureRed)
    #expect(error(of: padded(1 << 20 + 1))?.code == .limitExceeded)
    #expect(try T.decode(Gzip.stored(padded(3 << 20))).bitmap.pixel(x: 5, y: 5) == .pureRed)
    #expect(error(of: Gzip.stored(padded(1 << 20 + 1)))?.code == .limitExceeded)
    let bomb = Array(T.small(T.red).utf8) + [UInt8](repeating: UInt8(ascii: "\n"), count: 100 << 20)
    let packed = try #require(Process.output(of: ["gzip", "-1"], input: bomb))
    #expect(packed.count < 1 << 20)
    #expect(error(of: packed)?.code == .limitExceeded)
    #expect(T.error(of: packed)?.code == .limitExceeded)
    #expect(error(of: Gzip.stored(padded(3 << 20)))?.code == .limitExceeded)
  }

  /// Lengths far outside the picture, and parts without end inside it.
  ///
  /// Others end the process, or take hours: only a sandbox bounds these.
  @Test(arguments: [
    "<rect x='-1e9' y='-1e9' width='2e9' height='2e9' fill='red' stroke='red' stroke-width='1e9'/>",
    "<path d='M-1e9 5H1e9' stroke='red' stroke-dasharray='1e6 1'/>", "<path d='M0 0A1e9 1e9 0 1 1 9 9' fill='red'/>",
    "<text font-size='1e6'>a</text>", "<text font-size='1e-9'>a</text>", "<text x='1e9' dx='-1e9'>a</text>",
    "<filter id='a'><feGaussianBlur stdDeviation='1e9'/></filter><rect width='9' height='9' filter='url(#a)'/>",
    "<filter id='a'><feMorphology operator='dilate' radius='1e9'/></filter><rect width='9' height='9' filter='url(#a)'/>",
    "<filter id='a' x='-1e9' y='-1e9' width='2e9' height='2e9'><feFlood/></filter><rect width='9' filter='url(#a)'/>",
    "<pattern id='a' width='1e9' height='1e9'><rect width='1e9' height='1e9'/></pattern><path d='M0 0h9v9' fill='url(#a)'/>",
    "<svg width='1e9' height='1e9' viewBox='0 0 1e-9 1e-9'><rect width='1' height='1'/></svg>",
    "<rect width='1' height='1' transform='scale(1e9) scale(1e9) scale(1e9) scale(1e9) scale(1e9)'/>",
    "<mask id='a' x='-1e9' width='2e9' height='2e9'><path d='M0 0h9'/></mask><rect width='9' height='9' mask='url(#a)'/>",
  ])
  func lengthsOfABillionAreDrawnOrRefused(content: String) throws {
    if let error = T.error(of: T.small(content)) {
      #expect([.limitExceeded, .badImageData].contains(error.code), "\(error)")
    } else {
      #expect(try T.decode(T.small(content)).size == T.size(10, 10))
    }
  }

  /// cairo refuses a font to everyone once letters of it were too large.
  @Test(arguments: [
    "<text font-size='1e6'>a</text>", "<text font-size='10' transform='scale(1e5)'>a</text>",
  ])
  func lettersThatAreTooLargeSpoilNoOthers(tooLarge: String) throws {
    let text = T.small("<text y='9' font-size='9'>a</text>")
    let whole = PixelRect(x: 0, y: 0, width: 10, height: 10)
    let before = try T.decode(text).bitmap.pixels(in: whole)
    _ = T.error(of: T.small(tooLarge))
    #expect(try T.decode(text).bitmap.pixels(in: whole) == before)
  }

  // MARK: Standard error

  /// Letters of sizes that pango refuses, drawn and, where the document has no size, measured.
  ///
  /// Of those that are too large it writes as only a program may prevent it.
  private static let strangeLetters = ["-1e38", "-1", "0"].flatMap { size in
    ["width='9' height='9'", ""].map { Array(T.svg($0, "<text y='9' font-size='\(size)'>a</text>").utf8) }
  }

  /// Documents with bytes that are no letters in their encodings.
  private static let damagedLetters: [[UInt8]] = {
    let start = "<svg xmlns='http://www.w3.org/2000/svg'>"
    let document = start + "</svg>"
    // A part of it must be there before libxml2 tries the rest.
    let wide: [UInt8] = document.utf8.flatMap { [0, 0, 0, $0] }
    var documents = wide.indices.map { Array(wide[..<$0]) }
    let marked: [[UInt8]] = [[0, 0, 0xFE, 0xFF] + wide, [0xFF, 0xFE] + document.utf16Bytes]
    for whole in marked {
      for place in whole.indices {
        for byte: UInt8 in [0xDC, 0xFF] {
          var damaged = whole
          damaged[place] = byte
          documents.append(damaged)
        }
      }
    }
    for encoding in ["UTF-8", "UTF-16", "UCS-4", "UTF-7", "Shift_JIS", "EUC-JP", "GB18030", "ISO-2022-JP", "none"] {
      let named = Array("<?xml version='1.0' encoding='\(encoding)'?>\(start)".utf8)
      for damage: [UInt8] in [[], [0x80], [0xFF, 0xFF], [0x1B, 0x24, 0x80], [0xD8, 0, 0xD8, 0]] {
        documents.append(named + damage + Array("</svg>".utf8))
      }
    }
    return documents
  }()

  /// The error is enough: pango and libxml2 print nothing about a document.
  @Test(.tags(.alone)) func nothingIsPrinted() async throws {
    let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for document in HostileTests.strangeLetters + HostileTests.damagedLetters {
        _ = try? SVGTesting.decode(document)
      }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self) == "")
  }

  // MARK: Damage

  @Test(arguments: [
    "", "<svg", "<svg>", "<svg xmlns='http://www.w3.org/2000/svg'><g></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'>&x;</svg>", "<svg a='1' a='2'/>",
  ])
  func damageIsAnError(text: String) throws {
    let error = try #require(T.error(of: text))
    #expect([.badImageData, .unsupportedFormat].contains(error.code))
    #expect(error.message.hasPrefix("SVG: "))
    #expect(error.message.allSatisfy { !$0.isNewline })
  }

  private let every = Array(
    """
    <svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><linearGradient id='b'><stop stop-color='red'/>\
    </linearGradient><path d='M0 0h9v9z' fill='url(#b)'/><use href='#b' x='1'/></svg>
    """.utf8)

  @Test func everyCutIsAnError() {
    for count in 0..<every.count { #expect(T.error(of: Array(every.prefix(count))) != nil, "\(count)") }
  }

  @Test func everyByteMayBeWrong() {
    for damaged in WrongBytes(of: every) {
      guard let error = T.error(of: damaged) else { continue }
      #expect(
        [.badImageData, .unsupportedFormat, .limitExceeded].contains(error.code),
        "\(String(decoding: damaged, as: UTF8.self)): \(error)")
    }
  }

  @Test func everyCutOfAPackedFileIsAnError() {
    let packed = Gzip.stored(Array(T.small(T.red).utf8))
    for count in 0..<packed.count { #expect(T.error(of: Array(packed.prefix(count))) != nil, "\(count)") }
    var damaged = packed
    damaged[30] ^= 1
    #expect(T.error(of: damaged)?.code == .badImageData)
  }

  @Test func theTextsOfAFileBringNoControlCharactersIntoErrors() throws {
    let error = try #require(T.error(of: "<svg xmlns='x'><a\u{1B}[31m></svg>"))
    #expect(error.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
  }

  @Test(arguments: ["svg", "html", "rdf"]) func aDocumentOfAnotherNamespaceHasNoPicture(name: String) {
    let error = T.error(of: "<\(name) xmlns='http://www.example.org/x'/>")
    #expect([.badImageData, .unsupportedFormat].contains(error?.code))
  }
}
