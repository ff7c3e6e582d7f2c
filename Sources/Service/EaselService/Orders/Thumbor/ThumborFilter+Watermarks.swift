import EaselCore
import EaselTransformers

/// Filters that draw other pictures.
extension ThumborFilter {
  static let watermarks: [ThumborFilter] = [
    ThumborFilter(
      "frame", "url", 1...1,
      help:
        "Puts the picture into a frame whose border of one pixel says in black what is stretched, at the left and the top, "
        + "and what lies over the picture, at the right and the bottom; a nine-patch of Android."
    ) { draft, given throws(ServiceError) in
      var watermark = WatermarkOrder(source: try draft.sources.complete(try given.text(0), of: "frame"))
      watermark.isFrame = true
      draft.append(watermark)
    },
    ThumborFilter(
      "watermark", "url,x,y,transparency,w_ratio,h_ratio", 4...6,
      help:
        "Draws a picture over this one. x and y are pixels or percent such as 10p from the left and the top, with a minus "
        + "from the right and the bottom, or center or repeat. The ratios are percentages of the picture's sides."
    ) { draft, given throws(ServiceError) in
      var watermark = WatermarkOrder(source: try draft.sources.complete(try given.text(0), of: "watermark"))
      let places = SpreadWatermark.Places(x: try given.position(1), y: try given.position(2))
      watermark.gravity = ThumborPosition.gravity(x: places.x, y: places.y)
      if places.x == .repeated || places.y == .repeated { watermark.spread = places }
      watermark.opacity = Double(100 - (try given.integer(3, 0...100))) / 100
      watermark.scale = try scale(given)
      if watermark.opacity > 0 { draft.append(watermark) }
    },
  ]

  /// The shares into which a watermark is fitted; nil for its own size.
  private static func scale(_ given: FilterArguments) throws(ServiceError) -> WatermarkOrder.Scale? {
    func percent(_ index: Int) throws(ServiceError) -> Int {
      guard given.has(index), try given.text(index) != "none" else { return 0 }
      return try given.integer(index, 0...100)
    }
    let (width, height) = (try percent(4), try percent(5))
    guard width > 0 || height > 0 else { return nil }
    return WatermarkOrder.Scale(x: Double(width) / 100, y: Double(height) / 100)
  }
}
