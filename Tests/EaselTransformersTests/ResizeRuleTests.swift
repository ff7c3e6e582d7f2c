import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

/// Resizes that depend on the size of the picture: zoom, least sides, and those that only reduce.
struct ResizeRuleTests {
  static let sizes: [(key: String, width: Int, height: Int)] = [
    ("Resize({80,0},4)", 40, 30), ("Resize({80,60},2,shrink)", 40, 30), ("Resize({20,60},2,shrink)", 20, 30),
    ("Resize({20,60},2,shrink,ratio)", 10, 30), ("Resize({80,20},2,shrink,ratio)", 40, 10),
    ("Resize({20,15},2,shrink,ratio)", 20, 15), ("Resize({10,15},2,shrink)", 10, 15),
    ("Resize({80,30},0,shrink)", 40, 15), ("Resize({20,30},0,shrink)", 20, 30), ("Resize({1,60},0,shrink)", 1, 30),
    ("Resize({20,20},2,auto)", 20, 20), ("Resize({20,30},2,auto)", 20, 15), ("Resize({80,90},2,auto)", 80, 60),
    ("Resize({80,90},2,shrink,auto)", 40, 30), ("Resize({80,20},2,shrink,auto)", 40, 20),
    ("Resize({0,0},0,zoom{2,1})", 80, 30), ("Resize({0,0},0,zoom{0.5,0.25})", 20, 8),
    ("Resize({20,0},0,zoom{2,1})", 40, 15), ("Resize({0,15},0,zoom{2,1})", 40, 15),
    ("Resize({20,20},3,zoom{2,1})", 40, 15), ("Resize({20,20},2,zoom{1,2})", 20, 40),
    ("Resize({20,20},3,zoom{4,1},shrink)", 40, 8), ("Resize({20,0},0,least{30,0})", 20, 23),
    ("Resize({0,0},0,least{60,0})", 60, 45), ("Resize({0,0},0,least{60,90})", 120, 90),
    ("Resize({0,0},0,least{30,30})", 40, 30), ("Resize({10,10},3,least{0,15})", 10, 10),
    ("Resize({100,100},3,least{60,0},shrink)", 60, 45), ("Resize({20,60},2,least{50,0},shrink)", 20, 38),
    ("Resize({30,20},2,shrink,dpr{2})", 40, 27), ("Resize({30,20},2,shrink,dpr{1.2})", 36, 24),
    ("Resize({15,10},2,shrink,dpr{2})", 30, 20), ("Resize({20,60},2,shrink,dpr{2})", 20, 30),
    ("Resize({20,30},2,shrink,auto,dpr{2})", 40, 30), ("Resize({20,15},2,zoom{2,1},shrink,dpr{3})", 40, 15),
    ("Resize({0,0},0,zoom{0.001,0.001})", 1, 1), ("Resize({1,1},3,zoom{1,0.001})", 1, 1),
  ]

  @Test(arguments: sizes) func theSizeFollowsFromThePicture(key: String, width: Int, height: Int) throws {
    let pipeline = try TransformerPipeline(parsing: key)
    #expect(pipeline.cacheKey == key)
    let result = try pipeline.run(Bitmap.noise(40, 30, .rgba8))
    #expect(result.size == PixelSize(width: width, height: height))
  }

  static let equals: [(String, String)] = [
    ("Resize({80,60},3,shrink)", "Resize({80,60},4)"), ("Resize({80,0},2,shrink)", "Resize({80,0},4)"),
    ("Resize({80,60},4,shrink)", "Resize({80,60},4)"), ("Resize({80,60},4,zoom{2,2})", "Resize({160,120},4)"),
    ("Resize({80,60},4,zoom{2,1})", "Resize({80,60},3,zoom{2,1},shrink)"),
    ("Resize({20,60},0,zoom{2,0.5})", "Resize({40,30},0)"), ("Resize({20,60},2,zoom{2,2})", "Resize({40,120},2)"),
    ("Resize({25,0},0,zoom{0.3,0.3})", "Resize({8,0},0)"), ("Resize({1,0},0,zoom{0.01,0.01})", "Resize({1,0},0)"),
    ("Resize({20,60},2,ratio)", "Resize({20,60},2)"), ("Resize({20,60},0,ratio,auto)", "Resize({20,60},0)"),
    ("Resize({20,0},2,auto)", "Resize({20,0},0)"), ("Resize({20,60},2,least{20,60})", "Resize({20,60},2)"),
    ("Resize({20,0},0,least{9,70})", "Resize({20,0},0,least{0,70})"),
    ("Resize({0,0},0,zoom{4,1},shrink)", "Resize({0,0},0,zoom{1,0.25})"),
    ("Resize({0,0},2,zoom{-0,1},shrink)", "Resize({0,0},0,zoom{0,1},shrink)"),
    ("Resize({20,30},2,dpr{2})", "Resize({40,60},2)"),
    ("Resize({20,30},2,shrink,dpr{1.0})", "Resize({20,30},2,shrink)"),
    ("Resize({20,30},4,dpr{1.5})", "Resize({30,45},4)"), ("Resize({20,0},2,shrink,dpr{2})", "Resize({40,0},4)"),
    ("Resize({20,30},2,ratio,dpr{8},shrink)", "Resize({160,240},2,shrink,ratio)"),
    ("Resize({20,30},2,zoom{2,2},dpr{2},shrink)", "Resize({40,60},2,shrink,dpr{2})"),
    ("Resize({7,30},2,zoom{0.5,0.5},ratio,dpr{2},shrink)", "Resize({7,30},2,shrink,ratio)"),
    ("Resize({20,30},0,so)", "Resize({20,30},0)"),
    ("Resize({20,30},3,so,least{50,0})", "Resize({20,30},3,so,least{50,0})"),
    ("Resize({20,30},2,1,so,zoom{2,2.0},shrink)", "Resize({40,60},2,1,so,shrink)"),
    ("Resize({20,30},2,4,1,zoom{1.50,2},auto,shrink)", "Resize({20,30},2,4,1,zoom{1.5,2},shrink,auto)"),
  ]

  @Test(arguments: equals) func whatMeansTheSameHasOneKey(text: String, key: String) throws {
    #expect(try TransformerPipeline(parsing: text).cacheKey == key)
  }

  static let mistakes = [
    ("Resize({3,4},2,shrunk)", "a gravity"), ("Resize({3,4},2,zoom{1})", "\",\""),
    ("Resize({3,4},2,zoom)", "\"{\""), ("Resize({3,4},2,shrink,so)", "\")\""), ("Resize({3,4},2,so,so)", "\")\""),
    ("Resize({3,4},2,least{1.5,2})", "\",\""), ("Resize({3,4},2,shrink,)", "\")\""),
  ]

  @Test(arguments: mistakes) func whatIsNoRuleSaysWhy(text: String, expectation: String) {
    let error = #expect(throws: ImageError.self) { try TransformerPipeline(parsing: text) }
    #expect(error?.message.contains("expected \(expectation)") == true, "\(error!)")
  }

  @Test(arguments: [
    "Resize({0,0},0)", "Resize({0,0},0,shrink)", "Resize({0,0},0,zoom{0,1})", "Resize({9,9},2,zoom{1,-1})",
    "Resize({9,9},2,zoom{1001,1})", "Resize({9,9},2,least{-1,0})", "Resize({9,-9},2,shrink)",
    "Resize({9,9},1,shrink)", "Resize({9,9},1,zoom{2,1})", "Resize({0,0},0,zoom{2,2},shrink)",
    "Resize({9,9},2,zoom{99999999999999999999,1})", "Resize({9,9},2,shrink,dpr{0.5})", "Resize({9,9},3,dpr{8.1})",
    "Resize({9,9},2,shrink,dpr{-1})",
  ]) func rulesWithoutSenseAreRefused(key: String) throws {
    let pipeline = try TransformerPipeline(parsing: key)
    let error = #expect(throws: ImageError.self) { try pipeline.run(Bitmap.noise(9, 8, .rgba8)) }
    #expect(error?.code == .transformFailed)
    #expect(pipeline.plan(for: PixelSize(width: 900, height: 800)).leastSize == nil)
  }

  @Test(arguments: [
    "Resize({9223372036854775807,0},0,zoom{2,1})", "Resize({0,0},0,zoom{1000,1000})",
    "Resize({0,0},0,least{9223372036854775807,0})", "Resize({300,300},3,least{9223372036854775807,0})",
    "Resize({300,300},3,zoom{0.001,1},least{9223372036854775807,9223372036854775807},shrink)",
    "Resize({9223372036854775807,9223372036854775807},2,auto)",
    "Resize({300,0},0,least{90000000,0})",
  ]) func hugeResultsAreRefusedByTheLimits(key: String) throws {
    let pipeline = try TransformerPipeline(parsing: key)
    let error = #expect(throws: ImageError.self) { try pipeline.run(Bitmap.noise(90, 80, .rgba8)) }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.result") == true)
  }

  @Test(arguments: TransformerPipeline.ResizeMode.allCases)
  func noSizesOverflow(mode: TransformerPipeline.ResizeMode) throws {
    let sides = [Int.min, -1, 0, 1, 5, 1 << 31, 1 << 62, .max - 1, .max]
    let pictures = try [(1, 1), (4, 5), (7, 3)].map { try Bitmap.noise($0.0, $0.1, .rgba8) }
    for (width, height) in sides.flatMap({ width in sides.map { (width, $0) } }) {
      let pipeline = TransformerPipeline.resize(width: width, height: height, mode: mode)
      for picture in pictures {
        do {
          let size = try pipeline.run(picture, limits: Limits(resultSide: 64)).size
          #expect(max(size.width, size.height) <= 64)
        } catch let error as ImageError {
          #expect(error.code == .transformFailed || error.code == .limitExceeded)
        }
      }
      for side in sides {
        let picture = PixelSize(width: side, height: 5)
        let least = [picture, picture.transposed].map { pipeline.plan(for: $0).leastSize }
        if side <= 0 { #expect(least == [nil, nil]) }
      }
    }
  }

  @Test func noSizeOfAPictureIsTooSmallOrLargeForAPlan() throws {
    let sides = [0, 1, 2, 1 << 24, 1 << 62, .max]
    let keys = [
      "Resize({10,10},2,shrink,ratio,auto)", "Resize({10,0},0,zoom{2,1},least{99,9})", "Resize({0,0},0,zoom{1,0.001})",
      "Resize({20,20},3,so,zoom{0.001,1000},least{1,9223372036854775807},shrink)",
    ]
    for (width, height) in sides.flatMap({ width in sides.map { (width, $0) } }) {
      let size = PixelSize(width: width, height: height)
      for key in keys {
        let plan = try TransformerPipeline(parsing: key).plan(for: size)
        if size.isEmpty { #expect(plan.leastSize == nil) }
      }
    }
  }

  @Test func aSmallPartOfAHugeEnlargementIsMade() throws {
    let red = PixelColor(red: 255, green: 0, blue: 0)
    let bitmap = try Bitmap(10, 10, red, .opaqueRGBA8)
    let result = try TransformerPipeline(parsing: "Resize({20,30},3,so,least{16000000,0})").run(bitmap)
    #expect(try result == Bitmap(20, 30, red, .opaqueRGBA8))
  }

  @Test(arguments: [
    ("Resize({20,60},2,shrink)", "CropSize({20,30},ce)"), ("Resize({21,60},2,noea,shrink)", "CropSize({21,30},noea)"),
    ("Resize({20,60},2,shrink,ratio)", "CropSize({10,30},ce)"),
    ("Resize({33,60},2,fp{0.2,0.9}{1,0},shrink)", "CropSize({33,30},fp{0.2,0.9}{1,0})"),
    ("Resize({20,14},2,shrink)", "Resize({20,14},2)"), ("Resize({15,11},2,so,shrink,dpr{2})", "Resize({30,22},2,so)"),
    ("Resize({30,20},2,no,shrink,dpr{2})", "CropSize({40,27},no)"),
    ("Resize({11,30},2,ea,shrink,dpr{2})", "CropSize({11,30},ea)"),
    ("Resize({20,14},2,so,auto)", "Resize({20,14},2,so)"),
    ("Resize({20,31},2,so,auto)", "Resize({20,31},3)"), ("Resize({0,0},0,zoom{2,0.5})", "Resize({80,15},0)"),
    ("Resize({0,0},0,least{60,0})", "Resize({60,0},0)"), ("Resize({80,0},4)", "Crop({0,0,40,30})"),
    ("Resize({20,13},3,zoom{1,1},least{20,15})", "Resize({20,15},0)-CropSize({20,13},ce)"),
  ]) func thePixelsAreThoseOfPlainSteps(key: String, plain: String) throws {
    let bitmap = try Bitmap.noise(40, 30, .rgba8)
    let result = try TransformerPipeline(parsing: key).run(bitmap)
    let expected = try TransformerPipeline(parsing: plain).run(bitmap)
    #expect(result.size == expected.size && result.signalToNoise(against: expected) > 60, "\(key)")
  }

  @Test func enlargementsBeforeACutKeepTheGravity() throws {
    let bitmap = try Bitmap(40, 30, .opaqueRGBA8) { x, y in [x < 20 ? 0 : 255, y < 15 ? 0 : 255, 0, 255] }
    func corner(_ gravity: String) throws -> [Int] {
      try TransformerPipeline(parsing: "Resize({8,8},3,\(gravity),least{80,0})").run(bitmap).components(4, 4)
    }
    #expect(try corner("nowe") == [0, 0, 0, 255] && corner("soea") == [255, 255, 0, 255])
    #expect(try corner("noea") == [255, 0, 0, 255] && corner("sowe") == [0, 255, 0, 255])
  }
}
