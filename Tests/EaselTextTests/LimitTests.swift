import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselText

/// Texts that take too much, or make no sense, are one error each.
struct LimitTests {
  private typealias T = TextTesting

  static let styles: [(String, @Sendable (inout TextStyle) -> Void)] = [
    ("size", { $0.size = 0.5 }), ("size", { $0.size = 1001 }), ("size", { $0.size = .nan }),
    ("size", { $0.size = .infinity }), ("weight", { $0.weight = 0 }), ("weight", { $0.weight = .max }),
    ("family", { $0.family = "" }), ("family", { $0.family = "a\u{0}b" }), ("family", { $0.family = "a\nb" }),
    ("family", { $0.family = String(repeating: "a", count: 201) }), ("distance of lines", { $0.lineSpacing = 0 }),
    ("distance of lines", { $0.lineSpacing = 4 }), ("distance of lines", { $0.lineSpacing = .nan }),
    ("outline", { $0.outline = .init(width: -1) }), ("outline", { $0.outline = .init(width: 101) }),
    ("outline", { $0.outline = .init(width: .nan) }), ("blur", { $0.shadow = .init(blur: -1) }),
    ("blur", { $0.shadow = .init(blur: .nan) }), ("moved", { $0.shadow = .init(x: 1001) }),
    ("moved", { $0.shadow = .init(y: .min) }),
  ]

  @Test(arguments: styles.indices)
  func stylesWithoutSenseAreRefused(_ index: Int) {
    let (rule, change) = Self.styles[index]
    let error = #expect(throws: ImageError.self) { try T.drawn("a", change) }
    #expect(error?.code == .transformFailed && error?.message.contains(rule) == true, "\(error!)")
  }

  @Test func longTextsAreRefused() throws {
    for (text, size) in [
      (String(repeating: "a", count: 8193), 1.0), (String(repeating: "a", count: 600), 500),
      (String(repeating: "\n", count: 501), 10), (String(repeating: "a\u{2029}", count: 600), 10),
    ] {
      let error = #expect(throws: ImageError.self) { try T.drawn(text) { $0.size = size } }
      #expect(error?.code == .limitExceeded, "\(error!)")
    }
    #expect(try T.drawn(String(repeating: "a", count: 8192), width: 4000) { $0.size = 10 }.ink != nil)
  }

  @Test func aTextKeepsTheLimitsOfPictures() {
    var limits = Limits()
    limits.framePixels = 1000
    for change in [{ $0.shadow = .init(blur: 30) }, { $0.size = 200 }] as [(inout TextStyle) -> Void] {
      let error = #expect(throws: ImageError.self) { try T.drawn("Hill", limits: limits, change) }
      #expect(error?.code == .limitExceeded, "\(error!)")
    }
  }

  @Test func aLineThatIsTooLongForCairoIsRefused() {
    let error = #expect(throws: ImageError.self) {
      try T.drawn(String(repeating: "m", count: 2000)) { $0.size = 100 }
    }
    #expect(error?.code == .limitExceeded, "\(error!)")
  }

  @Test func aCancelledDrawingEnds() {
    let error = #expect(throws: ImageError.self) {
      try TextDrawing(text: "a", style: TextStyle()).bitmap(work: WorkContext(isCancelled: true))
    }
    #expect(error?.code == .cancelled)
  }

  @Test func controlCharactersAreNotDrawn() throws {
    #expect(try T.drawn("a\u{0}\u{1}\u{7f}\rb") == T.drawn("ab"))
    #expect(try T.drawn("a\tb").width > T.drawn("ab").width)
    #expect(try T.drawn("a\r\nb") == T.drawn("a\nb"))
  }

  static let hostile: [String] = [
    "", " ", "\n", "\u{202e}abc\u{202c}", "\u{200f}\u{200e}", String(repeating: "\u{202a}", count: 500),
    "a" + String(repeating: "\u{301}", count: 2000), String(repeating: "\u{fdfd}", count: 300),
    String(repeating: "\u{1f469}\u{200d}", count: 300), "\u{ffff}\u{10ffff}\u{fffe}", "\u{e000}\u{f8ff}",
    String(repeating: "\u{5d0}a", count: 1000), String(repeating: "\u{ad}", count: 1000), "\u{feff}a\u{feff}",
    String(repeating: "\u{2067}\u{2069}", count: 600), "%s%n%d", "\u{600}\u{601}\u{6dd}123",
  ]

  @Test(arguments: hostile)
  func oddTextsAreDrawnOrRefused(_ text: String) {
    for width in [nil, 1, 300] {
      do throws(ImageError) {
        let bitmap = try T.drawn(text, width: width)
        #expect(!bitmap.size.isEmpty)
      } catch {
        #expect([.limitExceeded, .badImageData].contains(error.code), "\(error)")
      }
    }
  }

  @Test func randomTextsAreDrawnOrRefused() {
    var random = SeededRandom(seed: 11)
    let signs = Array("<>&;/'=\"bispan size=\u{5d0}\u{628}\u{301}\u{200d}\u{1f600}\n\t ")
    for _ in 0..<400 {
      let text = String((0..<Int.random(in: 0...40, using: &random)).map { _ in signs.randomElement(using: &random)! })
      for isMarkup in [false, true] {
        do throws(ImageError) {
          _ = try T.drawn(text, width: 50, isMarkup: isMarkup)
        } catch {
          #expect([.limitExceeded, .badImageData].contains(error.code), "\(error)")
        }
      }
    }
  }
}
