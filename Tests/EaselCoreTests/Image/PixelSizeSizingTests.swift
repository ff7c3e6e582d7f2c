import EaselCore
import EaselTestStudio
import Testing

struct PixelSizeSizingTests {
  private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

  @Test(arguments: [
    (5250, 3450, 400, 300, 400, 263), (5250, 3450, 4000, 4000, 4000, 2629), (3450, 5250, 300, 400, 263, 400),
    (100, 50, 10, 10, 10, 5), (50, 100, 10, 10, 5, 10), (1000, 1, 10, 10, 10, 1), (1, 1000, 10, 10, 1, 10),
    (1_000_000, 3, 1, 1, 1, 1), (100, 100, 100, 50, 50, 50), (3, 2, 2, 2, 2, 1), (200, 3, 100, 100, 100, 2),
    (4000, 3000, 4000, 2999, 3999, 2999), (65_535, 65_535, 1, 65_535, 1, 1),
  ])
  func aThumbnailFitsItsBox(_ width: Int, _ height: Int, _ boxWidth: Int, _ boxHeight: Int, _ w: Int, _ h: Int) {
    #expect(size(width, height).thumbnail(in: size(boxWidth, boxHeight)) == size(w, h))
  }

  @Test(arguments: [(0, 0), (0, 10), (10, 0), (-5, 10), (100, 80), (101, 500), (Int.max, Int.max)])
  func aZeroSideOrARoomyBoxGivesTheFullSize(width: Int, height: Int) {
    #expect(size(100, 80).thumbnail(in: size(width, height)) == size(100, 80))
    #expect(size(100, 80).thumbnail(in: size(width, height), preservingAspectRatio: false) == size(100, 80))
  }

  @Test(arguments: [(30, 40, 30, 40), (200, 40, 100, 40), (30, 500, 30, 80)])
  func withoutTheRatioItIsTheBoxAndNeverMoreThanThePicture(_ width: Int, _ height: Int, _ w: Int, _ h: Int) {
    #expect(size(100, 80).thumbnail(in: size(width, height), preservingAspectRatio: false) == size(w, h))
  }

  @Test(arguments: [
    (2000, 2000, 4_000_000, 1000, 1000), (2000, 2000, 16_000_000, 2000, 2000), (2000, 2000, 15_999_999, 1999, 1999),
    (2000, 2000, 0, 1, 1), (2000, 2000, -1, 1, 1), (2000, 2000, .min, 1, 1), (2000, 2000, 7, 1, 1),
    (2000, 1000, 8, 2, 1), (1_000_000, 1, 400, 100, 1), (1, 1_000_000, 400, 1, 100), (1000, 10, 200, 50, 1),
    (1029, 1031, 1_000_000, 499, 500), (65_535, 65_535, 64 << 20, 4096, 4096), (1, 1, 0, 1, 1),
    (65_535, 65_535, .max, 65_535, 65_535),
  ])
  func scalingDownFitsTheBytes(_ width: Int, _ height: Int, _ bytes: Int, _ w: Int, _ h: Int) {
    #expect(size(width, height).scaledDown(toBytes: bytes) == size(w, h))
  }

  @Test func emptySizesStayAsTheyAre() {
    for empty in [size(0, 0), size(0, 5), size(5, 0), size(-3, 7), size(.min, .min)] {
      #expect(empty.thumbnail(in: size(2, 2)) == empty)
      #expect(empty.scaledDown(toBytes: 4) == empty)
      #expect(empty.area == 0)
    }
  }

  @Test func hugeSidesOverflowNothing() {
    let sides = [1, 2, 3, 65_535, 1 << 31, 1 << 32, (1 << 62) - 1, 1 << 62, Int.max - 1, Int.max]
    for width in sides {
      for height in sides {
        for budget in sides + [0, 400, 1 << 33] {
          let full = size(width, height)
          let scaled = full.scaledDown(toBytes: budget)
          #expect(isLargest(scaled, of: full, pixels: budget / 4))
          for other in sides { checkThumbnail(of: full, in: size(budget, other)) }
        }
      }
    }
  }

  @Test func randomThumbnailsKeepTheRules() {
    var random = SeededRandom(seed: 6)
    for _ in 0..<1_000_000 {
      let bits = random.below(8) == 0 ? 62 : 17
      let full = PixelSize(width: random.magnitude(upToBits: bits), height: random.magnitude(upToBits: bits))
      let box = PixelSize(width: random.magnitude(upToBits: bits), height: random.magnitude(upToBits: bits))
      guard checkThumbnail(of: full, in: box) else { return }
    }
  }

  /// Checks that the size fits, is not enlarged and is not empty.
  ///
  /// The limiting side must be exact, and the other within half a pixel of the ratio.
  @discardableResult
  private func checkThumbnail(of full: PixelSize, in box: PixelSize) -> Bool {
    let made = full.thumbnail(in: box)
    let fitsAlready = box.width <= 0 || box.height <= 0 || (full.width <= box.width && full.height <= box.height)
    var isRight = fitsAlready ? made == full : made.width <= box.width && made.height <= box.height
    isRight = isRight && made.width >= 1 && made.height >= 1 && made.width <= full.width && made.height <= full.height
    if !fitsAlready {
      let widthIsExact = made.width == box.width && isNearest(made.height, full.height, made.width, full.width)
      let heightIsExact = made.height == box.height && isNearest(made.width, full.width, made.height, full.height)
      isRight = isRight && (widthIsExact || heightIsExact)
    }
    if !isRight { Issue.record("\(full) in \(box) became \(made)") }
    return isRight
  }

  /// True when `2 * |side * denominator - full * numerator| <= denominator`, or when the side was raised to 1.
  private func isNearest(_ side: Int, _ full: Int, _ numerator: Int, _ denominator: Int) -> Bool {
    let exact = full.multipliedFullWidth(by: numerator)
    let made = side.multipliedFullWidth(by: denominator)
    // The difference is small where the property holds, so its low word and sign suffice.
    let (low, borrows) = made.low.subtractingReportingOverflow(exact.low)
    let high = made.high - exact.high - (borrows ? 1 : 0)
    let isAbove = high == 0 && low <= UInt(denominator) / 2
    let isBelow = high == -1 && (0 &- low) <= UInt(denominator) / 2 && low != 0
    return isAbove || isBelow || (side == 1 && (high > 0 || (high == 0 && low > 0)))
  }

  @Test func randomScaledDownSizesFitAndAreTheLargest() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<1_000_000 {
      let bits = random.below(64) == 0 ? 62 : 17
      let full = PixelSize(width: random.magnitude(upToBits: bits), height: random.magnitude(upToBits: bits))
      let bytes = random.magnitude(upToBits: random.below(64) == 0 ? 62 : 33)
      let made = full.scaledDown(toBytes: bytes)
      guard isLargest(made, of: full, pixels: bytes / 4) else {
        Issue.record("\(full) in \(bytes) bytes became \(made)")
        return
      }
    }
  }

  @Test(arguments: [(1029, 1031), (65_535, 65_535), (65_521, 3), (8191, 8191), (4099, 2053)])
  func everyBudgetOfAnAwkwardSizeIsUsedUp(width: Int, height: Int) {
    var random = SeededRandom(seed: 8)
    for pixels in Array(0..<300) + (0..<1_000).map({ _ in random.below(width * height + 10) }) {
      let made = size(width, height).scaledDown(toBytes: pixels * 4 + 3)
      #expect(isLargest(made, of: size(width, height), pixels: pixels))
    }
  }

  /// Checks that each side is the floor of the exact one; if one side would vanish, the other gets all pixels.
  private func isLargest(_ made: PixelSize, of full: PixelSize, pixels: Int) -> Bool {
    if full.area <= pixels { return made == full }
    if pixels < 1 { return made == PixelSize(width: 1, height: 1) }
    guard made.area <= pixels, made.width <= full.width, made.height <= full.height else { return false }
    if full.width | full.height | pixels < 1 << 31 { return isLargestInWords(made, full.width, full.height, pixels) }
    let (width, height, budget) = (UInt128(full.width), UInt128(full.height), UInt128(pixels))
    if height * budget < width { return made == PixelSize(width: pixels, height: 1) }
    if width * budget < height { return made == PixelSize(width: 1, height: pixels) }
    return isFloorOfRoot(UInt128(made.width), of: width * budget / height)
      && isFloorOfRoot(UInt128(made.height), of: height * budget / width)
  }

  /// The same check in machine words, which are fast in a debug build.
  private func isLargestInWords(_ made: PixelSize, _ width: Int, _ height: Int, _ pixels: Int) -> Bool {
    if height * pixels < width { return made == PixelSize(width: pixels, height: 1) }
    if width * pixels < height { return made == PixelSize(width: 1, height: pixels) }
    let square = (width * pixels / height, height * pixels / width)
    return made.width * made.width <= square.0 && square.0 < (made.width + 1) * (made.width + 1)
      && made.height * made.height <= square.1 && square.1 < (made.height + 1) * (made.height + 1)
  }

  private func isFloorOfRoot(_ root: UInt128, of square: UInt128) -> Bool {
    root * root <= square && square < (root + 1) * (root + 1)
  }
}
