import EaselCore
import EaselTransformers

/// Options that decide the size.
extension ImgproxyOption {
  private static let fittings: [String: PixelRecipe.Fitting] = [
    "fit": .fit, "fill": .fill, "fill-down": .fillDown, "force": .force, "auto": .auto, "pad": .pad,
  ]

  private static func setFitting(_ draft: inout ImgproxyDraft, _ given: OptionArguments, _ index: Int)
    throws(ServiceError)
  {
    guard let name = given[index] else { return }
    guard let fitting = fittings[String(name)] else {
      throw given.wrong(name, "fit, fill, fill-down, force, auto or pad")
    }
    draft.recipe.fitting = fitting
  }

  /// Width, height, enlarging and bars, from this argument on.
  private static func setSize(_ draft: inout ImgproxyDraft, _ given: OptionArguments, _ index: Int) throws(ServiceError)
  {
    if let width = try given.integer(index) { draft.recipe.width = width }
    if let height = try given.integer(index + 1) { draft.recipe.height = height }
    if let enlarges = try given.flag(index + 2) { draft.recipe.enlarges = enlarges }
    if given[index + 3] != nil { try setBars(\.sizeBars, of: &draft, given.dropFirst(index + 3)) }
  }

  private static func setBars(
    _ bars: WritableKeyPath<ImgproxyLink, ImgproxyLink.Bars>, of draft: inout ImgproxyDraft, _ given: OptionArguments
  ) throws(ServiceError) {
    guard let isOn = try given.flag(0) else { return }
    let gravity = try given.gravity(1, allowsSmart: false)
    draft[dynamicMember: bars].isOn = isOn
    if let gravity { draft[dynamicMember: bars].gravity = gravity }
  }

  static let size: [ImgproxyOption] = [
    ImgproxyOption(
      "resize", "rs", arguments: "type:width:height:enlarge:extend",
      help: "The fitting and the size; 0 for a side that follows from the other."
    ) { draft, given throws(ServiceError) in
      try setFitting(&draft, given, 0)
      try setSize(&draft, given, 1)
    },
    ImgproxyOption(
      "size", "s", arguments: "width:height:enlarge:extend", help: "The size; 0 for a side that follows from the other."
    ) {
      draft, given throws(ServiceError) in try setSize(&draft, given, 0)
    },
    ImgproxyOption(
      "resizing_type", "rt", arguments: "type",
      help: "The fitting: fit inside, fill and cut, fill-down without enlarging, force, auto by the shape, or pad with "
        + "bars."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      try setFitting(&draft, given, 0)
    },
    ImgproxyOption(
      "fidelity", "fi", arguments: "name",
      help:
        "The care with which the picture becomes smaller: fast, faithful, which averages light, or exact, which takes "
        + "all pixels."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      guard let name = given[0] else { return draft.order.fidelity = nil }
      guard let fidelity = Fidelity(named: name) else { throw given.wrong(name, "fast, faithful or exact") }
      draft.order.fidelity = fidelity
    },
    ImgproxyOption(
      "resizing_algorithm", "ra", arguments: "name", help: "The filter: nearest, linear, cubic or lanczos3."
    ) { draft, given throws(ServiceError) in
      switch given[0] {
      case "nearest": draft.recipe.filter = .nearest
      case "linear": draft.recipe.filter = .bilinear
      case "cubic": draft.recipe.filter = .bicubic
      case "lanczos3", "lanczos2": draft.recipe.filter = .lanczos3
      default: throw given.wrong(given[0], "nearest, linear, cubic, lanczos2 or lanczos3")
      }
    },
    ImgproxyOption("width", "w", arguments: "pixels", help: "The width; 0 if it follows from the height.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.recipe.width = try given.integer(0) ?? 0
    },
    ImgproxyOption("height", "h", arguments: "pixels", help: "The height; 0 if it follows from the width.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.recipe.height = try given.integer(0) ?? 0
    },
    ImgproxyOption("min-width", "mw", arguments: "pixels", help: "The least width, to which a picture is enlarged.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.recipe.minimumWidth = try given.integer(0) ?? 0
    },
    ImgproxyOption("min-height", "mh", arguments: "pixels", help: "The least height, to which a picture is enlarged.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.recipe.minimumHeight = try given.integer(0) ?? 0
    },
    ImgproxyOption(
      "zoom", "z", arguments: "factor or x:y", help: "The factors by which the size is multiplied after fitting."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      draft.recipe.zoomX = try given.number(0, 0.0001...1000) ?? 1
      draft.recipe.zoomY = try given.number(1, 0.0001...1000) ?? draft.recipe.zoomX
    },
    ImgproxyOption("dpr", arguments: "ratio", help: "The pixels of the screen for each pixel of the sizes, up to 8.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.recipe.pixelRatio = try given.number(0, 0.1...8) ?? 1
      draft.order.statesPixelRatio = true
    },
    ImgproxyOption("enlarge", "el", arguments: "1", help: "Enlarges a picture that is smaller than the size.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.recipe.enlarges = try given.flag(0) ?? false
    },
    ImgproxyOption("extend", "ex", arguments: "1:gravity", help: "Adds bars up to the size.") {
      draft, given throws(ServiceError) in try setBars(\.sizeBars, of: &draft, given)
    },
    ImgproxyOption(
      "extend_aspect_ratio", "extend_ar", "exar", arguments: "1:gravity", help: "Adds bars up to the ratio of the size."
    ) { draft, given throws(ServiceError) in try setBars(\.ratioBars, of: &draft, given) },
  ]
}
