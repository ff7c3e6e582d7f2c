import EaselCore
import EaselTransformers

/// Options that cut parts out or add borders.
extension ImgproxyOption {
  static let cutting: [ImgproxyOption] = [
    ImgproxyOption(
      "gravity", "g", arguments: "place:x:y",
      help:
        "The part that stays: no, so, ea, we, noea, nowe, soea, sowe, ce with offsets, sm for the part that attracts "
        + "the eye, or fp:x:y for a focal point. Offsets from 1 on are pixels, below they are shares."
    ) { draft, given throws(ServiceError) in draft.gravity = try given.gravity(0) ?? .center },
    ImgproxyOption(
      "crop", "c", arguments: "width:height:gravity",
      help:
        "Cuts a part out of the original, with its sides and its place as they are after rotate and flip; sides from 1 on "
        + "are pixels, below they are shares, and 0 is the whole side."
    ) { draft, given throws(ServiceError) in
      // Parts of pixels do not count.
      draft.crop = (
        try given.length(0, rounded: .towardZero) ?? .pixels(0),
        try given.length(1, rounded: .towardZero) ?? draft.crop?.height ?? .pixels(0),
        try given.gravity(2) ?? draft.crop?.gravity
      )
    },
    ImgproxyOption(
      "crop_aspect_ratio", "crop_ar", "car", arguments: "ratio:enlarge",
      help:
        "Gives the crop, or the picture if there is none, this quotient of width and height by making it smaller, or a "
        + "crop by making it larger if 1 follows; 0 for none."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      draft.cropRatio = (try given.number(0, 0...10_000) ?? 0, try given.flag(1) ?? false)
    },
    ImgproxyOption(
      "trim", "t", arguments: "threshold:color:equal_hor:equal_ver",
      help:
        "Cuts off borders of one colour, by default that of the top left pixel; ff00ff stands for transparent pixels too."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(4)
      let (threshold, color) = (try given.number(0, 0...255), try given.color(1))
      let horizontally = try given.flag(2) ?? draft.trimsEqually.horizontally
      let vertically = try given.flag(3) ?? draft.trimsEqually.vertically
      draft.trimsEqually = (horizontally, vertically)
      guard let threshold else { return draft.recipe.trim = .identity }
      // Magenta is the key of transparency.
      draft.recipe.trim =
        color == PixelColor(red: 255, green: 0, blue: 255)
        ? .trim(
          colorOfTransparency: PixelColor(red: 255, green: 0, blue: 255), tolerance: threshold,
          equalsHorizontally: horizontally, equalsVertically: vertically)
        : .trim(
          color: color, tolerance: threshold, equalsHorizontally: horizontally, equalsVertically: vertically)
    },
    ImgproxyOption(
      "padding", "pd", arguments: "top:right:bottom:left", help: "Adds a border, with the sides in the order of CSS."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(4)
      let top = try given.integer(0) ?? draft.recipe.padding.top
      let right = try given.integer(1) ?? top
      let bottom = try given.integer(2) ?? top
      draft.recipe.padding = TransformerPipeline.Insets(
        top: top, right: right, bottom: bottom, left: try given.integer(3) ?? right)
    },
  ]
}
