import EaselCore
import EaselPNG
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselAVIF

/// Planes that are made smaller before they become pixels give the picture that whole pixels give.
@Suite(.tags(.alone))
struct ReductionTests {
  private typealias T = AVIFTesting

  private static func png(_ bitmap: Bitmap) throws -> ImageBytes {
    try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
  }

  /// The difference between the picture of smaller planes and one of all pixels, which are made smaller with 16 bits.
  private func difference(
    _ bytes: ImageBytes, to size: PixelSize, keeps16Bits: Bool = false
  ) throws -> (mean: Double, largest: Int) {
    let small = try T.decode(bytes) {
      ($0.thumbnailSize, $0.fidelity) = (size, .fast)
      $0.preservesAspectRatio = false
      $0.keeps16Bits = keeps16Bits
      $0.convertsColor = false
    }
    let whole = try T.decode(bytes) {
      $0.keeps16Bits = true
      $0.convertsColor = false
    }.bitmap
    let alpha = whole.format.alpha
    let expected = try whole.converted(to: PixelFormat(.rgba16, alpha: alpha)).resized(to: size)
    #expect(small.size == size && small.bitmap.format.alpha == alpha)
    let steps = small.bitmap.format.layout == .rgba16 ? 1 : 257
    var (sum, largest) = (0.0, 0.0)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (seen, exact) = (small.bitmap.components(x, y).map { $0 * steps }, expected.components(x, y))
        // Colours of transparent pixels count as little as they can be seen.
        let weight = Double(exact[3]) / 65_535
        for channel in 0..<4 {
          let distance = Double(abs(seen[channel] - exact[channel])) / 257 * (channel < 3 ? weight : 1)
          sum += distance
          largest = max(largest, distance)
        }
      }
    }
    return (sum / Double(4 * size.area), Int(largest.rounded(.up)))
  }

  private static let pictures = Result { try [Bitmap.waves(171, 119), T.softAlpha(123, 95)].map(png) }

  @Test(
    .enabled(if: Avifenc.isThere, Avifenc.isMissing), arguments: ["420", "422", "444", "400"],
    [
      ["-d", "8"], ["-d", "10"], ["-d", "12"], ["-d", "8", "-r", "limited"], ["-d", "10", "-r", "limited"],
      ["-d", "8", "-p"], ["-d", "10", "-p"],
    ])
  func everyKindOfPlanesGivesTheSamePicture(chroma: String, options: [String]) throws {
    for png in try Self.pictures.get() {
      let command = ["/usr/bin/avifenc", "-s", "10", "-y", chroma] + options
      let bytes = ImageBytes(try #require(try Avifenc.written(command, of: png)))
      for size in [PixelSize(width: 40, height: 30), PixelSize(width: 7, height: 45), PixelSize(width: 1, height: 1)] {
        // Whole pixels have colours that were mixed from those beside them, which blurs them a little.
        let most = chroma == "420" || chroma == "422" ? 5 : 3
        for keeps16Bits in [false, true] {
          let (mean, largest) = try difference(bytes, to: size, keeps16Bits: keeps16Bits)
          #expect(mean < 0.5 && largest <= most, "\(chroma) \(options) \(size): \(mean) \(largest)")
        }
      }
    }
  }

  @Test(.enabled(if: Avifenc.isThere, Avifenc.isMissing), arguments: [0, 1, 2, 4, 5, 6, 7, 8, 9])
  func everyMatrixIsUndone(matrix: Int) throws {
    let bitmap = try Bitmap.waves(120, 90)
    let range = [0, 8].contains(matrix) ? "full" : "limited"
    let command = [
      "/usr/bin/avifenc", "-s", "10", "-y", "444", "--min", "0", "--max", "10", "--cicp", "9/16/\(matrix)", "-r", range,
    ]
    let bytes = ImageBytes(try #require(try Avifenc.written(command, of: Self.png(bitmap))))
    // Compared with the picture before it was encoded: libyuv, which libavif calls for whole pixels, bounds a number of
    // the matrices 1 and 9 so that blue is wrong by up to eleven levels.
    let small = try T.decode(bytes) {
      ($0.thumbnailSize, $0.fidelity) = (PixelSize(width: 30, height: 30), .fast)
      $0.convertsColor = false
    }.bitmap
    let expected = try bitmap.resized(to: small.size)
    #expect(small.size == PixelSize(width: 30, height: 23) && small.largestDifference(from: expected) <= 4)
    #expect(small.signalToNoise(against: expected) > 46)
  }

  @Test(.enabled(if: Avifenc.isThere, Avifenc.isMissing), arguments: ["420", "444"])
  func ofACropNothingElseIsSeen(chroma: String) throws {
    // Around the crop lies another colour, which would bleed in.
    let part = PixelRect(x: 42, y: 30, width: 100, height: 60)
    let bitmap = try Bitmap(200, 150, .opaqueRGBA8) { x, y in
      part.x..<part.x + part.width ~= x && part.y..<part.y + part.height ~= y ? [200, 30, 30, 255] : [0, 255, 0, 255]
    }
    let command = ["/usr/bin/avifenc", "-s", "10", "--min", "0", "--max", "0", "-y", chroma, "--crop", "42,30,100,60"]
    let bytes = ImageBytes(try #require(try Avifenc.written(command, of: Self.png(bitmap))))
    let small = try T.decode(bytes) {
      $0.thumbnailSize = PixelSize(width: 20, height: 20)
      // Pixels at full size share samples of colour with those around the crop, unless each has its own.
      $0.fidelity = chroma == "420" ? .fast : .faithful
    }
    #expect(small.size == PixelSize(width: 20, height: 12))
    for (x, y) in [(0, 0), (19, 0), (0, 11), (19, 11), (10, 6)] {
      let seen = small.bitmap.components(x, y)
      #expect(abs(seen[0] - 200) <= 3 && abs(seen[1] - 30) <= 3 && abs(seen[2] - 30) <= 3, "\(seen)")
    }
  }

  @Test(arguments: [PixelFormat.rgba8, .opaqueRGBA8, .gray8])
  func withoutLossItIsTheSmallPicture(format: PixelFormat) throws {
    let bitmap = try Bitmap.noise(121, 93, format)
    let bytes = try T.encode(Image(bitmap), T.lossless)
    let (mean, largest) = try difference(bytes, to: PixelSize(width: 30, height: 40))
    #expect(mean < 0.3 && largest <= 3)
  }

  @Test func coloursOfTransparentPixelsAreNotSeen() throws {
    // Green that nobody sees lies beside red.
    let bitmap = try Bitmap(128, 96, .rgba8) { x, _ in x < 64 ? [250, 0, 0, 255] : [0, 250, 0, 0] }
    for chroma in [EncodeOptions.ChromaSubsampling.full, .halfWidth, .quarter] {
      let bytes = try T.encode(Image(bitmap)) {
        $0.quality = 1
        $0.chromaSubsampling = chroma
        $0.settings[.avifAlphaQuality] = 1
      }
      let small = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: 12, height: 9) }.bitmap
      for x in 0..<12 {
        let seen = small.components(x, 4)
        #expect(seen[3] == 0 || seen[1] < 12 && seen[0] > 235, "\(chroma) \(x): \(seen)")
      }
      #expect(small.components(0, 0)[3] == 255 && small.components(11, 8) == [0, 0, 0, 0])
    }
  }

  @Test(arguments: [16, 18])
  func lightIsConvertedAfterwards(transfer: Int) throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 200, height: 150))
    metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: transfer))
    let bitmap = try Bitmap.waves(200, 150).converted(to: PixelFormat(.rgba16, alpha: .opaque))
    let bytes = try T.encode(Image(bitmap, metadata: metadata)) { $0.quality = 0.9 }
    let small = try T.decode(bytes) {
      $0.thumbnailSize = PixelSize(width: 50, height: 50)
      $0.keeps16Bits = true
    }.bitmap
    let whole = try T.decode(bytes) {
      $0.keeps16Bits = true
      $0.convertsColor = false
    }.bitmap
    let color = try #require(metadata.color)
    let expected = try whole.resized(to: small.size).converted(from: color)
    #expect(small.largestDifference(from: expected) < 6 * 257)
  }

  @Test func aCancelledReductionStops() throws {
    let bytes = try T.encode(Image(Bitmap.waves(64, 48)))
    let error = #expect(throws: ImageError.self) {
      try T.decode(bytes, work: WorkContext(isCancelled: true)) { $0.thumbnailSize = PixelSize(width: 9, height: 9) }
    }
    #expect(error?.isCancellation == true)
  }
}
