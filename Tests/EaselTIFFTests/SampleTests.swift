import EaselCore
import EaselTestPixels
import Testing

@testable import EaselTIFF

/// What samples of every kind become.
struct SampleTests {
  private typealias T = TIFFTesting
  private typealias Page = HandmadeTIFF.Page

  /// The components of the only row, of 8 or 16 bits.
  private func row(
    _ page: Page, isWide: Bool = false, isBigEndian: Bool = false, isBig: Bool = false
  ) throws -> [[Int]] {
    let file = HandmadeTIFF(page, isBigEndian: isBigEndian, isBig: isBig).bytes
    let image = try T.decode(ImageBytes(file)) { $0.keeps16Bits = isWide }
    return (0..<image.size.width).map { image.bitmap.components($0, 0) }
  }

  private func gray(_ values: [Int], _ most: Int = 255) -> [[Int]] { values.map { [$0, $0, $0, most] } }

  @Test func greyOfEveryDepthReachesFromBlackToWhite() throws {
    for bits in 1...16 {
      let most = (1 << bits) - 1
      // Three samples: the least, the greatest and half of it.
      let samples = [0, most, most / 2]
      var packed: [UInt8] = []
      if bits == 16 {
        packed = samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
      } else {
        var (value, count) = (0, 0)
        for sample in samples {
          value = value << bits | sample
          count += bits
          while count >= 8 {
            packed.append(UInt8(truncatingIfNeeded: value >> (count - 8)))
            count -= 8
          }
        }
        if count > 0 { packed.append(UInt8(truncatingIfNeeded: value << (8 - count))) }
      }
      let page = Page(3, 1, bits: [bits], photometric: 1, strips: [packed])
      let half = Double(most / 2) / Double(most)
      #expect(try row(page) == gray([0, 255, Int((half * 255).rounded())]), "\(bits) bits")
      if bits > 8 {
        #expect(try row(page, isWide: true) == gray([0, 65_535, Int((half * 65_535).rounded())], 65_535))
      }
      var inverted = page
      inverted.photometric = 0
      let dark = 255 - Int((half * 255).rounded())
      let result = try row(inverted)
      #expect(result[0] == [255, 255, 255, 255] && result[1] == [0, 0, 0, 255])
      #expect(abs(result[2][0] - dark) <= 1)
    }
  }

  @Test(arguments: [24, 32, 64], [false, true])
  func longNumbersKeepTheirUpperBits(bits: Int, isBigEndian: Bool) throws {
    let samples = [0, 0x1234 << (bits - 16), -1].flatMap { value in
      let bytes = (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBigEndian ? bytes.reversed() : bytes
    }
    let page = Page(3, 1, bits: [bits], photometric: 1, strips: [samples])
    #expect(try row(page, isWide: true, isBigEndian: isBigEndian) == gray([0, 0x1234, 65_535], 65_535))
  }

  @Test func signedNumbersBeginWithTheLeast() throws {
    let page = Page.row([[-32_768], [0], [32_767]], bits: 16, photometric: 1, tags: [(339, 3, [2])])
    let result = try row(page)
    #expect(result[0][0] == 0 && result[1][0] == 128 && result[2][0] == 255)
  }

  /// Programs call bytes signed by mistake, and all others show them as they are.
  @Test func signedBytesAreShownAsTheyAre() throws {
    let tags = [(tag: 339, type: 3, values: [2])]
    #expect(
      try row(Page.row([[0], [100], [200], [255]], photometric: 1, tags: tags)) == gray([0, 100, 200, 255], 255))
    let colors = Page.row([[0, 100, 255]], photometric: 2, tags: [(tag: 339, type: 3, values: [2, 2, 2])])
    #expect(try row(colors) == [[0, 100, 255, 255]])
  }

  @Test func fractionsReachFromNothingToOne() throws {
    let tags = [(tag: 339, type: 3, values: [3])]
    let single = [Float(-1), 0, 0.5, 1, 7, .nan].map { [Int($0.bitPattern)] }
    let expected = gray([0, 0, 32_768, 65_535, 65_535, 0], 65_535)
    #expect(try row(Page.row(single, bits: 32, photometric: 1, tags: tags), isWide: true) == expected)
    let double = [-1, 0, 0.5, 1, 7, Double.nan].map { [Int(bitPattern: UInt(($0 as Double).bitPattern))] }
    #expect(try row(Page.row(double, bits: 64, photometric: 1, tags: tags), isWide: true) == expected)
    // One bit of sign, five of exponent and ten of fraction.
    let half = [[0xBC00], [0], [0x3800], [0x3C00], [0x4700], [0x7E00]]
    #expect(try row(Page.row(half, bits: 16, photometric: 1, tags: tags), isWide: true) == expected)
    // One bit of sign, seven of exponent and sixteen of fraction.
    let odd = [[0xBF_0000], [0], [0x3E_0000], [0x3F_0000], [0x41_C000], [0x7F_8000]]
    #expect(try row(Page.row(odd, bits: 24, photometric: 1, tags: tags), isWide: true) == expected)
  }

  @Test func aStatedRangeOfFractionsIsUsed() throws {
    let samples = [Float(-10), 0, 10].map { [Int($0.bitPattern)] }
    let range = [Float(-10), 10].map { Int($0.bitPattern) }
    let page = Page.row(
      samples, bits: 32, photometric: 1,
      tags: [(339, 3, [3]), (340, 11, [range[0]]), (341, 11, [range[1]])])
    #expect(try row(page, isWide: true) == gray([0, 32_768, 65_535], 65_535))
  }

  @Test func bothByteOrdersAndBothWidthsOfOffsetsAreRead() throws {
    let little = Page(2, 1, bits: [16], photometric: 1, strips: [[0x34, 0x12, 0xFF, 0xFF]])
    let big = Page(2, 1, bits: [16], photometric: 1, strips: [[0x12, 0x34, 0xFF, 0xFF]])
    for isBig in [false, true] {
      #expect(try row(little, isWide: true, isBig: isBig) == gray([0x1234, 65_535], 65_535))
      #expect(try row(big, isWide: true, isBigEndian: true, isBig: isBig) == gray([0x1234, 65_535], 65_535))
    }
  }

  @Test func alphaIsStraightWhateverItIsInTheFile() throws {
    let pixels = [[64, 32, 0, 128], [10, 20, 30, 0], [255, 9, 1, 255]]
    let straight = Page.row(pixels, photometric: 2, tags: [(338, 3, [2])])
    #expect(try row(straight) == pixels)
    let multiplied = Page.row(pixels, photometric: 2, tags: [(338, 3, [1])])
    #expect(try row(multiplied) == [[128, 64, 0, 128], [0, 0, 0, 0], [255, 9, 1, 255]])
    // A sample without a meaning is no alpha.
    let other = Page.row(pixels, photometric: 2, tags: [(338, 3, [0])])
    #expect(try row(other) == pixels.map { $0.prefix(3) + [255] })
    // The alpha may stand after others.
    let later = Page.row([[1, 2, 3, 99, 50]], photometric: 2, tags: [(338, 3, [0, 2])])
    #expect(try row(later) == [[1, 2, 3, 50]])
    let gray = Page.row([[7, 70], [9, 255]], photometric: 1, tags: [(338, 3, [2])])
    #expect(try row(gray) == [[7, 7, 7, 70], [9, 9, 9, 255]])
    #expect(try T.probe(ImageBytes(HandmadeTIFF(gray).bytes)).hasAlpha)
  }

  @Test func aPaletteMayHaveWordsOrBytes() throws {
    let words = [0, 0x1234, 0xFFFF, 0x8000] + [0, 0x5678, 0, 0x4000] + [0, 0x9ABC, 0xFFFF, 0xC000]
    let page = Page(4, 1, bits: [2], photometric: 3, strips: [[0b00_01_10_11]], tags: [(320, 3, words)])
    #expect(
      try row(page) == [[0, 0, 0, 255], [0x12, 0x56, 0x9A, 255], [255, 0, 255, 255], [0x80, 0x40, 0xC0, 255]])
    var small = page
    small.tags = [(320, 3, words.map { $0 >> 8 })]
    #expect(try row(small) == row(page))
  }

  @Test func planesAreJoined() throws {
    var page = Page(2, 2, bits: [8, 8, 8], photometric: 2, strips: [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
    page.tags = [(284, 3, [2])]
    let image = try T.decode(ImageBytes(HandmadeTIFF(page).bytes))
    #expect(image.bitmap.components(1, 0) == [2, 6, 10, 255] && image.bitmap.components(0, 1) == [3, 7, 11, 255])
  }

  @Test func inksWithoutAProfileAreMultiplied() throws {
    let page = Page.row([[0, 0, 0, 0], [255, 0, 0, 0], [0, 0, 0, 255], [0, 128, 255, 0]], photometric: 5)
    #expect(try row(page) == [[255, 255, 255, 255], [0, 255, 255, 255], [0, 0, 0, 255], [255, 127, 0, 255]])
    let covered = Page.row([[0, 0, 0, 0, 40]], photometric: 5, tags: [(338, 3, [2])])
    #expect(try row(covered) == [[255, 255, 255, 40]])
    let wide = Page.row([[0xFFFF, 0, 0, 0]], bits: 16, photometric: 5)
    #expect(try row(wide) == [[0, 255, 255, 255]])
  }

  @Test func otherInksAreRefused() throws {
    let page = Page.row([[0, 0, 0, 0]], photometric: 5, tags: [(332, 3, [2]), (334, 3, [4])])
    #expect(T.failure(HandmadeTIFF(page).bytes)?.code == .unsupportedFormat)
    let two = Page.row([[0, 0]], photometric: 5)
    #expect(T.failure(HandmadeTIFF(two).bytes)?.code == .badImageData)
  }

  /// Values of Lab and their colours in sRGB, of which the tables are public.
  @Test func labBecomesSRGB() throws {
    // White, black, middle grey, and the red of sRGB.
    let colors: [(lab: [Double], rgb: [Int])] = [
      ([100, 0, 0], [255, 255, 255]), ([0, 0, 0], [0, 0, 0]), ([53.585, 0, 0], [128, 128, 128]),
      ([54.29, 80.81, 69.89], [255, 0, 0]),
    ]
    func near(_ found: [[Int]], _ name: String) {
      for (found, color) in zip(found, colors) {
        let difference = zip(found, color.rgb).map { abs($0 - $1) }.max() ?? 0
        #expect(difference <= 3, "\(name): \(found) is not \(color.rgb)")
      }
    }
    let cie = colors.map { [Int(($0.lab[0] * 2.55).rounded()), Int($0.lab[1].rounded()), Int($0.lab[2].rounded())] }
    near(try row(Page.row(cie, photometric: 8)), "CIELab of 8 bits")
    let wide = colors.map { [Int(($0.lab[0] * 655.35).rounded()), Int($0.lab[1] * 256), Int($0.lab[2] * 256)] }
    near(try row(Page.row(wide, bits: 16, photometric: 8)), "CIELab of 16 bits")
    let icc = cie.map { [$0[0], $0[1] + 128, $0[2] + 128] }
    near(try row(Page.row(icc, photometric: 9)), "ICCLab of 8 bits")
    let wideICC = colors.map {
      [Int(($0.lab[0] * 652.8).rounded()), Int(($0.lab[1] + 128) * 256), Int(($0.lab[2] + 128) * 256)]
    }
    near(try row(Page.row(wideICC, bits: 16, photometric: 9)), "ICCLab of 16 bits")
    let light = Page.row([[255], [0]], photometric: 8)
    #expect(try row(light) == gray([255, 0]))
  }

  @Test func subsampledColoursAreSharedByTheirBlock() throws {
    // A block of two by two: four values of light, then the two of colour.
    let page = Page(
      4, 2, bits: [8, 8, 8], photometric: 6, strips: [[0, 255, 76, 128, 128, 128, 76, 76, 76, 76, 85, 255]],
      tags: [(530, 3, [2, 2])])
    let image = try T.decode(ImageBytes(HandmadeTIFF(page).bytes))
    #expect(image.bitmap.components(0, 0) == [0, 0, 0, 255] && image.bitmap.components(1, 0) == [255, 255, 255, 255])
    #expect(
      image.bitmap.components(0, 1) == [76, 76, 76, 255] && image.bitmap.components(1, 1) == [128, 128, 128, 255])
    for (x, y) in [(2, 0), (3, 0), (2, 1), (3, 1)] {
      let red = image.bitmap.components(x, y)
      #expect(red[0] >= 253 && red[1] <= 2 && red[2] <= 2, "\(red)")
    }
  }

  @Test func formsThatNobodyCanReadAreRefused() throws {
    let complex = Page.row([[0]], bits: 32, photometric: 1, tags: [(339, 3, [5])])
    let unknown = Page.row([[0]], photometric: 777)
    let wideChroma = Page.row([[0, 0, 0]], bits: 16, photometric: 6, tags: [(530, 3, [1, 1])])
    for page in [complex, unknown, wideChroma] {
      let error = T.failure(HandmadeTIFF(page).bytes)
      #expect(error?.code == .unsupportedFormat && error?.message.hasPrefix("TIFF: ") == true, "\(error as Any)")
    }
    let jpeg2000 = Page.row([[0]], photometric: 1, tags: [(259, 3, [34_712])])
    #expect(T.failure(HandmadeTIFF(jpeg2000).bytes)?.message.contains("JPEG 2000") == true)
    let nothing = Page.row([[0]], photometric: 1, tags: [(259, 3, [4_711])])
    #expect(T.failure(HandmadeTIFF(nothing).bytes)?.code == .badImageData)
  }
}
