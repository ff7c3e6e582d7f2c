import EaselCore
import EaselTransformers

/// One option of imgproxy's URLs: the parser, the list of allowed options and the guide all follow from it.
struct ImgproxyOption: Sendable {
  /// The long name first.
  let names: [String]
  /// The arguments, as in `width:height`.
  let arguments: String
  /// One sentence for the guide.
  let help: String
  /// True if the option raises or lowers limits, which a server must allow.
  var isGuarded = false
  let apply: @Sendable (inout ImgproxyDraft, OptionArguments) throws(ServiceError) -> Void

  init(
    _ names: String..., arguments: String, help: String, isGuarded: Bool = false,
    apply: @escaping @Sendable (inout ImgproxyDraft, OptionArguments) throws(ServiceError) -> Void
  ) {
    self.names = names
    self.arguments = arguments
    self.help = help
    self.isGuarded = isGuarded
    self.apply = apply
  }

  static let all: [ImgproxyOption] = size + cutting + turning + look + file + delivery + limits

  /// The option of each name, long or short.
  static let byName: [String: ImgproxyOption] = Dictionary(
    all.flatMap { option in option.names.map { ($0, option) } }, uniquingKeysWith: { first, _ in first })

  /// Options of imgproxy that this server does not have, with the reason.
  static let refused: [String: String] = [
    "preserve_hdr": "pictures of high dynamic range are shown in the ordinary one", "ph": "see preserve_hdr",
    "hashsum": "originals are not compared with a sum", "hs": "see hashsum",
    "dpi": "files keep their density", "color_profile": "pictures are converted to sRGB", "cp": "see color_profile",
    "icc": "see color_profile", "unsharp_masking": "use sharpen", "ush": "use sharpen",
    "objects_position": "objects are not found; use gravity:sm", "op": "see objects_position",
    "watermark_text": "texts are not drawn", "wmt": "see watermark_text", "style": "drawings are shown as they are",
    "video_thumbnail_second": "videos are not read", "vts": "see video_thumbnail_second",
    "autoquality": "state a quality or max_bytes", "aq": "see autoquality",
  ]
}

extension ImgproxyOption {
  // MARK: Size

  fileprivate static let fittings: [String: PixelRecipe.Fitting] = [
    "fit": .inside, "fill": .aspectFill, "fill-down": .aspectFillDown, "force": .fill, "auto": .automatic,
  ]

  private static func setFitting(_ draft: inout ImgproxyDraft, _ given: OptionArguments, _ index: Int)
    throws(ServiceError)
  {
    guard let name = given[index] else { return }
    guard let fitting = fittings[String(name)] else { throw given.wrong(name, "fit, fill, fill-down, force or auto") }
    draft.recipe.fitting = fitting
  }

  /// Width, height, enlarging and bars, from this argument on.
  private static func setSize(_ draft: inout ImgproxyDraft, _ given: OptionArguments, _ index: Int) throws(ServiceError)
  {
    if let width = try given.integer(index) { draft.recipe.width = width }
    if let height = try given.integer(index + 1) { draft.recipe.height = height }
    if let enlarges = try given.flag(index + 2) { draft.recipe.enlarges = enlarges }
    if given[index + 3] != nil { try setBars(&draft, given.dropFirst(index + 3)) { .toSize($0) } }
  }

  private static func setBars(
    _ draft: inout ImgproxyDraft, _ given: OptionArguments,
    _ make: (TransformerPipeline.Gravity?) -> ImgproxyDraft.Bars
  ) throws(ServiceError) {
    guard let isOn = try given.flag(0) else { return }
    let place = try given.gravity(1, allowsSmart: false)
    draft.bars = isOn ? make(place) : nil
  }

  private static let size: [ImgproxyOption] = [
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
      help: "The fitting: fit inside, fill and cut, fill-down without enlarging, force, or auto by the shape."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      try setFitting(&draft, given, 0)
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
      draft, given throws(ServiceError) in try setBars(&draft, given) { .toSize($0) }
    },
    ImgproxyOption(
      "extend_aspect_ratio", "extend_ar", "exar", arguments: "1:gravity", help: "Adds bars up to the ratio of the size."
    ) { draft, given throws(ServiceError) in try setBars(&draft, given) { .toRatio($0) } },
  ]

  // MARK: Cutting

  private static let cutting: [ImgproxyOption] = [
    ImgproxyOption(
      "gravity", "g", arguments: "place:x:y",
      help:
        "The part that stays: no, so, ea, we, noea, nowe, soea, sowe, ce with offsets, sm for the part that attracts "
        + "the eye, or fp:x:y for a focal point. Offsets from 1 on are pixels, below they are shares."
    ) { draft, given throws(ServiceError) in draft.gravity = try given.gravity(0) ?? .center },
    ImgproxyOption(
      "crop", "c", arguments: "width:height:gravity",
      help:
        "Cuts a part out of the original; sides from 1 on are pixels, below they are shares, and 0 is the whole side."
    ) { draft, given throws(ServiceError) in
      draft.crop = (
        try given.length(0) ?? .pixels(0), try given.length(1) ?? .pixels(0), try given.gravity(2)
      )
    },
    ImgproxyOption(
      "crop_aspect_ratio", "crop_ar", "car", arguments: "ratio",
      help:
        "Cuts the largest part with this quotient of width and height out of the original or of its crop; 0 for none."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.cropRatio = try given.number(0, 0...10_000)
    },
    ImgproxyOption(
      "trim", "t", arguments: "threshold:color:equal_hor:equal_ver",
      help: "Cuts off borders of one colour, by default that of the top left pixel."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(4)
      guard let threshold = try given.number(0, 0...255) else { return draft.recipe.trim = .identity }
      draft.recipe.trim = .trim(
        color: try given.color(1), tolerance: threshold, equalsHorizontally: try given.flag(2) ?? false,
        equalsVertically: try given.flag(3) ?? false)
    },
    ImgproxyOption(
      "padding", "pd", arguments: "top:right:bottom:left", help: "Adds a border, with the sides in the order of CSS."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(4)
      let top = try given.integer(0) ?? 0
      let right = try given.integer(1) ?? top
      let bottom = try given.integer(2) ?? top
      draft.recipe.padding = TransformerPipeline.Insets(
        top: top, right: right, bottom: bottom, left: try given.integer(3) ?? right)
    },
  ]

  // MARK: Turning

  private static let turning: [ImgproxyOption] = [
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
      draft.flips = (try given.flag(0) ?? false, try given.flag(1) ?? false)
    },
  ]

  // MARK: Look

  private static let look: [ImgproxyOption] = [
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
    ImgproxyOption(
      "watermark", "wm", arguments: "opacity:position:x:y:scale",
      help: "Draws the server's watermark, or that of watermark_url, at a place, or repeated with re."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(5)
      draft.hasWatermark = true
      draft.watermark.opacity = try given.number(0, 0...1) ?? 1
      let x = try given.length(2, least: -1_000_000_000) ?? .pixels(0)
      let y = try given.length(3, least: -1_000_000_000) ?? .pixels(0)
      let scale = try given.number(4, 0...10) ?? 0
      draft.watermark.scale = scale == 0 ? nil : scale
      draft.watermark.gaps = given[1] == "re" ? WatermarkOrder.Gaps(x: x, y: y) : nil
      guard draft.watermark.gaps == nil else { return draft.watermark.gravity = .northWest }
      guard let place = OptionArguments.places[given[1].map(String.init) ?? "ce"] else {
        throw given.wrong(given[1], "a place such as soea, or re")
      }
      draft.watermark.gravity = place.inset(x: x, y: y)
    },
    ImgproxyOption(
      "watermark_url", "wmu", arguments: "base64", help: "The source of the watermark, in base64 for URLs."
    ) {
      draft, given throws(ServiceError) in draft.watermark.source = try given.encodedText(0)
    },
  ]

  // MARK: The file

  private static func format(
    _ given: OptionArguments, _ index: Int, _ draft: ImgproxyDraft
  ) throws(ServiceError) -> ImageFormat? {
    guard let name = given[index] else { return nil }
    guard let format = draft.format(named: name) else { throw given.wrong(name, "a format such as webp") }
    return format
  }

  private static let file: [ImgproxyOption] = [
    ImgproxyOption("format", "f", "ext", arguments: "name", help: "The format, as after @ at the end of the address.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.format = try format(given, 0, draft)
    },
    ImgproxyOption("quality", "q", arguments: "percent", help: "The quality from 1 to 100; 0 for the format's own.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      let percent = try given.integer(0, 0...100) ?? 0
      draft.order.quality = percent == 0 ? nil : Double(percent) / 100
    },
    ImgproxyOption(
      "format_quality", "fq", arguments: "format:percent:...",
      help: "Qualities for formats, used if no quality is given."
    ) {
      draft, given throws(ServiceError) in
      guard given.count.isMultiple(of: 2) else { throw given.wrong(given.values.last, "pairs of format and quality") }
      for index in stride(from: 0, to: min(given.count, 40), by: 2) {
        guard let format = try format(given, index, draft), let percent = try given.integer(index + 1, 0...100) else {
          continue
        }
        draft.order.formatQualities[format] = percent == 0 ? nil : Double(percent) / 100
      }
    },
    ImgproxyOption(
      "max_bytes", "mb", arguments: "bytes",
      help: "The most bytes; quality and then size are reduced to reach it, 0 for no limit."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      let most = try given.integer(0) ?? 0
      draft.order.maxBytes = most == 0 ? nil : most
    },
    ImgproxyOption("strip_metadata", "sm", arguments: "1", help: "Removes EXIF and XMP.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.keepsMetadata = try given.flag(0).map { !$0 }
    },
    ImgproxyOption("keep_copyright", "kcr", arguments: "1", help: "Keeps artist and copyright when other metadata go.")
    {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.keepsCopyright = try given.flag(0)
    },
    ImgproxyOption(
      "strip_color_profile", "scp", arguments: "1",
      help: "Has no effect, because pictures are converted to sRGB in any case."
    ) { _, given throws(ServiceError) in _ = try given.flag(0) },
    ImgproxyOption(
      "enforce_thumbnail", "eth", arguments: "1",
      help: "Has no effect, because thumbnails in files are used where they suffice."
    ) { _, given throws(ServiceError) in _ = try given.flag(0) },
    ImgproxyOption(
      "page", "pg", arguments: "number",
      help: "The page, or the frame of a moving picture, that is used as a still picture; the first is 0."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.frame = try given.integer(0) ?? 0
      guard (0...PictureOrder.lastFrame).contains(draft.order.frame) else {
        throw given.wrong(given[0], "a number from 0 to \(PictureOrder.lastFrame)")
      }
    },
    ImgproxyOption("pages", "pgs", arguments: "number", help: "The number of frames or pages; only 1 is known.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      guard try given.integer(0) ?? 1 == 1 else { throw given.wrong(given[0], "only 1") }
      draft.order.frameCount = 1
    },
    ImgproxyOption("disable_animation", "da", arguments: "1", help: "Uses only the first frame of a moving picture.") {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.frameCount = try given.flag(0) ?? false ? 1 : nil
    },
    ImgproxyOption(
      "skip_processing", "skp", arguments: "format:format:...", help: "Sends originals of these formats untouched."
    ) {
      draft, given throws(ServiceError) in
      for index in 0..<min(given.count, 40) {
        if let format = try format(given, index, draft) { draft.order.untouchedFormats.insert(format) }
      }
    },
    ImgproxyOption("raw", arguments: "1", help: "Sends the original untouched.") { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.answer = try given.flag(0) ?? false ? .original : .picture
    },
  ]

  // MARK: Delivery

  private static let delivery: [ImgproxyOption] = [
    ImgproxyOption("cachebuster", "cb", arguments: "text", help: "Keeps results apart that are otherwise the same.") {
      draft, given throws(ServiceError) in
      let text = given.values.joined(separator: ":")
      guard text.utf8.count <= 200 else { throw given.wrong(nil, "at most 200 characters") }
      draft.order.cacheBuster = text.isEmpty ? nil : text
    },
    ImgproxyOption(
      "expires", "exp", arguments: "seconds",
      help: "The time from which the address is not valid, in seconds since 1970."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      let time = try given.integer(0, 0...253_402_300_799) ?? 0
      draft.order.expires = time == 0 ? nil : time
    },
    ImgproxyOption(
      "filename", "fn", arguments: "name:is_base64", help: "The name under which browsers store the picture."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      draft.order.fileName =
        try given.flag(1) ?? false ? given.encodedText(0) : given[0].flatMap { PercentText.decoded($0) }
    },
    ImgproxyOption("return_attachment", "att", arguments: "1", help: "Lets browsers store the picture and not show it.")
    {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.isAttachment = try given.flag(0) ?? false
    },
    ImgproxyOption(
      "fallback_image_url", "fiu", arguments: "base64",
      help: "The source of the picture to send if this one cannot be had."
    ) {
      draft, given throws(ServiceError) in draft.order.fallbackSource = try given.encodedText(0)
    },
  ]

  // MARK: Limits

  private static let limits: [ImgproxyOption] = [
    ImgproxyOption(
      "max_src_resolution", "msr", arguments: "megapixels", help: "The most megapixels of the original.",
      isGuarded: true
    ) { draft, given throws(ServiceError) in
      draft.order.limits.sourcePixels = try given.number(0, 0...10_000).map { Int($0 * 1_000_000) }
    },
    ImgproxyOption(
      "max_src_file_size", "msfs", arguments: "bytes", help: "The most bytes of the original.", isGuarded: true
    ) {
      draft, given throws(ServiceError) in draft.order.limits.sourceBytes = try given.integer(0)
    },
    ImgproxyOption(
      "max_animation_frames", "maf", arguments: "number", help: "The most frames of the original.", isGuarded: true
    ) { draft, given throws(ServiceError) in draft.order.limits.frameCount = try given.integer(0) },
    ImgproxyOption(
      "max_animation_frame_resolution", "mafr", arguments: "megapixels", help: "The most megapixels of a frame.",
      isGuarded: true
    ) { draft, given throws(ServiceError) in
      draft.order.limits.framePixels = try given.number(0, 0...10_000).map { Int($0 * 1_000_000) }
    },
    ImgproxyOption(
      "max_result_dimension", "mrd", arguments: "pixels", help: "The longest side of the result.", isGuarded: true
    ) { draft, given throws(ServiceError) in draft.order.limits.resultSide = try given.integer(0) },
  ]
}
