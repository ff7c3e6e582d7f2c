import EaselTestPixels
import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// Frames whose parts are stretched.
struct NinePatchTests {
  /// A picture with marks in its border; inside, each pixel has a colour of its own.
  private func patch(
    _ width: Int, _ height: Int, top: Range<Int>..., left: Range<Int> = 0..<0, right: Range<Int> = 0..<0,
    bottom: Range<Int> = 0..<0
  ) throws -> Bitmap {
    try Bitmap(width + 2, height + 2, .rgba8) { x, y in
      let isMarked =
        y == 0 && top.contains { $0.contains(x - 1) } || y == height + 1 && bottom.contains(x - 1)
        || x == 0 && left.contains(y - 1) || x == width + 1 && right.contains(y - 1)
      if x == 0 || y == 0 || x == width + 1 || y == height + 1 { return isMarked ? [0, 0, 0, 255] : [0, 0, 0, 0] }
      return [x * 20 % 256, y * 20 % 256, 100, 255]
    }
  }

  private func sides(of patch: NinePatch) -> [Int] {
    [patch.padding.left, patch.padding.top, patch.padding.right, patch.padding.bottom]
  }

  @Test func blackPixelsMarkRuns() throws {
    let patch = try NinePatch(
      patch(6, 4, top: 2..<4, 5..<6, left: 0..<4, right: 1..<3, bottom: 2..<5), work: WorkContext())
    #expect(
      patch.columns == [
        .init(start: 0, length: 2, isStretched: false), .init(start: 2, length: 2, isStretched: true),
        .init(start: 4, length: 1, isStretched: false), .init(start: 5, length: 1, isStretched: true),
      ])
    #expect(patch.rows == [.init(start: 0, length: 4, isStretched: true)])
    #expect(sides(of: patch) == [2, 1, 1, 1])
    let plain = try NinePatch(self.patch(3, 2), work: WorkContext())
    #expect(sides(of: plain) == [0, 0, 0, 0] && plain.columns.map(\.isStretched) == [false])
  }

  @Test(
    arguments: [
      // Runs of 2, 2 stretched, 1, 1 stretched.
      (6, [2, 4, 5, 6]), (12, [2, 8, 9, 12]), (3, [2, 2, 3, 3]), (4, [2, 3, 4, 4]), (2, [1, 1, 2, 2]),
      (1, [1, 1, 1, 1]),
      (1000, [2, 667, 668, 1000]),
    ])
  func stretchedRunsShareTheRoom(_ full: Int, _ ends: [Int]) {
    let runs: [NinePatch.Run] = [
      .init(start: 0, length: 2, isStretched: false), .init(start: 2, length: 2, isStretched: true),
      .init(start: 4, length: 1, isStretched: false), .init(start: 5, length: 1, isStretched: true),
    ]
    #expect(NinePatch.ends(of: runs, in: full) == ends)
  }

  @Test func cornersKeepTheirPixelsAndTheMiddleFillsTheRest() throws {
    let bitmap = try patch(3, 3, top: 1..<2, left: 1..<2)
    let drawn = try NinePatch(bitmap, work: WorkContext()).drawn(
      at: PixelSize(width: 9, height: 7), work: WorkContext())
    for y in 0..<7 {
      for x in 0..<9 {
        let (column, row) = (x == 0 ? 1 : x == 8 ? 3 : 2, y == 0 ? 1 : y == 6 ? 3 : 2)
        #expect(drawn.components(x, y) == bitmap.components(column, row), "at \(x),\(y)")
      }
    }
  }

  @Test func anUnstretchedFrameOfItsOwnSizeIsItsContent() throws {
    let bitmap = try patch(5, 4, top: 1..<2, left: 2..<3)
    let drawn = try NinePatch(bitmap, work: WorkContext()).drawn(
      at: PixelSize(width: 5, height: 4), work: WorkContext())
    #expect(try drawn == bitmap.cropped(to: PixelRect(x: 1, y: 1, width: 5, height: 4)))
  }

  @Test func aFrameLiesOverThePictureAndMakesRoom() throws {
    // A red frame of one pixel around a transparent middle, and a padding of two at the left.
    let frame = try Bitmap(7, 5, .rgba8) { x, y in
      switch (x, y) {
      case (0, 2), (2...4, 0), (3...5, 4), (6, 1...3): [0, 0, 0, 255]
      case (0, _), (_, 0), (6, _), (_, 4): [0, 0, 0, 0]
      case (1, _), (5, _), (_, 1), (_, 3): [255, 0, 0, 255]
      default: [0, 0, 0, 0]
      }
    }
    var order = WatermarkOrder(source: "s")
    order.isFrame = true
    let picture = try Bitmap(20, 10, PixelColor(red: 0, green: 0, blue: 200), .opaqueRGBA8)
    let result = try order.transformer(Watermark(bitmap: frame, name: "f")).transform(
      Image(picture), work: WorkContext()
    )
    .bitmap
    #expect(result.size == PixelSize(width: 22, height: 10))
    for y in 0..<10 {
      for x in 0..<22 {
        let isFrame = x == 0 || x == 21 || y == 0 || y == 9
        let expected = isFrame ? [255, 0, 0, 255] : x < 2 ? [255, 255, 255, 255] : [0, 0, 200, 255]
        #expect(Array(result.components(x, y)[0...3]) == expected, "at \(x),\(y)")
      }
    }
  }

  @Test func framesOfDifferentPicturesHaveDifferentKeys() throws {
    let bitmap = try patch(3, 3)
    func key(_ name: String) -> String { NinePatchFrame(picture: Watermark(bitmap: bitmap, name: name)).cacheKey }
    #expect(key("a") == "FrameWatermark(a,nowe,1,0)" && key("b)-Blur(2") == "FrameWatermark(b%29%2dBlur%282,nowe,1,0)")
  }

  @Test(arguments: [(2, 2), (3, 2), (2, 9), (1, 1)])
  func aPictureWithoutAnInsideIsNoFrame(_ width: Int, _ height: Int) throws {
    let bitmap = try Bitmap(width, height, .black)
    let error = #expect(throws: ImageError.self) { try NinePatch(bitmap, work: WorkContext()) }
    #expect(error?.code == .transformFailed)
  }

  @Test func aFrameOfTooManyPartsIsRefused() throws {
    let bitmap = try Bitmap(200, 3, .rgba8) { x, y in y == 0 && x % 2 == 0 ? [0, 0, 0, 255] : [9, 9, 9, 255] }
    let error = #expect(throws: ImageError.self) { try NinePatch(bitmap, work: WorkContext()) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func aFrameKeepsTheLimits() throws {
    let bitmap = try patch(300, 3, bottom: 200..<201)
    var limits = Limits()
    limits.resultSide = 250
    let error = #expect(throws: ImageError.self) {
      try NinePatchFrame(picture: Watermark(bitmap: bitmap, name: "f")).transform(
        Image(Bitmap(20, 10, .white)), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
  }
}
