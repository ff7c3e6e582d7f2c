import CEaselColor
import EaselCore
import EaselTestPixels
import Testing

@testable import EaselColor

/// Colours by code points become those that a script computed from the specifications.
struct CodingTests {
  @Test(arguments: ColorReference.all) func sixteenBitsFollowTheSpecifications(reference: ColorReference) throws {
    let made = try reference.stored.converted(from: reference.color)
    #expect(made.format == PixelFormat(.rgba16, alpha: .opaque))
    let difference = reference.difference(of: made)
    #expect(difference.mean < 0.01 && difference.largest < 0.1, "\(difference)")
  }

  @Test(arguments: ColorReference.all) func eightBitsAreDitheredAroundThem(reference: ColorReference) throws {
    let made = try reference.stored.converted(from: reference.color, keeps16Bits: false)
    #expect(made.format == .opaqueRGBA8)
    let difference = reference.difference(of: made)
    #expect(difference.mean < 0.5 && difference.largest < 1.1, "\(difference)")
  }

  /// A slow ramp, of which rounding alone would make bands, keeps its mean in every block of the pattern.
  @Test(arguments: [16, 18]) func aRampBecomesEightBitsWithoutBands(transfer: Int) throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: transfer))
    let ramp = try Bitmap(512, 8, PixelFormat(.rgba16, alpha: .opaque)) { x, _ in
      [20_000 + 3 * x, 20_000 + 3 * x, 20_000 + 3 * x, 65_535]
    }
    let exact = try ramp.converted(from: color)
    let dithered = try ramp.converted(from: color, keeps16Bits: false)
    #expect(try dithered == ramp.converted(from: color, keeps16Bits: false), "The pattern is always the same.")
    let rounded = try exact.converted(to: .opaqueRGBA8)
    #expect(dithered != rounded)
    func mean(_ bitmap: Bitmap, _ block: Int, _ one: Double) -> Double {
      let values = (0..<64).map { Double(bitmap.components(8 * block + $0 % 8, $0 / 8)[1]) / one }
      return values.reduce(0, +) / 64
    }
    var (worst, worstOfRounded) = (0.0, 0.0)
    for block in 0..<64 {
      let wanted = mean(exact, block, 257)
      worst = max(worst, abs(mean(dithered, block, 1) - wanted))
      worstOfRounded = max(worstOfRounded, abs(mean(rounded, block, 1) - wanted))
    }
    #expect(worst < 0.06 && worstOfRounded > 0.3, "\(worst) \(worstOfRounded)")
  }

  /// The tables give what the formulas give, in every layout and with every coding.
  @Test func tablesFollowTheFormulas() throws {
    var random = SeededRandom(seed: 5)
    for primaries in [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22, 200] {
      for transfer in Array(0...19) {
        for peak in [0.0, 250, 10_000] {
          var coding = easel_coding(primaries: Int32(primaries), transfer: Int32(transfer), peak: peak)
          let transform = try #require(easel_coding_transform_create(&coding))
          defer { easel_coding_transform_destroy(transform) }
          for round in 0..<20 {
            var pixel = (0..<4).map { _ in UInt16.random(in: 0...65_535, using: &random) }
            if round < 4 { pixel = [UInt16](repeating: [0, 1, 32_768, 65_535][round], count: 4) }
            var color = pixel.prefix(3).map { Double($0) / 65_535 }
            var exact = [0.0, 0, 0]
            easel_coding_to_srgb(&coding, &color, &exact)
            var made = [UInt16](repeating: 0, count: 4)
            easel_coding_transform_apply(
              transform, EASEL_COLOR_RGBA16, pixel, EASEL_COLOR_RGBA16, &made, 1, round)
            for index in 0..<3 { #expect(abs(exact[index] * 65_535 - Double(made[index])) < 8) }
            #expect(made[3] == pixel[3])
          }
        }
      }
    }
  }

  @Test func layoutsOfEightBitsAgree() throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 18))
    let picture = try Bitmap.noise(13, 7, .rgba8)
    let made = try picture.converted(from: color)
    let swapped = try picture.converted(to: PixelFormat(.bgra8, alpha: .straight)).converted(from: color)
    #expect(swapped.format.layout == .bgra8)
    #expect(try swapped.converted(to: .rgba8) == made)
    let wide = try picture.converted(to: .rgba16).converted(from: color)
    #expect(try wide.converted(to: .rgba8) == made)
    let premultiplied = PixelFormat(.rgba16, alpha: .premultiplied)
    let opaque = try picture.flattened(over: .black).converted(to: premultiplied)
    #expect(try opaque.converted(from: color).format == premultiplied)
  }

  @Test func greyBecomesRGBA() throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    var grey = try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8)
    grey.withUnsafeMutableBytes { $0[0] = 255 }
    #expect(try grey.converted(from: color).pixel(x: 0, y: 0) == .white)
  }

  @Test func colorsOfSRGBAndUnknownOnesStayAsTheyAre() throws {
    let picture = try Bitmap.noise(9, 9, .rgba16)
    for coding in [
      ColorDescription.Coding.sRGB, ColorDescription.Coding(primaries: 2, transfer: 2),
      ColorDescription.Coding(primaries: 77, transfer: -3),
    ] {
      #expect(coding.isShownAsSRGB)
      #expect(try picture.converted(from: ColorDescription(coding: coding)) == picture)
    }
    #expect(!ColorDescription.Coding(primaries: 2, transfer: 16).isShownAsSRGB)
    #expect(!ColorDescription.Coding(primaries: .max, transfer: 8).isShownAsSRGB)
  }

  @Test func unknownPrimariesOfPQAreThoseOfBT2020() throws {
    let picture = try Bitmap.noise(9, 9, .rgba16)
    let known = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    let unknown = ColorDescription(coding: ColorDescription.Coding(primaries: 2, transfer: 16))
    #expect(try picture.converted(from: known) == picture.converted(from: unknown))
  }

  @Test func thePeakIsWhatThePictureStates() {
    var color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    #expect(color.peakLuminance == 1000)
    let point = SIMD2(0.3, 0.3)
    color.masteringDisplay = ColorDescription.MasteringDisplay(
      red: point, green: point, blue: point, white: point, leastLuminance: 0, greatestLuminance: 4000)
    #expect(color.peakLuminance == 4000)
    color.contentLight = ColorDescription.ContentLight(greatest: 600, greatestAverage: 10)
    #expect(color.peakLuminance == 600)
    color.contentLight?.greatest = 5000
    #expect(color.peakLuminance == 4000)
    color.masteringDisplay?.greatestLuminance = .infinity
    color.contentLight?.greatest = 0
    #expect(color.peakLuminance == 10_000)
    color.masteringDisplay?.greatestLuminance = .nan
    #expect(color.peakLuminance == 1000)
    color.contentLight?.greatest = .max
    #expect(color.peakLuminance == 10_000)
  }

  /// White at 203 candela per square metre is 58 per cent of PQ and 75 per cent of HLG, as BT.2408 has it.
  @Test func whiteHasItsPlaceInBothCurves() {
    for (transfer, share) in [(Int32(16), 0.58), (18, 0.75)] {
      var coding = easel_coding(primaries: 9, transfer: transfer, peak: 0)
      var (white, stored) = ([1.0, 1, 1], [0.0, 0, 0])
      easel_coding_from_srgb(&coding, &white, &stored)
      for component in stored { #expect(abs(component - share) < 0.002) }
    }
  }

  @Test func drawnColorsComeBackUnlessTheyAreTooBright() {
    for transfer in [Int32(4), 7, 8, 13, 14, 16, 18] {
      var coding = easel_coding(primaries: 9, transfer: transfer, peak: 203)
      for color in [[0.0, 0, 0], [0.2, 0.3, 0.25], [0.1, 0.05, 0.08]] {
        var (color, stored, shown) = (color, [0.0, 0, 0], [0.0, 0, 0])
        easel_coding_from_srgb(&coding, &color, &stored)
        easel_coding_to_srgb(&coding, &stored, &shown)
        for index in 0..<3 { #expect(abs(shown[index] - color[index]) < 0.004, "\(transfer)") }
      }
    }
  }

  @Test func aCancelledConversionStops() throws {
    let work = WorkContext(isCancelled: true)
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    #expect(throws: ImageError.self) {
      try Bitmap.noise(9, 9, .rgba16).converted(from: color, work: work)
    }
  }
}
