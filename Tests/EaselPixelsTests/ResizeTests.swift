import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

struct ResizeTests {
  static let formats: [PixelFormat] = [
    .gray8, .opaqueRGBA8, .rgba8, PixelFormat(.bgra8, alpha: .straight), PixelFormat(.rgba8, alpha: .premultiplied),
    .rgba16, PixelFormat(.rgba16, alpha: .opaque), PixelFormat(.rgba16, alpha: .premultiplied),
  ]

  @Test(arguments: Bitmap.ResampleFilter.allCases)
  func aConstantOpaquePictureStaysThatConstant(filter: Bitmap.ResampleFilter) throws {
    var random = SeededRandom(UInt64(filter.rawValue) + 1)
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

  @Test(arguments: Bitmap.ResampleFilter.allCases)
  func aConstantPictureWithAlphaStaysWithinItsQuantisation(filter: Bitmap.ResampleFilter) throws {
    var random = SeededRandom(UInt64(filter.rawValue) + 11)
    for _ in 0..<200 {
      let color = PixelColor(
        red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
        blue: .random(in: 0...255, using: &random), alpha: .random(in: 1...255, using: &random))
      let bitmap = try Bitmap(.random(in: 1...20, using: &random), .random(in: 1...20, using: &random), color)
      let size = PixelSize(width: .random(in: 1...20, using: &random), height: .random(in: 1...20, using: &random))
      let pixel = try bitmap.resized(to: size, filter: filter).components(0, 0)
      #expect(pixel[3] == Int(color.alpha))
      let tolerance = 255 / Int(color.alpha) + 1
      for (ours, value) in zip(pixel, [color.red, color.green, color.blue]) {
        #expect(abs(ours - Int(value)) <= tolerance)
      }
    }
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
    var result = try Bitmap(size: size, format: bitmap.format)
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

  @Test func aBoxShowsOnlyItsPart() throws {
    let bitmap = try Bitmap(40, 10, .gray8) { x, _ in [x < 20 ? 10 : 200] }
    let left = try bitmap.resized(
      to: PixelSize(width: 5, height: 5), from: PixelBox(x: 0, y: 0, width: 12, height: 10), filter: .box)
    #expect(try left == Bitmap(5, 5, .gray8) { _, _ in [10] })
    let edge = try bitmap.resized(
      to: PixelSize(width: 1, height: 1), from: PixelBox(x: 19, y: 2, width: 2, height: 2), filter: .box)
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
      PixelBox(x: -1, y: 0, width: 2, height: 2), PixelBox(x: 0, y: 3, width: 2, height: 2),
      PixelBox(x: 0, y: 0, width: 0, height: 2), PixelBox(x: .nan, y: 0, width: 1, height: 1),
    ] {
      #expect(throws: ImageError.self) { try bitmap.resized(to: PixelSize(width: 2, height: 2), from: box) }
    }
  }
}
