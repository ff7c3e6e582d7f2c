import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselTIFF

/// Faxes without the code for the end of a line, and JPEGs of other kinds than usual.
struct OldCodingTests {
  private typealias T = TIFFTesting
  private typealias Page = HandmadeTIFF.Page

  private enum Ends: CaseIterable {
    case before, none, ofPageAlone
  }

  /// The codes of a row of 16 pixels, and its pixels from left to right.
  private static let rows: [(code: String, pixels: String)] = [
    // 8 white and 8 black.
    ("10011" + "000101", "........########"),
    // No white and 16 black.
    ("00110101" + "0000010111", "################"),
    // 16 white.
    ("101010", "................"),
    // 3 white, 2 black, 11 white.
    ("1000" + "11" + "01000", "...##..........."),
  ]
  private static let end = "000000000001"

  private func page(_ ends: Ends, rows count: Int = 24, isReversed: Bool = false) -> Page {
    var bits = ""
    for row in 0..<count { bits += (ends == .before ? Self.end : "") + Self.rows[row % 4].code }
    if ends != .none { bits += String(repeating: Self.end, count: 6) }
    bits += String(repeating: "0", count: (8 - bits.count % 8) % 8)
    let digits = Array(bits)
    let bytes = stride(from: 0, to: digits.count, by: 8).map { place in
      let byte = digits[place..<place + 8]
      return UInt8(String(isReversed ? Array(byte.reversed()) : Array(byte)), radix: 2)!
    }
    return Page(
      16, count, bits: [1], photometric: 0, strips: [bytes],
      tags: [(259, 3, [3]), (266, 3, [isReversed ? 2 : 1]), (292, 4, [0])])
  }

  private func lines(_ image: Image) -> [String] {
    (0..<image.size.height).map { y in
      String((0..<16).map { image.bitmap.components($0, y)[0] == 0 ? "#" : "." as Character })
    }
  }

  @Test(arguments: Ends.allCases, [false, true])
  private func rowsNeedNoEnds(_ ends: Ends, isReversed: Bool) throws {
    let file = HandmadeTIFF(page(ends, isReversed: isReversed))
    let image = try T.decode(ImageBytes(file.bytes))
    #expect(lines(image) == (0..<24).map { Self.rows[$0 % 4].pixels })
  }

  @Test func pagesWithAndWithoutEndsMayFollowOneAnother() throws {
    let file = HandmadeTIFF(page(.none), page(.before), page(.none))
    let image = try T.decode(ImageBytes(file.bytes))
    for index in [2, 1, 0, 1] {
      #expect(try image.frames?.frame(at: index) == image.bitmap, "\(index)")
    }
  }

  @Test func aFaxThatIsCutOffIsPartial() throws {
    for ends in [Ends.before, .none] {
      var cut = page(ends)
      cut.strips[0].removeLast(cut.strips[0].count / 2)
      #expect(T.failure(HandmadeTIFF(cut).bytes)?.code == .badImageData)
      let image = try T.decode(ImageBytes(HandmadeTIFF(cut).bytes)) { $0.damaged = .show }
      #expect(image.traits.contains(.partial))
      #expect(lines(image).first == Self.rows[0].pixels)
    }
  }

  /// 16 by 8 grey pixels, half of them 40 and half 200, as a JPEG.
  private static let jpeg = Array(
    Data(
      base64Encoded: "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdB"
        + "RkxOUlNSMj5aYVpQYEpRUk//wAALCAAIABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAABgf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA"
        + "/9oACAEBAAA/ABKxP//Z")!)

  /// libtiff looks for an old JPEG where the tags say, and nowhere else.
  @Test(arguments: [0, 6, 100_000]) func anOldJPEGIsFoundInItsStrip(error distance: Int) throws {
    let tags = [
      (tag: 259, type: 3, values: [6]), (tag: 513, type: 4, values: [8 + distance]),
      (tag: 514, type: 4, values: [Self.jpeg.count]),
    ]
    for isBigEndian in [false, true] {
      let page = Page(16, 8, bits: [8], photometric: 1, strips: [Self.jpeg], tags: tags)
      let image = try T.decode(ImageBytes(HandmadeTIFF(page, isBigEndian: isBigEndian).bytes))
      #expect(image.bitmap.components(2, 2) == [40, 40, 40, 255])
      #expect(image.bitmap.components(12, 6) == [200, 200, 200, 255])
    }
  }

  @Test(arguments: [(0xC3, "lossless JPEG"), (0xC5, "hierarchical JPEG")])
  func aJPEGThatNobodyReadsIsNamed(code: Int, name: String) {
    let strip: [UInt8] =
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, UInt8(code), 0, 11, 8, 0, 4, 0, 4, 1, 1, 0x11, 0]
      + [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 0, 0, 0x55, 0xFF, 0xD9]
    let page = Page(4, 4, bits: [8], photometric: 1, strips: [strip], tags: [(259, 3, [7])])
    let error = T.failure(HandmadeTIFF(page).bytes)
    #expect(error?.code == .unsupportedFormat && error?.message.contains(name) == true, "\(error as Any)")
  }
}
