import EaselCore
import EaselTransformers

/// One option of Cloudflare's URLs: what it is called, what it takes, and what it does.
struct CloudflareOption: Sendable {
  /// The long name first.
  let names: [String]
  /// The values that it takes, for errors and tables.
  let values: String
  /// True for a side of the result, which a list of widths may bind.
  let isSide: Bool
  /// Sets a value; returns false if it makes no sense.
  let apply: @Sendable (inout CloudflareDraft, String) -> Bool

  private init(
    _ names: String..., values: String, isSide: Bool = false,
    _ apply: @escaping @Sendable (inout CloudflareDraft, String) -> Bool
  ) {
    self.init(names, values, isSide, apply)
  }

  private init(
    _ names: [String], _ values: String, _ isSide: Bool,
    _ apply: @escaping @Sendable (inout CloudflareDraft, String) -> Bool
  ) {
    (self.names, self.values, self.isSide, self.apply) = (names, values, isSide, apply)
  }

  static let byName = Dictionary(uniqueKeysWithValues: all.flatMap { option in option.names.map { ($0, option) } })

  /// Options that Cloudflare knows and this server does not.
  static let refused = [
    "border": "borders are options of its workers alone", "draw": "overlays are options of its workers alone",
    "gamma": "there is no such change", "segment": "backgrounds are not found", "zoom": "faces are not found",
    "origin-auth": "requests to sources carry no credentials of clients",
  ]

  static let all: [CloudflareOption] = sizes + looks + files

  /// A number that is kept at a place of the draft.
  private static func number(
    _ name: String, in range: ClosedRange<Int>, _ path: WritableKeyPath<CloudflareDraft, Double> & Sendable
  ) -> CloudflareOption {
    CloudflareOption(name, values: "a number from \(range.lowerBound) to \(range.upperBound)") { draft, text in
      let (least, most) = (Double(range.lowerBound), Double(range.upperBound))
      guard let number = GrammarNumber.decimal(text, least...most) else { return false }
      draft[keyPath: path] = number
      return true
    }
  }

  /// A word that is kept at a place of the draft.
  private static func word<Value: Sendable>(
    _ names: String..., of words: [String: Value], _ path: WritableKeyPath<CloudflareDraft, Value> & Sendable
  ) -> CloudflareOption {
    CloudflareOption(names, words.keys.sorted().joined(separator: ", "), false) { draft, text in
      guard let value = words[text] else { return false }
      draft[keyPath: path] = value
      return true
    }
  }

  private static let sides = 1...100_000

  private static let sizes: [CloudflareOption] = [
    CloudflareOption("width", "w", values: "a whole number, or auto", isSide: true) { draft, text in
      // The width that a browser tells counts where none is given.
      if text == "auto" { return true }
      guard let side = GrammarNumber.whole(text, sides) else { return false }
      draft.order.recipe.width = side
      return true
    },
    CloudflareOption("height", "h", values: "a whole number", isSide: true) { draft, text in
      guard let side = GrammarNumber.whole(text, sides) else { return false }
      draft.order.recipe.height = side
      return true
    },
    CloudflareOption("dpr", values: "a number from 0.1 to 3") { draft, text in
      guard let ratio = GrammarNumber.decimal(text, 0.1...3) else { return false }
      draft.order.recipe.pixelRatio = ratio
      draft.order.statesPixelRatio = true
      return true
    },
    word(
      "fit",
      of: [
        "scale-down": .scaleDown, "contain": .contain, "cover": .cover, "crop": .crop, "aspect-crop": .aspectCrop,
        "pad": .pad, "squeeze": .squeeze,
      ], \.fit),
    CloudflareOption(
      "gravity", "g", values: "auto, center, left, right, top, bottom, or two shares such as 0.5x0.25"
    ) { draft, text in
      guard let gravity = gravity(text) else { return false }
      draft.order.recipe.gravity = gravity
      return true
    },
    CloudflareOption("trim", values: "border, or four numbers such as 20;30;20;0") { draft, text in
      if text == "border" {
        draft.order.recipe.trim = .trim()
        return true
      }
      let parts = text.split(separator: ";", omittingEmptySubsequences: false)
      let numbers = parts.map { GrammarNumber.whole($0, 0...sides.upperBound) }
      guard numbers.count == 4, let top = numbers[0], let right = numbers[1], let bottom = numbers[2],
        let left = numbers[3]
      else { return false }
      (draft.trim.top, draft.trim.right, draft.trim.bottom, draft.trim.left) = (top, right, bottom, left)
      return true
    },
    trimmed("trim.top", \.trim.top), trimmed("trim.left", \.trim.left),
    trimmed("trim.width", \.trim.width), trimmed("trim.height", \.trim.height),
    word("rotate", of: ["90": 90, "180": 180, "270": 270], \.rotation),
    word("flip", of: ["h": "h", "v": "v", "hv": "hv"], \.flip),
  ]

  private static func trimmed(
    _ name: String, _ path: WritableKeyPath<CloudflareDraft, Int> & Sendable
  ) -> CloudflareOption {
    CloudflareOption(name, values: "a whole number") { draft, text in
      guard let number = GrammarNumber.whole(text, 0...sides.upperBound) else { return false }
      draft[keyPath: path] = number
      return true
    }
  }

  private static func gravity(_ text: String) -> TransformerPipeline.Gravity? {
    switch text {
    case "auto": return .smart
    case "center": return .center
    case "left": return .west
    case "right": return .east
    case "top": return .north
    case "bottom": return .south
    default:
      let shares = text.split(separator: "x", omittingEmptySubsequences: false).map { GrammarNumber.decimal($0, 0...1) }
      guard shares.count == 2, let x = shares[0], let y = shares[1] else { return nil }
      return .focalPoint(x: x, y: y)
    }
  }

  private static let looks: [CloudflareOption] = [
    CloudflareOption("background", values: "a colour of CSS such as %23ff8800, red or rgb(240,40,145)") { draft, text in
      guard let color = CloudflareColor.color(text) else { return false }
      draft.background = color
      return true
    },
    number("blur", in: 1...250, \.blur), number("brightness", in: 0...100, \.brightness),
    number("contrast", in: 0...100, \.contrast), number("saturation", in: 0...100, \.saturation),
    number("sharpen", in: 0...10, \.sharpen),
  ]

  /// The qualities of words, which go by the eye.
  private static let qualities = ["high": 0.9, "medium-high": 0.8, "medium-low": 0.65, "low": 0.5]

  private static func quality(_ text: String) -> Double? {
    qualities[text] ?? GrammarNumber.whole(text, 1...100).map { Double($0) / 100 }
  }

  private static let files: [CloudflareOption] = [
    CloudflareOption("quality", "q", values: "a whole number from 1 to 100, high, medium-high, medium-low or low") {
      draft, text in
      guard let quality = quality(text) else { return false }
      draft.order.quality = quality
      return true
    },
    // Nobody tells the server of slow connections.
    CloudflareOption("slow-connection-quality", "scq", values: "what quality takes") { _, text in quality(text) != nil
    },
    word(
      "format", "f",
      of: ["auto": .auto, "avif": .avif, "webp": .webp, "jpeg": .jpeg, "baseline-jpeg": .baselineJPEG, "png": .png],
      \.format),
    word("metadata", of: ["keep": .keep, "copyright": .copyright, "none": .none], \.metadata),
    CloudflareOption("anim", values: "true or false") { draft, text in
      guard text == "true" || text == "false" else { return false }
      draft.order.frameCount = text == "false" ? 1 : nil
      return true
    },
    // Only the time that encoding takes follows from it.
    CloudflareOption("compression", values: "fast") { _, text in text == "fast" },
    CloudflareOption("onerror", values: "redirect") { draft, text in
      draft.order.redirectsOnFailure = true
      return text == "redirect"
    },
  ]
}
