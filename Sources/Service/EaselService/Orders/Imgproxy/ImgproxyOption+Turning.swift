/// Options that turn and mirror.
extension ImgproxyOption {
  static let turning: [ImgproxyOption] = [
    ImgproxyOption(
      "auto_rotate", "ar", arguments: "1", help: "Turns the picture upright, as its EXIF says; on by default."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.appliesOrientation = try given.flag(0) ?? true
    },
    ImgproxyOption("rotate", "rot", arguments: "degrees", help: "Turns clockwise by a multiple of 90 degrees.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      guard let degrees = try given.integer(0, -3600...3600), degrees.isMultiple(of: 90) else {
        throw given.wrong(given[0], "a multiple of 90")
      }
      draft.quarterTurns = (degrees / 90 % 4 + 4) % 4
    },
    ImgproxyOption("flip", "fl", arguments: "horizontal:vertical", help: "Mirrors the picture.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      draft.flips = (
        try given.flag(0) ?? draft.flips.horizontal, try given.flag(1) ?? draft.flips.vertical
      )
    },
  ]
}
