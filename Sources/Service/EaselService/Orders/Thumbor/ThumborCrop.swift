import EaselCore
import EaselTransformers

/// A rectangle from its top left to its bottom right corner: `10x20:110x120`.
struct ThumborCrop {
  let left: Int
  let top: Int
  let right: Int
  let bottom: Int

  static func isWritten(as text: String) -> Bool { corners(of: text) != nil }

  /// The four numbers, as they are written.
  private static func corners(of text: some StringProtocol) -> [Substring]? {
    let corners = Substring(text).split(separator: ":", omittingEmptySubsequences: false).map {
      $0.split(separator: "x", omittingEmptySubsequences: false)
    }
    guard corners.count == 2, corners[0].count == 2, corners[1].count == 2,
      corners.allSatisfy({ $0.allSatisfy(ThumborNumber.isDigits) })
    else { return nil }
    return corners[0] + corners[1]
  }

  /// Reads a crop; nil for `0x0:0x0`, which means none.
  init?(_ text: String) throws(ServiceError) {
    guard let area = ThumborCrop(area: text) else {
      if Self.corners(of: text)?.allSatisfy({ ThumborNumber.integer($0, 0...0) != nil }) == true { return nil }
      throw ServiceError(
        400,
        "The crop takes a left top corner and a right bottom corner beyond it, not '\(text.prefix(60))'; write it as "
          + "10x20:110x120.")
    }
    self = area
  }

  /// Reads an area with a width and a height; nil for other texts.
  init?(area text: some StringProtocol) {
    guard let numbers = Self.corners(of: text)?.compactMap({ ThumborNumber.integer($0, ThumborNumber.sides) }),
      numbers.count == 4, numbers[0] < numbers[2], numbers[1] < numbers[3]
    else { return nil }
    (left, top, right, bottom) = (numbers[0], numbers[1], numbers[2], numbers[3])
  }

  var pipeline: TransformerPipeline { .crop(x: left, y: top, width: right - left, height: bottom - top) }
}
