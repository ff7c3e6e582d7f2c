import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct SmartGravityTests {
  enum Subject: CaseIterable { case skin, texture, saturated }

  /// A grey picture with a subject, 50 pixels wide and high, whose top left corner is at a place.
  private static func picture(
    _ subject: Subject, at place: (x: Int, y: Int), _ format: PixelFormat = .opaqueRGBA8
  ) throws -> Bitmap {
    let top = format.layout == .rgba16 ? 65_535 : 255
    let patch = try Bitmap(50, 50, format) { x, y in
      var color = [120, 120, 120]
      switch subject {
      case .skin: if (x - 25) * (x - 25) + (y - 25) * (y - 25) < 600 { color = [200, 146, 113] }
      case .texture: color = (x / 6 + y / 6) % 2 == 0 ? [80, 80, 80] : [160, 160, 160]
      case .saturated: color = [20, 60, 230]
      }
      if format.layout == .bgra8 { color.reverse() }
      return format.layout == .gray8 ? [color[1]] : (color + [255]).map { $0 * (top / 255) }
    }
    return try patch.placed(
      at: PixelRect(x: place.x, y: place.y, width: 50, height: 50), on: PixelSize(width: 400, height: 300),
      background: PixelColor(red: 120, green: 120, blue: 120))
  }

  /// The number of pixels whose first byte is not that of the grey.
  private static func subjectPixels(_ bitmap: Bitmap) -> Int {
    bitmap.withUnsafeBytes { bytes in
      var count = 0
      for y in 0..<bitmap.height {
        for x in 0..<bitmap.width where bytes[y * bitmap.bytesPerRow + x * bitmap.format.bytesPerPixel] != 120 {
          count += 1
        }
      }
      return count
    }
  }

  @Test(arguments: Subject.allCases, [[3, 4], [340, 7], [345, 245], [10, 130], [170, 100], [280, 180]])
  func aCropKeepsTheSubject(subject: Subject, place: [Int]) throws {
    let bitmap = try Self.picture(subject, at: (place[0], place[1]))
    let all = Self.subjectPixels(bitmap)
    #expect(all > 1500)
    for crop in [
      TransformerPipeline.crop(width: 100, height: 90, gravity: .smart),
      .crop(width: .share(0.3), height: .pixels(0), gravity: .smart),
      .crop(ratioWidth: 4, ratioHeight: 1, gravity: .smart),
    ] {
      #expect(try Self.subjectPixels(crop.run(bitmap)) == all, "\(crop.cacheKey)")
    }
  }

  @Test(arguments: [
    PixelFormat.gray8, .opaqueRGBA8, .rgba8, PixelFormat(.bgra8, alpha: .opaque), .rgba16,
    PixelFormat(.rgba16, alpha: .opaque), PixelFormat(.rgba8, alpha: .premultiplied),
  ])
  func everyFormatHasTheSameWindow(format: PixelFormat) throws {
    let bitmap = try Self.picture(.texture, at: (300, 220), format)
    let rgba = try Self.picture(.texture, at: (300, 220))
    let pipeline = TransformerPipeline.crop(width: 100, height: 90, gravity: .smart)
    let (result, expected) = (try pipeline.run(bitmap), try pipeline.run(rgba))
    for (x, y) in [(0, 0), (50, 45), (99, 89), (20, 60)] {
      let samples = result.components(x, y).map { format.layout == .rgba16 ? $0 / 257 : $0 }
      #expect(samples[0] == expected.components(x, y)[1])
    }
    // Red and blue count by their meaning, not by their place.
    if format.layout == .bgra8 {
      let skin = try Self.picture(.skin, at: (300, 220), format)
      #expect(try Self.subjectPixels(pipeline.run(skin)) == Self.subjectPixels(skin))
    }
  }

  @Test(arguments: [[400, 300, 100, 80], [101, 77, 30, 31], [64, 64, 63, 1], [9, 8, 2, 7], [3000, 2, 1001, 1]])
  func aFlatPictureIsCutInTheMiddle(sides: [Int]) throws {
    for color in [PixelColor.black, .white, PixelColor(red: 9, green: 200, blue: 90), .clear] {
      let bitmap = try Bitmap(sides[0], sides[1], color)
      let full = bitmap.size
      let window = try bitmap.salientWindow(
        width: Double(sides[2]) / Double(full.width), height: Double(sides[3]) / Double(full.height),
        of: PixelRect(covering: full), shape: full, work: WorkContext())
      #expect(window.x == 0.5 && window.y == 0.5)
    }
  }

  @Test(arguments: [PixelFormat.rgba8, PixelFormat(.rgba8, alpha: .premultiplied), .rgba16])
  func transparentPixelsAttractNothing(format: PixelFormat) throws {
    let noise = try Bitmap.noise(100, 75, .opaqueRGBA8)
    let straight = try Bitmap(100, 75, .rgba8) { x, y in
      if x < 50 { return noise.components(x, y)[..<3] + [0] }
      let isSubject = (80..<87).contains(x) && (8..<15).contains(y)
      return isSubject ? [200, 60, 20, 255] : [120, 120, 120, 255]
    }
    let bitmap = try straight.converted(to: format)
    let window = try bitmap.salientWindow(
      width: 0.2, height: 0.2, of: PixelRect(covering: bitmap.size), shape: bitmap.size, work: WorkContext())
    // The window is 20 by 15 pixels.
    #expect((67...80).contains(Int(window.x * 80)) && (0...8).contains(Int(window.y * 60)))
  }

  @Test func aResizeThatCutsOffKeepsTheSubject() throws {
    let bitmap = try Self.picture(.saturated, at: (340, 20))
    let smart = try TransformerPipeline.resize(width: 60, height: 60, mode: .fill, gravity: .smart).run(bitmap)
    let east = try TransformerPipeline.resize(width: 60, height: 60, mode: .fill, gravity: .east).run(bitmap)
    #expect(smart == east)
    let upright = try TransformerPipeline.rotate(degrees: 90).run(bitmap)
    let cut = try TransformerPipeline.resize(width: 60, height: 30, mode: .fill, gravity: .smart).run(upright)
    #expect(Self.subjectPixels(cut) > 80)
  }

  @Test func insetsMoveTheWindow() throws {
    let bitmap = try Self.picture(.skin, at: (170, 100))
    func left(_ inset: Int) throws -> Bitmap {
      try TransformerPipeline.crop(width: 100, height: 90, gravity: .smart.inset(x: inset, y: 0)).run(bitmap)
    }
    let (still, moved) = (try left(0), try left(10))
    #expect(
      try still.cropped(to: PixelRect(x: 10, y: 0, width: 90, height: 90))
        == moved.cropped(to: PixelRect(x: 0, y: 0, width: 90, height: 90)))
  }

  @Test func noSizeIsTooSmallOrTooLong() throws {
    for (width, height) in [(1, 1), (2, 1), (1, 9000), (9000, 1), (65, 64), (63, 3)] {
      let bitmap = try Bitmap.noise(width, height, .rgba8)
      for crop in [
        TransformerPipeline.crop(width: 1, height: 1, gravity: .smart),
        .crop(ratioWidth: 1, ratioHeight: 1, gravity: .smart), .crop(ratioWidth: 1, ratioHeight: 1e9, gravity: .smart),
        .resize(width: 3, height: 5, mode: .fill, gravity: .smart),
      ] {
        #expect(try !crop.run(bitmap).size.isEmpty)
      }
    }
  }

  static let cuts: [TransformerPipeline] = [
    .crop(width: 100, height: 90, gravity: .smart),
    .resize(width: 60, height: 60, mode: .fill, gravity: .smart),
    [
      .crop(width: 200, height: 90, gravity: .smart),
      .resize(width: 30, height: 30, mode: .fill, gravity: .smart),
    ],
    [.flip(horizontal: true), .crop(ratioWidth: 1, ratioHeight: 2, gravity: .smart), .invert(), .resize(width: 30)],
    [.resize(width: 200), .crop(width: 50, height: 50, gravity: .smart)],
  ]

  @Test(arguments: cuts)
  func allFramesAreCutAsTheFirst(pipeline: TransformerPipeline) throws {
    let first = try Self.picture(.saturated, at: (20, 30))
    let others = try [Self.picture(.saturated, at: (320, 220)), Bitmap(400, 300, .white, .opaqueRGBA8)]
    let image = Frames(bitmaps: [first] + others, durations: .init(repeating: .milliseconds(20), count: 3)).image
    // A plan made for the full size must keep the rule.
    for transformer in [pipeline, pipeline.plan(for: first.size).transformer] as [any Transformer] {
      let result = try transformer.transformAllFrames(of: image, work: WorkContext())
      let frames = try #require(result.frames)
      let still = try pipeline.run(first)
      #expect(try frames.frame(at: 0) == still)
      // The subject of the second frame lies outside, so that it looks like one without it.
      let second = try frames.frame(at: 1)
      #expect(second.size == still.size && Set((0..<second.width).map { second.components($0, 9) }).count == 1)
      #expect(try frames.frame(at: 1) != pipeline.run(others[0]))
    }
  }

  @Test(arguments: Subject.allCases)
  func aSmallerDecodeGivesNearlyTheSamePicture(subject: Subject) throws {
    let bitmap = try Self.picture(subject, at: (290, 190)).resized(
      to: PixelSize(width: 1600, height: 1200), filter: .nearest)
    for pipeline in [
      TransformerPipeline.resize(width: 50, height: 50, mode: .fill, gravity: .smart),
      [.crop(width: 600, height: 500, gravity: .smart.inset(x: 9, y: -7)), .resize(width: 70)],
      [
        .crop(ratioWidth: 1, ratioHeight: 1, gravity: .smart),
        .resize(width: 90, height: 40, mode: .fill, gravity: .smart),
      ],
    ] as [TransformerPipeline] {
      let pipeline = pipeline.with(.fast)
      let plan = pipeline.plan(for: bitmap.size)
      let least = try #require(plan.leastSize)
      #expect(least.width < 700)
      let decoded = try bitmap.resized(to: least, filter: .box)
      let (result, expected) = (try plan.transformer.run(decoded), try pipeline.run(bitmap))
      #expect(result.signalToNoise(against: expected) >= 30, "\(pipeline.cacheKey)")
      #expect(try plan.transformer.run(bitmap) == expected)
    }
  }

  @Test func theWindowIsThatOfASmallerCopy() throws {
    for place in [(10, 20), (330, 40), (150, 240), (222, 111)] {
      let bitmap = try Self.picture(.skin, at: place).resized(to: PixelSize(width: 1200, height: 900), filter: .nearest)
      let full = bitmap.size
      let copy = try bitmap.resized(to: PixelSize(width: 256, height: 192), filter: .box)
      let windows = try [bitmap, copy].map {
        try $0.salientWindow(
          width: 0.3, height: 0.4, of: PixelRect(covering: $0.size), shape: full, work: WorkContext())
      }
      // Of two windows that are as good, the next cell may win.
      #expect(abs(windows[0].x - windows[1].x) < 0.04 && abs(windows[0].y - windows[1].y) < 0.04)
    }
  }
}
