import EaselCore

/// URLs of Deep Zoom: `/ID.dzi` describes a picture, and `/ID_files/LEVEL/COLUMN_ROW.jpg` is one of its tiles.
///
/// Level 0 is one pixel; each level has twice the sides of the one before, up to the whole picture. Identifiers are those
/// of ``IIIFGrammar``. There are no signatures, so the sources must be limited.
///
/// ```swift
/// var settings = ImageService.Configuration(.standard(), grammars: [GrammarMount(DeepZoomGrammar(), at: "/deepzoom")])
/// settings.sources = try SourceRules(allowing: ["https://example.com/scans"])
/// ```
public struct DeepZoomGrammar: URLGrammar {
  /// The name is `deepzoom`.
  public var name: String { "deepzoom" }

  /// Viewers on any page read the answers.
  public var traits: URLGrammarTraits { .servesEveryOrigin }

  private let tileSide: Int
  private static let files = "_files"
  private static let formats: [String: ImageFormat] = ["jpg": .jpeg, "jpeg": .jpeg, "png": .png, "webp": .webp]

  /// Creates a grammar with square tiles of this side, which do not overlap.
  public init(tileSide: Int = 256) { self.tileSide = max(1, tileSide) }

  /// Reads a description or a tile.
  public func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
    let parts = address.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 1, parts[0].hasSuffix(".dzi"), parts[0].utf8.count > 4 {
      var order = ImageOrder(source: try Self.source(parts[0].dropLast(4)))
      order.answer = .document
      order.document = description
      return order
    }
    guard parts.count == 3, parts[0].hasSuffix(Self.files), parts[0].utf8.count > Self.files.utf8.count else {
      throw ServiceError(
        404, "There is nothing at this address; it must be /ID.dzi or /ID_files/LEVEL/COLUMN_ROW.jpg.")
    }
    return try tile(ImageOrder(source: try Self.source(parts[0].dropLast(Self.files.count))), parts[1], parts[2])
  }

  private static func source(_ identifier: Substring) throws(ServiceError) -> String {
    GrammarSource.source(try GrammarAddress.decoded(identifier))
  }

  private var description: PictureDocument {
    let side = tileSide
    return PictureDocument { facts in
      PictureDocument.Text(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Image xmlns="http://schemas.microsoft.com/deepzoom/2008" Format="jpg" Overlap="0" TileSize="\(side)">
        <Size Width="\(facts.size.width)" Height="\(facts.size.height)"/>
        </Image>

        """, mediaType: "application/xml")
    }
  }

  private func tile(_ order: ImageOrder, _ level: Substring, _ name: Substring) throws(ServiceError) -> ImageOrder {
    let names = name.split(separator: ".", omittingEmptySubsequences: false)
    let places = names[0].split(separator: "_", omittingEmptySubsequences: false)
    guard let level = GrammarNumber.whole(level, 0...40), names.count == 2, places.count == 2,
      let column = GrammarNumber.whole(places[0], 0...1_000_000),
      let row = GrammarNumber.whole(places[1], 0...1_000_000)
    else {
      throw ServiceError(
        400, "A tile must be written as LEVEL/COLUMN_ROW.jpg, not '\(GrammarAddress.shown("\(level)/\(name)"))'.")
    }
    guard let format = Self.formats[String(names[1])] else {
      throw ServiceError(400, "The format must be jpg, png or webp, not '\(GrammarAddress.shown(names[1]))'.")
    }
    var order = order
    order.format = format
    let (whole, side) = (order, tileSide)
    order.completion = { size throws(ServiceError) in
      let top = Self.topLevel(of: size)
      guard level <= top else { throw ServiceError(404, "The picture has the levels 0 to \(top).") }
      let scale = 1 << (top - level)
      let levelSize = size.divided(by: scale)
      let (left, up) = (column * side, row * side)
      guard left < levelSize.width, up < levelSize.height else {
        throw ServiceError(404, "The level \(level) is \(levelSize), and has no tile there.")
      }
      let target = PixelSize(width: min(side, levelSize.width - left), height: min(side, levelSize.height - up))
      var order = whole
      order.region = PixelRect(
        x: left * scale, y: up * scale, width: min(target.width * scale, size.width - left * scale),
        height: min(target.height * scale, size.height - up * scale))
      order.recipe.width = target.width
      order.recipe.height = target.height
      order.recipe.fitting = .force
      order.recipe.enlarges = true
      order.statesPixelRatio = true
      return order
    }
    return order
  }

  /// The level of the whole picture.
  static func topLevel(of size: PixelSize) -> Int {
    let side = max(size.width, size.height)
    return side <= 1 ? 0 : Int.bitWidth - (side - 1).leadingZeroBitCount
  }
}
