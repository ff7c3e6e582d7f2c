import EaselCore
import EaselPixels

/// Options of the file that is made.
extension ImgproxyOption {
  private static func format(
    _ given: OptionArguments, _ index: Int, _ draft: ImgproxyDraft
  ) throws(ServiceError) -> ImageFormat? {
    guard let name = given[index] else { return nil }
    guard let format = draft.format(named: name) else { throw given.wrong(name, "a format such as webp") }
    return format
  }

  static let file: [ImgproxyOption] = [
    ImgproxyOption(
      "format", "f", "ext", arguments: "name",
      help:
        "The format, as after @ at the end of the address; best for the smallest file among those of the formats that the "
        + "client accepts, and of JPEG and PNG."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      guard draft.takeFormat(named: given[0]) else { throw given.wrong(given[0], "a format such as webp, or best") }
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
      "autoquality", "aq", arguments: "method:target:min:max:error",
      help:
        "ssimulacra2 for the quality at which the picture has this score, \(Int(ScoreTarget.usualScore)) by default, among "
        + "the qualities from min to max, to within the error, 1 by default; size for the quality at which it has at most so "
        + "many bytes; none for the quality as it is stated."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(5)
      switch given[0] {
      case nil, "none": draft.order.scoreTarget = nil
      case "size": draft.order.maxBytes = try given.integer(1, 1...1_000_000_000)
      case "ssimulacra2":
        let least = try given.integer(2, 1...100)
        let most = try given.integer(3, (least ?? 1)...100)
        let usual = ScoreTarget.usualQualities
        draft.order.scoreTarget = ScoreTarget(
          try given.number(1, 0...100) ?? ScoreTarget.usualScore,
          tolerance: try given.number(4, 0.1...50) ?? ScoreTarget.usualTolerance,
          qualities: (least.map { Double($0) / 100 } ?? usual.lowerBound)...(most.map { Double($0) / 100 } ?? 1))
      default: throw given.wrong(given[0], "ssimulacra2, size or none")
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
      help:
        "The page, or the frame of a moving picture, that is used as a still picture, counted from 0. With 0, a moving "
        + "picture moves."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.frame = try given.integer(0) ?? 0
      guard (0...ImageOrder.lastFrame).contains(draft.order.frame) else {
        throw given.wrong(given[0], "a number from 0 to \(ImageOrder.lastFrame)")
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
      "damaged", "dmg", arguments: "policy",
      help: "What becomes of damaged pictures: refuse, whole (show those with all pixels), or show (also parts)."
    ) {
      draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      guard let name = given[0] else { return draft.order.damaged = nil }
      guard let damaged = DamagePolicy(rawValue: String(name)) else {
        throw given.wrong(name, "refuse, whole or show")
      }
      draft.order.damaged = damaged
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
}
