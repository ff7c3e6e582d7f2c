import EaselCore

/// Options that change colours and sharpness.
extension ImgproxyOption {
  static let look: [ImgproxyOption] = [
    ImgproxyOption(
      "background", "bg", arguments: "ff8800 or r:g:b",
      help: "The colour behind transparent pixels and of bars and borders."
    ) {
      draft, given throws(ServiceError) in
      guard given.count > 1 else { return draft.background = try given.color(0) }
      try given.requireAtMost(3)
      func component(_ index: Int) throws(ServiceError) -> UInt8 {
        guard let value = try given.integer(index, 0...255) else { throw given.wrong(nil, "three numbers") }
        return UInt8(value)
      }
      draft.background = PixelColor(red: try component(0), green: try component(1), blue: try component(2))
    },
    ImgproxyOption("background_alpha", "bga", arguments: "alpha", help: "The opacity of the background, from 0 to 1.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.backgroundAlpha = try given.number(0, 0...1) ?? 1
    },
    ImgproxyOption(
      "adjust", "a", arguments: "brightness:contrast:saturation", help: "Brightness, contrast and saturation at once."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(3)
      draft.look.brightness = try given.number(0, -255...255) ?? draft.look.brightness
      draft.look.contrast = try given.number(1, 0...100) ?? draft.look.contrast
      draft.look.saturation = try given.number(2, 0...100) ?? draft.look.saturation
    },
    ImgproxyOption("brightness", "br", arguments: "number", help: "Adds a number from -255 to 255 to all components.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.look.brightness = try given.number(0, -255...255) ?? 0
    },
    ImgproxyOption("contrast", "co", arguments: "factor", help: "Moves colours away from grey; 1 changes nothing.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.look.contrast = try given.number(0, 0...100) ?? 1
    },
    ImgproxyOption("saturation", "sa", arguments: "factor", help: "Makes colours stronger; 1 changes nothing.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.look.saturation = try given.number(0, 0...100) ?? 1
    },
    ImgproxyOption(
      "monochrome", "mc", arguments: "intensity:color",
      help: "Draws the picture in shades of one colour, with an intensity from 0 to 1."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      draft.look.monochrome = (
        try given.number(0, 0...1) ?? 0, try given.color(1) ?? PixelColor(red: 0xb3, green: 0xb3, blue: 0xb3)
      )
    },
    ImgproxyOption(
      "duotone", "dt", arguments: "intensity:shadows:highlights",
      help: "Draws the picture in the shades between two colours."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(3)
      draft.look.duotone = (
        try given.number(0, 0...1) ?? 0, try given.color(1) ?? .black, try given.color(2) ?? .white
      )
    },
    ImgproxyOption(
      "blur", "bl", arguments: "sigma", help: "Blurs; the number is a standard deviation in pixels of the result."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.look.blur = try given.number(0, 0...1000) ?? 0
    },
    ImgproxyOption("sharpen", "sh", arguments: "sigma", help: "Sharpens edges of this width in pixels of the result.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.look.sharpen = try given.number(0, 0...100) ?? 0
    },
    ImgproxyOption("pixelate", "pix", arguments: "pixels", help: "Turns the picture into squares of this side.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.look.block = try given.integer(0, 0...100_000) ?? 0
    },
  ]
}
