import EaselCore

/// Options of encoders, of which those without effect here only save some bytes there.
extension ImgproxyOption {
  private static func choose(
    _ given: OptionArguments, _ index: Int, among names: [String]
  ) throws(ServiceError) -> String? {
    guard let name = given[index] else { return nil }
    guard names.contains(String(name)) else { throw given.wrong(name, names.joined(separator: ", ")) }
    return String(name)
  }

  static let tuning: [ImgproxyOption] = [
    ImgproxyOption(
      "jpeg_options", "jpgo", arguments: "progressive:no_subsample:trellis_quant:overshoot:optimize_scans:quant_table",
      help:
        "1 for a JPEG that appears from coarse to fine, 1 for full resolution of colour, 0 for the fastest file in place of "
        + "a smaller one, and 1 as the fifth for the smallest; the others have no effect."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(6)
      if let isProgressive = try given.flag(0) {
        draft.order.tunings[.jpeg, default: .init()].isProgressive = isProgressive
      }
      if let isFull = try given.flag(1) {
        draft.order.tunings[.jpeg, default: .init()].chromaSubsampling = isFull ? .full : .quarter
      }
      if let quantizesByTrellis = try given.flag(2) {
        draft.order.tunings[.jpeg, default: .init()].effort = quantizesByTrellis ? 2 : 1
      }
      _ = try given.flag(3)
      if try given.flag(4) == true { draft.order.tunings[.jpeg, default: .init()].effort = 3 }
      _ = try given.integer(5, 0...8)
    },
    ImgproxyOption(
      "png_options", "pngo", arguments: "interlaced:quantize:colors",
      help: "1 at the second place for a PNG of few colours, and how many, 256 by default; the first has no effect."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(3)
      _ = try given.flag(0)
      let (wantsPalette, colors) = (try given.flag(1), try given.integer(2, 2...256))
      var palette = draft.order.tunings[.png]?.palette
      if let wantsPalette { palette = wantsPalette ? palette ?? ImageOrder.Palette() : nil }
      if let colors { palette?.colors = colors }
      draft.order.tunings[.png, default: .init()].palette = palette
    },
    ImgproxyOption(
      "png_quality", "pngq", arguments: "enough:least",
      help: "A PNG with only the colours that this quality needs, or with all if they cannot reach the least quality."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      let enough = try given.integer(0, 0...100) ?? 100
      let least = try given.integer(1, 0...enough) ?? 0
      draft.order.tunings[.png, default: .init()].palette = ImageOrder.Palette(
        colors: draft.order.tunings[.png]?.palette?.colors ?? 256, quality: least...enough)
    },
    ImgproxyOption(
      "webp_options", "webpo", arguments: "compression:smart_subsample:preset:effort",
      help:
        "lossy, lossless, or near_lossless, which is lossless here, and an effort from 0 to 6; the others have no effect."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(4)
      if let way = try choose(given, 0, among: ["lossy", "near_lossless", "lossless"]) {
        draft.order.tunings[.webp, default: .init()].isLossless = way != "lossy"
      }
      _ = try given.flag(1)
      _ = try choose(given, 2, among: ["default", "photo", "picture", "drawing", "icon", "text"])
      if let effort = try given.integer(3, 0...6) { draft.order.tunings[.webp, default: .init()].effort = effort }
    },
    ImgproxyOption(
      "avif_options", "avifo", arguments: "subsample:speed",
      help:
        "off for full resolution of colour, on for a quarter of it, or auto for the default, and a speed from 0, for the "
        + "smallest file, to 10."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      let way = try choose(given, 0, among: ["auto", "on", "off"])
      draft.order.tunings[.avif, default: .init()].chromaSubsampling =
        way == "off" ? .full : way == "on" ? .quarter : nil
      if let speed = try given.integer(1, 0...10) { draft.order.tunings[.avif, default: .init()].effort = speed }
    },
    ImgproxyOption(
      "jxl_options", "jxlo", arguments: "effort",
      help: "The effort with which a JPEG XL is written, from 1 to 9: the more, the smaller."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      if let effort = try given.integer(0, 1...9) { draft.order.tunings[.jxl, default: .init()].effort = effort }
    },
    ImgproxyOption(
      "preserve_hdr", "ph", arguments: "1",
      help:
        "Keeps 16 bits of each component in formats that can hold them; a high range still becomes the ordinary one."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.order.keeps16Bits = try given.flag(0) ?? false
    },
    ImgproxyOption(
      "hashsum", "hs", arguments: "type:digits",
      help:
        "The hash that the original must have, in hexadecimal digits; the type is `md5`, `sha1`, `sha256` or `sha512`."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      guard given[0] != "none" else { return draft.order.hashsum = nil }
      guard let kind = given[0].flatMap({ Hashsum.Kind(rawValue: String($0)) }) else {
        throw given.wrong(given[0], "none, md5, sha1, sha256 or sha512")
      }
      let digits = Array((given[1] ?? "").utf8)
      guard digits.count == 2 * kind.byteCount, let bytes = PercentText.bytes(ofHexadecimal: digits) else {
        throw given.wrong(given[1], "\(2 * kind.byteCount) hexadecimal digits for \(kind.rawValue)")
      }
      draft.order.hashsum = Hashsum(kind: kind, bytes: bytes)
    },
  ]
}
