import EaselCore

/// The description of a picture in a form that viewers of the IIIF Image API read.
struct IIIFDescription: Sendable {
  let identifier: String
  let tileSide: Int
  let limits: IIIFLimits
  /// The names of formats that URLs may have.
  let formats: [String]

  private static let context = "http://iiif.io/api/image/3/context.json"
  /// The address of what level 2 demands.
  static let profile = "http://iiif.io/api/image/3/level2.json"
  /// The formats that every server of level 2 has.
  private static let ownFormats = ["jpg", "png"]
  private static let qualities = ["color", "gray", "bitonal"]
  private static let features = [
    "canonicalLinkHeader", "mirroring", "profileLinkHeader", "rotationArbitrary", "sizeUpscaling",
  ]
  private static let leastSide = 64

  var document: PictureDocument { PictureDocument { text($0) } }

  private func text(_ facts: PictureDocument.Facts) -> PictureDocument.Text {
    let factors = Self.factors(of: facts.size, tileSide: tileSide)
    let sizes = Self.sizes(of: facts.size, limits: limits)
    let extra = formats.sorted().filter { !Self.ownFormats.contains($0) }
    let json = JSONText.object([
      ("@context", .text(Self.context)), ("id", .text("\(facts.base)/\(identifier)")),
      ("type", .text("ImageService3")), ("protocol", .text("http://iiif.io/api/image")), ("profile", .text("level2")),
      ("width", .number(facts.size.width)), ("height", .number(facts.size.height)),
      ("maxWidth", .number(limits.side)), ("maxHeight", .number(limits.side)), ("maxArea", .number(limits.pixels)),
      ("sizes", .list(sizes.map { .object([("width", .number($0.width)), ("height", .number($0.height))]) })),
      (
        "tiles",
        .list([
          .object([("width", .number(tileSide)), ("scaleFactors", .list(factors.map(JSONText.Value.number)))])
        ])
      ),
      ("extraQualities", .list(Self.qualities.map(JSONText.Value.text))),
      ("extraFormats", .list(extra.map(JSONText.Value.text))),
      ("extraFeatures", .list(Self.features.map(JSONText.Value.text))),
    ])
    let prefersPlain = AcceptedTypes(facts.accept).prefers("application/json", to: "application/ld+json")
    return PictureDocument.Text(
      json, mediaType: prefersPlain ? "application/json" : "application/ld+json;profile=\"\(Self.context)\"")
  }

  /// The powers of two by which a picture is made smaller until it is one tile.
  static func factors(of size: PixelSize, tileSide: Int) -> [Int] {
    var factors = [1]
    while size.divided(by: factors[factors.count - 1]).longestSide > tileSide {
      factors.append(2 * factors[factors.count - 1])
    }
    return factors
  }

  /// The sizes of the whole picture that come about by halving, the smallest first, as far as the limits allow them.
  static func sizes(of size: PixelSize, limits: IIIFLimits) -> [PixelSize] {
    var sizes: [PixelSize] = []
    var divisor = 1
    while true {
      let smaller = size.divided(by: divisor)
      if limits.allow(smaller) { sizes.append(smaller) }
      guard smaller.longestSide > Self.leastSide else { return sizes.reversed() }
      divisor *= 2
    }
  }
}

extension PixelSize {
  /// The width or the height.
  fileprivate var longestSide: Int { max(width, height) }
}
