import EaselCore
import EaselPixels
import EaselTransformers

/// Draws a watermark as often as it finds room along one side or both, with equal gaps between.
struct SpreadWatermark: Transformer {
  /// The places along both axes.
  struct Places: Hashable, Sendable {
    var x: ThumborPosition
    var y: ThumborPosition
  }

  let picture: Watermark
  let places: Places
  let opacity: Double
  let scale: WatermarkOrder.Scale?

  /// `Spread` before the key of a single watermark, with the places after it.
  var cacheKey: String {
    let one = TransformerPipeline.watermark(
      picture.bitmap, name: picture.name, gravity: .northWest, opacity: opacity, scaleX: scale?.x ?? 0,
      scaleY: scale?.y ?? 0)
    return "Spread\(one.cacheKey)(\(places.x.keyText),\(places.y.keyText))"
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let mark = try picture.bitmap.resized(to: size(on: image.size), work: work)
    var columns = Row(places.x, mark.width, in: image.size.width)
    var rows = Row(places.y, mark.height, in: image.size.height)
    if places.x == .repeated, places.y == .repeated, columns.count * rows.count > Self.most {
      columns.reduce()
      rows.reduce()
    }
    return Image(
      try image.bitmap.overlaid(
        with: mark, columns: columns.starts, rows: rows.starts, opacity: opacity, work: work))
  }

  /// From more than these on, there are only a few along each side.
  private static let most = 100

  private func size(on canvas: PixelSize) -> PixelSize {
    let own = picture.bitmap.size
    guard let scale else { return own }
    let factors = [
      scale.x * Double(canvas.width) / Double(own.width), scale.y * Double(canvas.height) / Double(own.height),
    ]
    let factor = factors.filter { $0 > 0 }.min() ?? 1
    func side(_ full: Int, _ most: Int) -> Int { min(most, max(1, Int((Double(full) * factor).rounded()))) }
    return PixelSize(width: side(own.width, canvas.width), height: side(own.height, canvas.height))
  }

  /// The watermarks along one side.
  private struct Row {
    private let first: Int
    private let length: Int
    private let full: Int
    private(set) var count: Int
    /// The pixels for all gaps together.
    private var room: Int

    init(_ position: ThumborPosition, _ length: Int, in full: Int) {
      self.length = length
      self.full = full
      guard position == .repeated else {
        (first, count, room) = (position.start(of: length, in: full), 1, 0)
        return
      }
      first = 0
      // The last one is cut off if there is no room for two.
      (count, room) =
        full >= 2 * length
        ? (full / length, full % length) : (full > length ? 2 : 1, SpreadWatermark.leastGap)
    }

    mutating func reduce() {
      count = min(SpreadWatermark.fewest, count)
      room = full - count * length
    }

    var starts: [Int] {
      let step = length + room / (max(count, 2) - 1)
      return (0..<count).map { first + $0 * step }
    }
  }

  private static let leastGap = 10
  private static let fewest = 6
}

extension ThumborPosition {
  /// The start of something of this length along a side.
  func start(of length: Int, in full: Int) -> Int {
    switch self {
    case .repeated: 0
    case .center: (full - length) / 2
    case .edge(let isFar, let inset):
      isFar ? full - length - Self.pixels(inset, of: full) : Self.pixels(inset, of: full)
    }
  }

  private static func pixels(_ length: TransformerPipeline.Length, of full: Int) -> Int {
    switch length {
    case .pixels(let count): count
    case .share(let share): Int((Double(full) * share).rounded())
    }
  }

  fileprivate var keyText: String {
    switch self {
    case .repeated: "repeat"
    case .center: "center"
    case .edge(let isFar, .pixels(let count)): "\(isFar ? "-" : "")\(count)"
    case .edge(let isFar, .share(let share)): "\(isFar ? "-" : "")\(share)s"
    }
  }
}
