import EaselCore
import Testing

struct PixelRectTests {
  private func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRect {
    PixelRect(x: x, y: y, width: width, height: height)
  }

  @Test func theCommonPartIsTheSameFromBothSides() {
    let left = rect(0, 0, 10, 20)
    let right = rect(5, -5, 100, 10)
    #expect(left.intersection(right) == rect(5, 0, 5, 5))
    #expect(right.intersection(left) == rect(5, 0, 5, 5))
    #expect(left.intersection(left) == left)
    #expect(left.intersection(rect(2, 3, 4, 5)) == rect(2, 3, 4, 5))
  }

  @Test func rectanglesThatOnlyTouchHaveNothingInCommon() {
    let square = rect(0, 0, 10, 10)
    for other in [rect(10, 0, 5, 5), rect(0, 10, 5, 5), rect(-5, 0, 5, 5), rect(20, 20, 1, 1), rect(3, 3, 0, 5)] {
      #expect(square.intersection(other).isEmpty)
      #expect(other.intersection(square).isEmpty)
    }
  }

  @Test func aNegativeLengthIsEmpty() {
    #expect(rect(5, 5, -3, 4).isEmpty)
    #expect(rect(0, 0, 10, 10).intersection(rect(5, 5, -3, 4)).isEmpty)
    #expect(rect(0, 0, 10, 10).intersection(rect(5, 5, .min, .min)).isEmpty)
  }

  @Test func extremeValuesOverflowNothing() {
    let values = [Int.min, Int.min + 1, -1, 0, 1, Int.max - 1, Int.max]
    let picture = rect(0, 0, 100, 100)
    for x in values {
      for width in values {
        let hostile = rect(x, x, width, width)
        let common = hostile.intersection(picture)
        #expect(common == picture.intersection(hostile) || common.isEmpty)
        #expect(common.isEmpty || (common.x >= 0 && common.x + common.width <= 100))
        for other in values { _ = hostile.intersection(rect(other, other, width, .max)) }
      }
    }
    #expect(rect(.min, .min, .max, .max).intersection(rect(.min, .min, 5, 6)) == rect(.min, .min, 5, 6))
    #expect(rect(-10, -10, .max, .max).intersection(picture) == picture)
  }

  @Test func itCoversAPicture() {
    let covering = PixelRect(covering: PixelSize(width: 3, height: 4))
    #expect(covering == rect(0, 0, 3, 4))
    #expect(covering.size == PixelSize(width: 3, height: 4))
  }
}
