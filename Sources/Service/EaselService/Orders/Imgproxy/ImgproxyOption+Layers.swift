import EaselCore

/// Options that change parts of a picture, or put colours over it.
extension ImgproxyOption {
  private static let directions = ["down": 0.0, "left": 90.0, "up": 180.0, "right": 270.0]
  private static let mostAreas = 64

  /// A colour with an opacity, from this argument on; black is the default.
  private static func color(_ given: OptionArguments, _ index: Int) throws(ServiceError) -> PixelColor {
    let opacity = try given.number(index, 0...1) ?? 0
    var color = try given.color(index + 1) ?? .black
    color.alpha = UInt8((opacity * 255).rounded())
    return color
  }

  static let layers: [ImgproxyOption] = [
    ImgproxyOption(
      "blur_areas", "ba", arguments: "sigma:left:top:width:height:...",
      help: "Blurs rectangles, each given in shares of the whole picture as it is before rotate and flip."
    ) { draft, given throws(ServiceError) in
      guard given.count >= 1, (given.count - 1).isMultiple(of: 4) else {
        throw given.wrong(given.values.last, "a sigma and four shares for each rectangle")
      }
      guard given.count <= 1 + 4 * mostAreas else { throw given.wrong(nil, "at most \(mostAreas) rectangles") }
      var areas: [AreaBlur.Area] = []
      for index in stride(from: 1, to: given.count, by: 4) {
        areas.append(
          AreaBlur.Area(
            x: try given.number(index, 0...1) ?? 0, y: try given.number(index + 1, 0...1) ?? 0,
            width: try given.number(index + 2, 0...1) ?? 0, height: try given.number(index + 3, 0...1) ?? 0))
      }
      draft.look.blurredAreas = (try given.number(0, 0...1000) ?? 0, areas)
    },
    ImgproxyOption(
      "colorize", "col", arguments: "opacity:color:keep_alpha",
      help: "Puts a colour over the picture, and over transparent pixels unless 1 follows; black if none is given."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(3)
      draft.look.layer = (try color(given, 0), try given.flag(2) ?? false)
    },
    ImgproxyOption(
      "gradient", "gr", arguments: "opacity:color:direction:start:stop",
      help:
        "Puts a colour over the picture that grows from nothing in a direction: down, up, left, right or clockwise "
        + "degrees. start and stop are shares of the way."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(5)
      var gradient = Gradient(color: try color(given, 0))
      if let angle = given[2].flatMap({ directions[String($0)] }) {
        gradient.angle = angle
      } else {
        gradient.angle = try given.number(2, -3600...3600) ?? 0
      }
      gradient.start = try given.number(3, 0...1) ?? 0
      gradient.stop = try given.number(4, 0...1) ?? 1
      draft.look.gradient = gradient
    },
  ]
}
