import EaselColor
import EaselCore
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

struct ColorTransformTests {
  @Test(.tags(.alone), arguments: [TestProfile.displayP3, TestProfile.wideGamut])
  func rgbFollowsTransicc(profile: Data) throws {
    var random = SeededRandom(seed: 7)
    let colors = (0..<400).map { _ in (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) } }
    guard let expected = Transicc.convert(colors.map { $0.map(Double.init) }, from: profile) else {
      print("skipped: transicc (liblcms2-utils) is not installed")
      return
    }
    let transform = try ColorTransform(from: .icc(profile), layout: .rgb8, layout: .rgba8)
    let converted = convert(transform, colors.flatMap { $0 })
    for (index, reference) in expected.enumerated() {
      for component in 0..<3 {
        let ours = Double(converted[index * 4 + component])
        #expect(abs(ours - min(255, max(0, reference[component]))) <= 1.5)
      }
      #expect(converted[index * 4 + 3] == 255)
    }
  }

  @Test(.tags(.alone)) func sixteenBitsAreAsNearAsEight() throws {
    var random = SeededRandom(seed: 8)
    let colors = (0..<200).map { _ in (0..<3).map { _ in UInt16.random(in: 0...65_535, using: &random) } }
    let eighths = colors.map { $0.map { Double($0) / 257 } }
    guard let expected = Transicc.convert(eighths, from: TestProfile.displayP3) else {
      print("skipped: transicc (liblcms2-utils) is not installed")
      return
    }
    let transform = try ColorTransform(from: .icc(TestProfile.displayP3), layout: .rgba16, layout: .rgba16)
    let words: [UInt16] = colors.flatMap { $0 + [40_000] }
    var converted = words
    words.withUnsafeBytes { source in converted.withUnsafeMutableBytes { transform.convert(source, into: $0) } }
    for (index, reference) in expected.enumerated() {
      for component in 0..<3 {
        let ours = Double(converted[index * 4 + component]) / 257
        #expect(abs(ours - min(255, max(0, reference[component]))) <= 0.5)
      }
      #expect(converted[index * 4 + 3] == 40_000)
    }
  }

  @Test func greyGetsTheCurveOfSRGB() throws {
    let transform = try ColorTransform(from: .icc(TestProfile.gray18), layout: .gray8, layout: .gray8)
    let colors = (0...255).map { UInt8($0) }
    let converted = convert(transform, colors)
    for (value, ours) in zip(colors, converted) {
      let light = pow(Double(value) / 255, 1.8)
      let expected = 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
      #expect(abs(Double(ours) - expected) <= 1)
    }
    #expect(!transform.isIdentity)
  }

  @Test func greyCanBecomeColour() throws {
    let grey = try ColorTransform(from: .icc(TestProfile.gray18), layout: .gray8, layout: .gray8)
    let color = try ColorTransform(from: .icc(TestProfile.gray18), layout: .gray8, layout: .rgba8)
    let values = (0...255).map { UInt8($0) }
    let (greys, colors) = (convert(grey, values), convert(color, values))
    for value in 0...255 {
      for component in 0..<3 { #expect(abs(Int(colors[value * 4 + component]) - Int(greys[value])) <= 1) }
      #expect(colors[value * 4 + 3] == 255)
    }
  }

  @Test(.tags(.alone)) func cmykFollowsTransicc() throws {
    let profile = TestProfile.inks
    var random = SeededRandom(seed: 9)
    let colors = (0..<300).map { _ in (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) } }
    let percents = colors.map { $0.map { Double($0) * 100 / 255 } }
    guard let expected = Transicc.convert(percents, from: profile) else {
      print("skipped: transicc (liblcms2-utils) is not installed")
      return
    }
    let transform = try ColorTransform(from: .icc(profile), layout: .cmyk8, layout: .rgba8)
    let inverted = try ColorTransform(from: .icc(profile), layout: .invertedCMYK8, layout: .rgba8)
    let flat = colors.flatMap { $0 }
    let converted = convert(transform, flat)
    #expect(convert(inverted, flat.map { 255 - $0 }) == converted)
    for (index, reference) in expected.enumerated() {
      for component in 0..<3 {
        let ours = Double(converted[index * 4 + component])
        // Little CMS itself replaces four inks by a grid of 17 steps.
        #expect(abs(ours - min(255, max(0, reference[component]))) <= 3)
      }
    }
  }

  /// Profiles written by cameras and editors.
  @Test(
    .tags(.alone),
    .tags(.alone),
    arguments: [
      "icc/twelvemonkeys--cmm-exception-adobe-rgb.jpg", "icc/pillow--pil_sample_rgb.jpg",
      "icc/jpeg-decoder--jpg-srgb-icc.jpg", "icc/kingfisher--kingfisher-2.jpg",
    ])
  func profilesOfOthersFollowTransicc(path: String) throws {
    guard let profile = TestProfile.ofCorpusJPEG(path) else {
      print("skipped: \(path) is not in the corpus, or has no profile")
      return
    }
    var random = SeededRandom(seed: 11)
    let colors = (0..<200).map { _ in (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) } }
    guard let expected = Transicc.convert(colors.map { $0.map(Double.init) }, from: profile) else {
      print("skipped: transicc (liblcms2-utils) is not installed")
      return
    }
    let transform = try ColorTransform(from: .icc(profile), layout: .rgb8, layout: .rgba8)
    let converted = convert(transform, colors.flatMap { $0 })
    for (index, reference) in expected.enumerated() {
      for component in 0..<3 {
        let ours = Double(converted[index * 4 + component])
        #expect(abs(ours - min(255, max(0, reference[component]))) <= 2)
      }
    }
  }

  @Test func redAndBlueChangePlacesWithTheLayout() throws {
    let rgba = try ColorTransform(from: .icc(TestProfile.displayP3), layout: .rgba8, layout: .rgba8)
    let bgra = try ColorTransform(from: .icc(TestProfile.displayP3), layout: .bgra8, layout: .bgra8)
    let one = convert(rgba, [200, 100, 50, 77])
    let other = convert(bgra, [50, 100, 200, 77])
    #expect(one == [other[2], other[1], other[0], other[3]])
    #expect(one[3] == 77)
  }

  @Test func sRGBIsLeftAlone() throws {
    let same = try ColorTransform(from: .sRGB, layout: .rgb8, layout: .rgb8)
    #expect(same.isIdentity)
    #expect(try !ColorTransform(from: .icc(TestProfile.displayP3), layout: .rgb8, layout: .rgb8).isIdentity)
    let bitmap = try Bitmap.noise(9, 7, .rgba8)
    #expect(try bitmap.converted(from: .sRGB) == bitmap)
  }

  @Test func thereAndBackIsNearlyTheSame() throws {
    let profile = ColorTransform.Profile.icc(TestProfile.wideGamut)
    let bitmap = try Bitmap.noise(40, 30, .rgba16)
    let there = try bitmap.converted(from: .sRGB, to: profile)
    #expect(there != bitmap)
    let largest = try there.converted(from: profile).largestDifference(from: bitmap)
    #expect(largest <= 257)
  }

  @Test(arguments: [
    PixelFormat.rgba8, .opaqueRGBA8, .rgba16, PixelFormat(.bgra8, alpha: .straight),
    PixelFormat(.rgba8, alpha: .premultiplied), PixelFormat(.rgba16, alpha: .premultiplied),
  ])
  func aBitmapKeepsFormatAndAlpha(format: PixelFormat) throws {
    let bitmap = try Bitmap.noise(31, 17, format)
    let converted = try bitmap.converted(from: .icc(TestProfile.displayP3))
    #expect(converted.format == format && converted.size == bitmap.size && converted != bitmap)
    for (x, y) in [(0, 0), (30, 16), (15, 8)] {
      #expect(converted.components(x, y)[3] == bitmap.components(x, y)[3])
    }
  }

  @Test func rowsAndBitmapsAgree() throws {
    let bitmap = try Bitmap.noise(33, 5, .rgba8)
    let converted = try bitmap.converted(from: .icc(TestProfile.displayP3))
    let transform = try ColorTransform(from: .icc(TestProfile.displayP3), layout: .rgba8, layout: .rgba8)
    let row = (0..<33).flatMap { bitmap.components($0, 3).map(UInt8.init) }
    #expect(convert(transform, row) == (0..<33).flatMap { converted.components($0, 3).map(UInt8.init) })
  }

  @Test func manyThreadsUseOneTransform() async throws {
    let transform = try ColorTransform(from: .icc(TestProfile.displayP3), layout: .rgba8, layout: .rgba8)
    let pixels = try Bitmap.noise(100, 20, .rgba8).withUnsafeBytes(Array.init)
    let expected = convert(transform, pixels)
    let all = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { convert(transform, pixels) == expected } }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(all)
  }

  @Test func brokenProfilesAreErrors() throws {
    let sound = TestProfile.displayP3
    for broken in [Data(), Data([1, 2, 3]), sound.prefix(200), Data(repeating: 0xFF, count: 4096)] {
      let error = #expect(throws: ImageError.self) {
        try ColorTransform(from: .icc(Data(broken)), layout: .rgb8, layout: .rgba8)
      }
      #expect(error?.code == .badImageData)
    }
    var random = SeededRandom(seed: 3)
    for _ in 0..<200 {
      var damaged = sound
      for _ in 0..<8 {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      // The result may be a transform or an error, but the call must not crash.
      _ = try? ColorTransform(from: .icc(damaged), layout: .rgb8, layout: .rgba8)
    }
  }

  @Test func aProfileOfAnotherKindIsAnError() {
    let error = #expect(throws: ImageError.self) {
      try ColorTransform(from: .icc(TestProfile.gray18), layout: .rgb8, layout: .rgba8)
    }
    #expect(error?.code == .badImageData)
    #expect(error?.message.contains("does not fit") == true)
  }

  @Test func aCancelledConversionStops() throws {
    let cancellation = Cancellation()
    cancellation.cancel()
    let work = WorkContext(
      limits: Limits(), context: ImageContext(), cancellation: cancellation, clock: SystemClock())
    let error = #expect(throws: ImageError.self) {
      try Bitmap.noise(4, 4, .rgba8).converted(from: .icc(TestProfile.displayP3), work: work)
    }
    #expect(error?.code == .cancelled)
  }
}

private func convert(_ transform: ColorTransform, _ pixels: [UInt8]) -> [UInt8] {
  let count = pixels.count / transform.sourceLayout.bytesPerPixel * transform.destinationLayout.bytesPerPixel
  var result = [UInt8](repeating: 1, count: count)
  pixels.withUnsafeBytes { source in result.withUnsafeMutableBytes { transform.convert(source, into: $0) } }
  return result
}
