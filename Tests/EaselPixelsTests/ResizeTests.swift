import EaselCore
import EaselPixels
import EaselTestPixels
import Glibc
import Testing

struct ResizeTests {
  static let formats: [PixelFormat] = [
    .gray8, .opaqueRGBA8, .rgba8, PixelFormat(.bgra8, alpha: .straight), PixelFormat(.rgba8, alpha: .premultiplied),
    .rgba16, PixelFormat(.rgba16, alpha: .opaque), PixelFormat(.rgba16, alpha: .premultiplied),
  ]

  @Test(arguments: Bitmap.ResampleFilter.allCases)
  func aConstantOpaquePictureStaysThatConstant(filter: Bitmap.ResampleFilter) throws {
    var random = SeededRandom(seed: UInt64(filter.rawValue) + 1)
    #if !DEBUG
      let rounds = 10_000
    #else
      let rounds = 300
    #endif
    for _ in 0..<rounds {
      let source = PixelSize(width: .random(in: 1...40, using: &random), height: .random(in: 1...40, using: &random))
      let target = PixelSize(width: .random(in: 1...40, using: &random), height: .random(in: 1...40, using: &random))
      let color = PixelColor(
        red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
        blue: .random(in: 0...255, using: &random))
      let bitmap = try Bitmap(source.width, source.height, color, .opaqueRGBA8)
      let resized = try bitmap.resized(to: target, filter: filter)
      #expect(try resized == Bitmap(target.width, target.height, color, .opaqueRGBA8), "\(source) to \(target)")
    }
  }

  /// All alphas and all values of colours; the filters other than the default with some of them.
  @Test(arguments: Bitmap.ResampleFilter.allCases, [false, true])
  func aUniformPictureKeepsItsColourAtEveryAlpha(filter: Bitmap.ResampleFilter, linearLight: Bool) throws {
    let step = filter == .lanczos3 && !linearLight ? 1 : 7
    let sizes = [(4, 3, 2, 2), (3, 2, 5, 4), (2, 7, 2, 3)]
    for alpha in stride(from: 1, through: 255, by: step) {
      for value in stride(from: 0, to: 86, by: step) {
        let color = PixelColor(
          red: UInt8(value), green: UInt8(value + 85), blue: UInt8(value + 170), alpha: UInt8(alpha))
        let (width, height, newWidth, newHeight) = sizes[(alpha + value) % sizes.count]
        let resized = try Bitmap(width, height, color).resized(
          to: PixelSize(width: newWidth, height: newHeight), filter: filter, linearLight: linearLight)
        #expect(try resized == Bitmap(newWidth, newHeight, color))
      }
    }
  }

  /// The rows above the first transparent one are still needed when it comes.
  @Test(arguments: Bitmap.ResampleFilter.allCases.filter { $0 != .nearest }, [12, 3])
  func transparencyThatBeginsLateKeepsColours(filter: Bitmap.ResampleFilter, width: Int) throws {
    let target = PixelSize(width: width, height: 5)
    let color = [85, 40, 200]
    let bitmap = try Bitmap(12, 40, .rgba8) { _, y in color + [y < 20 ? 255 : 254] }
    let resized = try bitmap.resized(to: target, filter: filter)
    for y in 0..<target.height {
      for x in 0..<target.width { #expect(Array(resized.components(x, y).prefix(3)) == color) }
    }
    #expect(resized.components(0, 0)[3] == 255 && resized.components(0, 4)[3] == 254)
  }

  /// A picture after one with transparency gives the same as one alone.
  @Test func aResamplerThatIsUsedAgainForgetsTheTransparencyBefore() throws {
    let (clear, opaque) = (try Bitmap.noise(19, 23, .rgba8), try Bitmap.noise(19, 23, .opaqueRGBA8))
    let target = PixelSize(width: 7, height: 5)
    var resampler = try RowResampler(from: opaque.size, to: target, format: .rgba8)
    let alone = try resizedByRows(opaque, by: &resampler)
    resampler.reset()
    #expect(try resizedByRows(clear, by: &resampler) == clear.resized(to: target))
    resampler.reset()
    #expect(try resizedByRows(opaque, by: &resampler) == alone)
  }

  @Test(arguments: Bitmap.ResampleFilter.allCases, [PixelFormat.rgba8, .rgba16])
  func transparentRedNeverShows(filter: Bitmap.ResampleFilter, format: PixelFormat) throws {
    let top = format.layout == .rgba16 ? 65_535 : 255
    let board = try Bitmap(24, 24, format) { x, y in
      (x + y) % 2 == 0 ? [top, 0, 0, 0] : [top, top, top, top]
    }
    for size in [PixelSize(width: 12, height: 12), PixelSize(width: 7, height: 5), PixelSize(width: 50, height: 31)] {
      let resized = try board.resized(to: size, filter: filter)
      for y in 0..<size.height {
        for x in 0..<size.width {
          let pixel = resized.components(x, y)
          guard pixel[3] > top / 16 else { continue }
          // The colour is white at any alpha, within the precision of a premultiplied byte.
          let tolerance = top == 255 ? 255 / pixel[3] + 1 : 32
          #expect(pixel[0] - pixel[1] <= tolerance && pixel[0] - pixel[2] <= tolerance)
          #expect(pixel[1] >= top - tolerance)
        }
      }
    }
  }

  @Test(arguments: Bitmap.ResampleFilter.allCases, formats)
  func rowsAndWholePicturesAgree(filter: Bitmap.ResampleFilter, format: PixelFormat) throws {
    let bitmap = try Bitmap.noise(37, 23, format)
    for target in [PixelSize(width: 11, height: 7), PixelSize(width: 50, height: 61), PixelSize(width: 1, height: 1)] {
      for linear in [false, true] {
        let whole = try bitmap.resized(to: target, filter: filter, linearLight: linear)
        #expect(try whole == resizedByRows(bitmap, to: target, filter: filter, linearLight: linear))
        #expect(whole.format == format)
      }
    }
  }

  private func resizedByRows(
    _ bitmap: Bitmap, to size: PixelSize, filter: Bitmap.ResampleFilter, linearLight: Bool
  ) throws -> Bitmap {
    var resampler = try RowResampler(
      from: bitmap.size, to: size, format: bitmap.format, filter: filter, linearLight: linearLight)
    return try resizedByRows(bitmap, by: &resampler)
  }

  private func resizedByRows(_ bitmap: Bitmap, by resampler: inout RowResampler) throws -> Bitmap {
    var result = try Bitmap(size: resampler.targetSize, format: resampler.format)
    let bytesPerRow = result.bytesPerRow
    try result.withUnsafeMutableBytes { target in
      try bitmap.withUnsafeBytes { source in
        while !resampler.isFinished {
          let row = UnsafeMutableRawBufferPointer(rebasing: target[(resampler.pulledRows * bytesPerRow)...])
          if resampler.pull(into: row) { continue }
          let start = resampler.pushedRows * bitmap.bytesPerRow
          try resampler.push(UnsafeRawBufferPointer(rebasing: source[start...]))
        }
      }
    }
    return result
  }

  @Test func aResamplerHoldsAStripOnly() throws {
    let resampler = try RowResampler(
      from: PixelSize(width: 8000, height: 6000), to: PixelSize(width: 1000, height: 750), format: .rgba8)
    #expect(resampler.memoryCost < 8000 * 6000 * 4 / 100)
  }

  @Test func sixteenBitsKeepTheirDepth() throws {
    let bitmap = try Bitmap(8, 8, PixelFormat(.rgba16, alpha: .opaque)) { x, _ in [x * 17, 300, 65_535, 65_535] }
    let resized = try bitmap.resized(to: PixelSize(width: 4, height: 4), filter: .box)
    #expect(resized.components(1, 1) == [(34 + 51) / 2 + 1, 300, 65_535, 65_535])
  }

  @Test func boxHalvesAreMeans() throws {
    let bitmap = try Bitmap(4, 2, .gray8) { x, y in [x * 40 + y * 20] }
    let resized = try bitmap.resized(to: PixelSize(width: 2, height: 1), filter: .box)
    #expect(resized.components(0, 0) == [30])
    #expect(resized.components(1, 0) == [110])
  }

  @Test func linearLightIsBrighterThanSRGB() throws {
    let stripes = try Bitmap(16, 16, .opaqueRGBA8) { x, _ in x % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255] }
    let size = PixelSize(width: 8, height: 8)
    #expect(try stripes.resized(to: size, filter: .box).components(3, 3)[0] == 128)
    let linear = try stripes.resized(to: size, filter: .box, linearLight: true).components(3, 3)[0]
    #expect((187...189).contains(linear))
  }

  /// Both weights of a pixel beside a bright one are negative, so a little of its light is there.
  @Test(arguments: [PixelFormat.opaqueRGBA8, .rgba8, PixelFormat(.rgba16, alpha: .opaque)])
  func lightBelowBlackIsKeptBetweenThePasses(format: PixelFormat) throws {
    let most = format.layout == .rgba16 ? 65_535 : 255
    let point = try Bitmap(40, 40, format) { x, y in
      let value = x == 20 && y == 20 ? most : 0
      return [value, value, value, most]
    }
    let small = try point.resized(to: PixelSize(width: 20, height: 20), linearLight: true)
    func weight(_ place: Int) -> Double { lanczos3((20.5 - 2 * Double(place) - 1) / 2) / 2 }
    for (x, y) in [(11, 11), (8, 11), (8, 8), (10, 10), (9, 10)] {
      let light = weight(x) * weight(y)
      let expected = Double(most) * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
      #expect(light > 0 && abs(Double(small.components(x, y)[0]) - expected) <= Double(most) / 255, "\(x), \(y)")
    }
    #expect(small.components(10, 11)[0] == 0)
  }

  private func lanczos3(_ x: Double) -> Double {
    x == 0 ? 1 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
  }

  /// Numbers of 16 bits must not move a colour, however often it is averaged.
  @Test func everyOpaqueColourIsKeptInLight() throws {
    for value in 0..<256 {
      let bitmap = try Bitmap(37, 29, .opaqueRGBA8) { _, _ in [value, 255 - value, value / 2, 255] }
      let small = try bitmap.resized(to: PixelSize(width: 11, height: 5), linearLight: true)
      #expect(try small == Bitmap(11, 5, .opaqueRGBA8) { _, _ in [value, 255 - value, value / 2, 255] })
    }
  }

  /// The first row that is not opaque changes the numbers to floats.
  @Test func lightOfAPictureThatBecomesTransparentIsThatOfFloats() throws {
    let bitmap = try Bitmap(40, 40, .rgba8) { x, y in [x * 6, y * 6, (x * y) % 256, y < 24 ? 255 : 200] }
    let size = PixelSize(width: 13, height: 11)
    let small = try bitmap.resized(to: size, linearLight: true)
    let wide = try bitmap.converted(to: PixelFormat(.rgba16, alpha: .straight)).resized(to: size, linearLight: true)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for (narrow, wide) in zip(small.components(x, y), wide.components(x, y)) {
          #expect(abs(Double(narrow) - Double(wide) / 257) <= 1, "\(x), \(y)")
        }
      }
    }
  }

  @Test func aBoxShowsOnlyItsPart() throws {
    let bitmap = try Bitmap(40, 10, .gray8) { x, _ in [x < 20 ? 10 : 200] }
    let left = try bitmap.resized(
      to: PixelSize(width: 5, height: 5), from: RowResampler.Box(x: 0, y: 0, width: 12, height: 10), filter: .box)
    #expect(try left == Bitmap(5, 5, .gray8) { _, _ in [10] })
    let edge = try bitmap.resized(
      to: PixelSize(width: 1, height: 1), from: RowResampler.Box(x: 19, y: 2, width: 2, height: 2), filter: .box)
    #expect(edge.components(0, 0) == [105])
  }

  @Test func limitsBindTheResult() throws {
    var limits = Limits()
    limits.framePixels = 100
    let bitmap = try Bitmap.noise(4, 4, .rgba8)
    let error = #expect(throws: ImageError.self) {
      try bitmap.resized(to: PixelSize(width: 11, height: 10), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func anEmptyTargetIsRefused() throws {
    let bitmap = try Bitmap.noise(4, 4, .rgba8)
    #expect(throws: ImageError.self) { try bitmap.resized(to: PixelSize(width: 0, height: 3)) }
    #expect(throws: ImageError.self) {
      _ = try RowResampler(from: PixelSize(width: 0, height: 3), to: bitmap.size, format: .rgba8)
    }
  }

  @Test func boxesOutsideOfThePictureAreRefused() throws {
    let bitmap = try Bitmap.noise(4, 4, .rgba8)
    for box in [
      RowResampler.Box(x: -1, y: 0, width: 2, height: 2), RowResampler.Box(x: 0, y: 3, width: 2, height: 2),
      RowResampler.Box(x: 0, y: 0, width: 0, height: 2), RowResampler.Box(x: .nan, y: 0, width: 1, height: 1),
    ] {
      #expect(throws: ImageError.self) { try bitmap.resized(to: PixelSize(width: 2, height: 2), from: box) }
    }
  }
}
