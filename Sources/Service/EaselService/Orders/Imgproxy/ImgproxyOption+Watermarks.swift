import EaselCore
import EaselFormats

/// Options that draw other pictures over the picture.
extension ImgproxyOption {
  static let watermarks: [ImgproxyOption] = [
    ImgproxyOption(
      "watermark", "wm", arguments: "opacity:position:x:y:scale",
      help: "Draws the server's watermark, or that of watermark_url, at a place, or repeated with re."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(5)
      draft.hasWatermark = true
      draft.watermark.opacity = try given.number(0, 0...1) ?? 1
      // The words of a preset stay, as far as the URL says nothing else.
      let name = given[1].map(String.init) ?? draft.watermarkPlace.name
      let x = try given.length(2, least: -1_000_000_000) ?? draft.watermarkPlace.x
      let y = try given.length(3, least: -1_000_000_000) ?? draft.watermarkPlace.y
      draft.watermarkPlace = (name, x, y)
      if let scale = try given.number(4, 0...10) {
        draft.watermark.scale = scale == 0 ? nil : WatermarkOrder.Scale(scale)
      }
      draft.watermark.gaps = name == "re" ? WatermarkOrder.Gaps(x: x, y: y) : nil
      guard draft.watermark.gaps == nil else { return draft.watermark.gravity = .northWest }
      guard let place = OptionArguments.places[name] else {
        throw given.wrong(given[1], "a place such as soea, or re")
      }
      draft.watermark.gravity = place.inset(x: x, y: y)
    },
    ImgproxyOption(
      "watermark_url", "wmu", arguments: "base64", help: "The source of the watermark, in base64 for URLs."
    ) {
      draft, given throws(ServiceError) in draft.watermark.source = try given.encodedText(0)
    },
    ImgproxyOption(
      "watermark_text", "wmt", arguments: "base64",
      help:
        "Draws a text in place of the watermark's picture, in black letters of 16 points; its markup may say something "
        + "else. It is in base64 for URLs."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      let text = try given.encodedText(0)
      guard text.map({ $0.utf8.count <= TextDocument.mostBytes }) ?? true else {
        throw given.wrong(nil, "at most \(TextDocument.mostBytes) bytes of text")
      }
      draft.watermark.text = text
    },
    ImgproxyOption(
      "watermark_size", "wms", arguments: "width:height",
      help:
        "The box into which the watermark is fitted; 0 for a side that follows from the other. A scale wins over it."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(2)
      let size = PixelSize(width: try given.integer(0, 0...16_384) ?? 0, height: try given.integer(1, 0...16_384) ?? 0)
      draft.watermark.box = size == PixelSize(width: 0, height: 0) ? nil : size
    },
    ImgproxyOption(
      "watermark_rotate", "wm_rot", "wmr", arguments: "degrees", help: "Turns the watermark clockwise."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.watermark.angle = try given.number(0, -3600...3600) ?? 0
    },
    ImgproxyOption(
      "watermark_shadow", "wmsh", arguments: "sigma",
      help: "Puts a shadow with this blur under the watermark; 0 for none."
    ) { draft, given throws(ServiceError) in
      try given.requireAtMost(1)
      draft.watermark.shadow = try given.number(0, 0...100) ?? 0
    },
  ]
}
