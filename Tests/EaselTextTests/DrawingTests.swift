import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselText

/// What is drawn is bounded and compared with itself, because the shapes of letters are those of fonts.
struct DrawingTests {
  private typealias T = TextTesting
  private static let red = PixelColor(red: 255, green: 0, blue: 0)

  @Test func lettersHaveTheirColourOnTransparentPixels() throws {
    let bitmap = try T.drawn("Hlm") { $0.color = PixelColor(red: 200, green: 100, blue: 50) }
    #expect(bitmap.format == .rgba8 && bitmap.ink != nil)
    var opaque = 0
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width {
        let pixel = bitmap.components(x, y)
        if pixel[3] == 255 { opaque += 1 }
        if pixel[3] > 100 {
          #expect(zip(pixel, [200, 100, 50]).allSatisfy { abs($0 - $1) <= 3 }, "\(pixel) at \(x),\(y)")
        }
      }
    }
    #expect(opaque > 20)
  }

  @Test func anAlphaOfTheColourIsThatOfTheLetters() throws {
    let bitmap = try T.drawn("Hlm") { $0.color.alpha = 128 }
    let most = (0..<bitmap.height).flatMap { y in (0..<bitmap.width).map { bitmap.components($0, y)[3] } }.max()
    #expect((127...129).contains(try #require(most)))
  }

  @Test(arguments: [10.0, 40, 200]) func lettersAreAsLargeAsTheirSize(_ size: Double) throws {
    let ink = try #require(T.drawn("H") { $0.size = size }.ink)
    // Capitals of DejaVu Sans have 0.729 of its size.
    #expect(abs(Double(ink.height) - 0.729 * size) <= 2)
    let wide = try T.drawn("HHHHHHHHHH") { $0.size = size }
    // Each takes 0.752 of its size.
    #expect(abs(Double(wide.width) - 7.52 * size) <= 3)
  }

  @Test func thePictureHoldsWholeLines() throws {
    let (low, tall) = (try T.drawn("a"), try T.drawn("Äg|"))
    #expect(low.height == tall.height)
    #expect(try abs(T.drawn("a\nb").height - 2 * low.height) <= 1)
    let loose = try T.drawn("a\nb") { $0.lineSpacing = 2 }
    #expect(loose.height > 2 * low.height)
  }

  @Test func linesAreBrokenAtAWidth() throws {
    let text = String(repeating: "word ", count: 20)
    let line = try T.drawn(text)
    for width in [100, 150, 400] {
      let broken = try T.drawn(text, width: width)
      #expect(broken.width <= width + 8 && broken.width > width / 3, "\(broken.size)")
      #expect(broken.height >= line.height * (line.width / width), "\(broken.size)")
    }
    // A word that is too long is broken anywhere.
    let word = try T.drawn(String(repeating: "m", count: 40), width: 100)
    #expect(word.width <= 108 && word.height >= 4 * line.height)
  }

  @Test func weightAndSlantChangeTheLetters() throws {
    let plain = try T.drawn("Hill")
    let bold = try T.drawn("Hill") { $0.weight = 700 }
    let slanted = try T.drawn("Hill") { $0.isItalic = true }
    #expect(Double(bold.coverage) > 1.2 * Double(plain.coverage) && slanted != plain && slanted != bold)
    let narrow = try T.drawn("ill") { $0.family = "DejaVu Sans Mono" }
    let same = try T.drawn("HHH") { $0.family = "DejaVu Sans Mono" }
    #expect(abs(narrow.width - same.width) <= 2)
  }

  @Test func aFamilyThatIsMissingIsReplaced() throws {
    #expect(try T.drawn("Hill") { $0.family = "No Such Family, DejaVu Sans" } == T.drawn("Hill"))
    #expect(try T.drawn("Hill") { $0.family = "No Such Family" }.ink != nil)
  }

  // MARK: Outline and shadow

  @Test func anOutlineSurroundsTheLetters() throws {
    let plain = try #require(T.drawn("H") { $0.size = 60 }.ink)
    let lined = try T.drawn("H") {
      $0.size = 60
      $0.outline = .init(width: 3, color: Self.red)
    }
    let ink = try #require(lined.ink)
    #expect(abs(ink.width - plain.width - 6) <= 2 && abs(ink.height - plain.height - 6) <= 2)
    let isRed: ([Int]) -> Bool = { $0[3] == 255 && $0[0] > 250 }
    let isBlack: ([Int]) -> Bool = { $0[3] == 255 && $0[0] < 5 }
    let line = try #require(lined.bounds(where: isRed)), inner = try #require(lined.bounds(where: isBlack))
    #expect(line.x < inner.x && line.y < inner.y && line.x + line.width > inner.x + inner.width)
    // The letters are as thick as without it.
    #expect(abs(inner.width - plain.width) <= 2)
  }

  @Test func aSharpShadowIsTheTextOnceMore() throws {
    let plain = try T.drawn("Hi")
    let shaded = try T.drawn("Hi") { $0.shadow = .init(x: 30, y: 5, blur: 0, color: Self.red) }
    #expect(shaded.width == plain.width + 30 && shaded.height == plain.height + 5)
    let ink = try #require(plain.ink)
    let shadow = try #require(shaded.bounds { $0[3] > 0 && $0[0] > 250 })
    #expect(shadow == PixelRect(x: ink.x + 30, y: ink.y + 5, width: ink.width, height: ink.height))
    let left = try T.drawn("Hi") { $0.shadow = .init(x: -30, y: -5, blur: 0, color: Self.red) }
    #expect(left.size == shaded.size)
    let moved = try #require(left.bounds { $0[3] > 0 && $0[0] > 250 })
    #expect(moved == ink)
  }

  @Test func aSoftShadowTakesRoom() throws {
    let plain = try T.drawn("Hi")
    let shaded = try T.drawn("Hi") { $0.shadow = .init(x: 0, y: 0, blur: 4) }
    #expect(shaded.width == plain.width + 24 && shaded.height == plain.height + 24)
    // The letters are in the middle, and around them is less and less of the shadow.
    #expect(shaded.coverage > plain.coverage * 5 / 4)
    let ink = try #require(plain.ink)
    #expect(shaded.components(12 + ink.x - 2, 12 + ink.y + 3)[3] > shaded.components(12 + ink.x - 8, 12 + ink.y + 3)[3])
  }

  // MARK: Lines

  /// The sides of the first and of the second of two lines.
  private func lines(_ text: String, _ change: (inout TextStyle) -> Void) throws -> (PixelRect, PixelRect) {
    let bitmap = try T.drawn(text, change)
    let half = bitmap.height / 2
    let upper = try #require(bitmap.cropped(to: PixelRect(x: 0, y: 0, width: bitmap.width, height: half)).ink)
    let lower = try #require(bitmap.cropped(to: PixelRect(x: 0, y: half, width: bitmap.width, height: half)).ink)
    return (upper, lower)
  }

  @Test(
    arguments: [("HHHHHHHH\nHH", false), ("\u{5d0}\u{5d1}\u{5d2}\u{5d3}\u{5d4}\u{5d5}\u{5d6}\n\u{5d0}\u{5d1}", true)])
  func shortLinesLieAtTheirSide(_ text: String, _ isRightToLeft: Bool) throws {
    func margins(_ alignment: TextStyle.Alignment) throws -> (left: Int, right: Int) {
      let (long, short) = try lines(text) { $0.alignment = alignment }
      return (short.x - long.x, long.x + long.width - short.x - short.width)
    }
    let (start, center, end) = (try margins(.start), try margins(.center), try margins(.end))
    let (near, far) = isRightToLeft ? (start.right, start.left) : (start.left, start.right)
    #expect(abs(near) <= 3 && far > 20)
    #expect(abs(center.left - center.right) <= 4 && center.left > 8)
    let (last, first) = isRightToLeft ? (end.left, end.right) : (end.right, end.left)
    #expect(abs(last) <= 3 && first > 20)
  }

  @Test func aStatedDirectionDecidesWhereLinesBegin() throws {
    let (long, short) = try lines("HHHHHHHH\nHH") { $0.direction = .rightToLeft }
    #expect(abs(long.x + long.width - short.x - short.width) <= 3 && short.x - long.x > 20)
    let hebrew = "\u{5d0}\u{5d1}\u{5d2}\u{5d3}\u{5d4}\u{5d5}\u{5d6}\n\u{5d0}\u{5d1}"
    let (first, second) = try lines(hebrew) { $0.direction = .leftToRight }
    #expect(abs(first.x - second.x) <= 3)
  }

  @Test func lettersOfArabicAreJoined() throws {
    let joined = try T.drawn("\u{628}\u{628}\u{628}"), apart = try T.drawn("\u{628}\u{200c}\u{628}\u{200c}\u{628}")
    #expect(joined.ink != nil && joined != apart)
  }

  @Test func justifiedLinesReachBothSides() throws {
    let text = "aaa bbb ccc ddd eee fff ggg hhh iii"
    let (ragged, straight) = (
      try T.drawn(text, width: 130), try T.drawn(text, width: 130) { $0.alignment = .justified }
    )
    let first = PixelRect(x: 0, y: 0, width: 1000, height: try T.drawn("a").height)
    func width(_ bitmap: Bitmap) throws -> Int {
      try #require(bitmap.cropped(to: first.intersection(PixelRect(covering: bitmap.size))).ink).width
    }
    #expect(try width(straight) >= width(ragged) && abs(width(straight) - 130) <= 4)
  }

  @Test func emojiAndCombinedLettersAreDrawn() throws {
    for text in ["\u{1f600}", "e\u{301}", "\u{1f469}\u{200d}\u{1f680}", "\u{6f22}\u{5b57}", "\u{16a0}"] {
      #expect(try T.drawn(text).ink != nil, "\(text)")
    }
  }

  @Test func theSameTextIsTheSamePictureOnAllThreads() async throws {
    let expected = try T.drawn("Threads g|") { $0.outline = .init(width: 1) }
    try await withThrowingTaskGroup(of: Bitmap.self) { group in
      for _ in 0..<16 { group.addTask { try T.drawn("Threads g|") { $0.outline = .init(width: 1) } } }
      for try await bitmap in group { #expect(bitmap == expected) }
    }
  }
}
