import EaselCore
import EaselTransformers

/// URLs of the IIIF Image API 3.0, at level 2: `/ID/REGION/SIZE/ROTATION/QUALITY.FORMAT` and `/ID/info.json`.
///
/// An identifier is the path of a file in the folder of the server, or an address of http or https; either is one part of
/// the path, with its slashes written as `%2F`. There are no signatures, so the sources must be limited.
///
/// ```swift
/// var settings = ImageService.Configuration(.standard(), grammars: [GrammarMount(IIIFGrammar(), at: "/iiif")])
/// settings.sources = try SourceRules(allowing: ["https://example.com/scans"], folder: true)
/// settings.folder = try FolderLoader(folder: "/srv/scans")
/// ```
public struct IIIFGrammar: URLGrammar {
  /// The name is `iiif`.
  public var name: String { "iiif" }

  /// Viewers on any page read the answers.
  public var traits: URLGrammarTraits { .servesEveryOrigin }

  private let tileSide: Int
  private let limits: IIIFLimits
  /// The formats that URLs may have, by their names.
  private let formats: [String: ImageFormat]

  private static let formats: [String: ImageFormat] = [
    "jpg": .jpeg, "png": .png, "webp": .webp, "gif": .gif, "tif": ImageFormat(mimeType: "image/tiff"),
    "jp2": ImageFormat(mimeType: "image/jp2"),
  ]

  /// Creates a grammar whose descriptions of pictures name square tiles of this side.
  ///
  /// They also name the largest results, and the formats besides JPEG and PNG, which are those that the server writes. The
  /// defaults are those of a server; `limits` must not be larger than what its manager allows.
  public init(
    tileSide: Int = 512, limits: Limits = Limits(), formats: [ImageFormat] = [.jpeg, .png, .webp, .gif]
  ) {
    self.tileSide = max(1, tileSide)
    self.limits = IIIFLimits(side: limits.resultSide, pixels: limits.resultPixels)
    self.formats = Self.formats.filter { $0.value == .jpeg || $0.value == .png || formats.contains($0.value) }
  }

  /// Reads the region, the size, the rotation, the quality and the format.
  public func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
    let parts = address.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    let identifier = parts[0]
    guard !identifier.isEmpty else { throw ServiceError(404, "There is nothing at this address.") }
    guard identifier.utf8.allSatisfy({ !"[]\\^`{|}\"<>".utf8.contains($0) }) else {
      throw ServiceError(400, "The identifier has characters that must be written with a percent sign and two digits.")
    }
    var order = ImageOrder(source: GrammarSource.source(try GrammarAddress.decoded(identifier)))
    if parts.count == 1 || parts.count == 2 && parts[1].isEmpty {
      order.answer = .redirect("/\(identifier)/info.json")
      return order
    }
    if parts.count == 2, parts[1] == "info.json" {
      order.answer = .document
      order.profile = IIIFDescription.profile
      order.document =
        IIIFDescription(
          identifier: String(identifier), tileSide: tileSide, limits: limits, formats: Array(formats.keys)
        ).document
      return order
    }
    guard parts.count == 5 else {
      throw ServiceError(
        404, "There is nothing at this address: an identifier with slashes must have them written as %2F.")
    }
    return try picture(order, identifier, Array(parts.dropFirst()))
  }

  private func picture(
    _ order: ImageOrder, _ identifier: Substring, _ parts: [Substring]
  ) throws(ServiceError) -> ImageOrder {
    let texts = try decoded(parts)
    let region = try IIIFRegion(texts[0])
    let size = try IIIFSize(texts[1])
    let rotation = try IIIFRotation(texts[2])
    let names = texts[3].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let quality = IIIFQuality(rawValue: String(names[0])) else {
      throw ServiceError(
        400, "The quality must be default, color, gray or bitonal, not '\(GrammarAddress.shown(names[0]))'.")
    }
    guard names.count == 2, let format = formats[String(names[1])] else {
      let shown = GrammarAddress.shown(names.count == 2 ? names[1] : "")
      throw ServiceError(
        400, "The format must be one of \(formats.keys.sorted().joined(separator: ", ")), not '\(shown)'.")
    }
    let ending = "\(rotation.canonicalText)/\(quality.rawValue).\(names[1])"
    var order = order
    order.format = format
    order.profile = IIIFDescription.profile
    let (whole, limits) = (order, limits)
    order.completion = { full throws(ServiceError) in
      var order = whole
      let part = try region.rect(in: full)
      let target = try size.target(of: part.size, within: limits)
      order.region = part
      order.partSize = target
      // A recipe has the sides that the picture has after quarter turns.
      order.recipe.width = rotation.swapsSides ? target.height : target.width
      order.recipe.height = rotation.swapsSides ? target.width : target.height
      order.recipe.fitting = .force
      order.recipe.enlarges = true
      order.recipe.turn = rotation.turn
      order.recipe.effects = quality.effects
      order.statesPixelRatio = true
      let regionText = IIIFRegion.canonicalText(part, of: full)
      let sizeText = IIIFSize.canonicalText(target, of: part.size, within: limits)
      order.canonicalPath = "/\(identifier)/\(regionText)/\(sizeText)/\(ending)"
      return order
    }
    return order
  }

  private func decoded(_ parts: [Substring]) throws(ServiceError) -> [String] {
    var texts: [String] = []
    for part in parts { texts.append(try GrammarAddress.decoded(part)) }
    return texts
  }
}
