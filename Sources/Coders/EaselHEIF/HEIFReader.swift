import EaselCoding
import EaselCore
import FoundationEssentials

/// Reads everything in a file except its pixels.
final class HEIFReader {
  let file: MediaFile
  let items: HEIFItems
  let header: HEIFHeader
  let layout: HEIFLayout
  let alpha: (layout: HEIFLayout, isPremultiplied: Bool, isFullRange: Bool)?

  private let primary: Int
  private let view: MediaBytes
  // The reader and what it makes point into these bytes, which are immutable and stay at their place as long as they
  // are held, and into the blocks.
  private let bytes: ImageBytes
  private let blocks = HEIFBlocks()

  init(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    let bytes = try bytes.loaded()
    self.bytes = bytes
    guard let view = bytes.withBytesInMemory({ MediaBytes($0) }) else {
      preconditionFailure("The bytes are not in memory.")
    }
    self.view = view
    file = try MediaFile(view, named: "HEIF", limits: work.limits)
    guard file.boxes.first(where: { $0.kind == "meta" }) != nil, let table = file.items.first,
      let primary = table.primary
    else {
      if let damage = file.damage { throw .badHEIF(damage) }
      throw .badHEIF(
        file.sequence == nil ? "the file has no picture" : "the file has a sequence, but no picture of its own")
    }
    self.primary = primary
    items = HEIFItems(table, of: view, limits: work.limits, blocks: blocks)
    let geometry: HEIFGeometry
    do throws(ImageError) {
      (layout, geometry) = try items.picture(primary)
      alpha = try Self.alpha(of: primary, items, view)
    } catch {
      // What makes no sense in a file that is cut off may have been lost.
      guard let damage = file.damage, error.code == .unsupportedFormat else { throw error }
      throw .badHEIF(damage)
    }
    let colors = Self.colors(of: primary, layout, items, view)
    let metadata = items.metadata(of: primary)
    let color = colors.description(file)
    header = HEIFHeader(
      geometry: geometry, bitDepth: layout.sequence.bitDepth, hasAlpha: alpha != nil, colors: colors, color: color,
      exif: metadata.exif.map { Data($0) }.flatMap(EXIF.init), xmp: metadata.xmp.map { XMP(Data($0)) })
    try header.check(work.limits)
  }

  /// A smaller copy in the file that is large enough for a target and shows the same as the picture.
  ///
  /// The target is the size before the picture is turned upright.
  func thumbnail(for target: PixelSize) -> (layout: HEIFLayout, geometry: HEIFGeometry, colors: HEIFColors)? {
    guard alpha == nil else { return nil }
    let found = items.thumbnails(of: primary).compactMap { item -> (Int, HEIFLayout, HEIFGeometry)? in
      guard let (layout, geometry) = try? items.picture(item), geometry.orientation == header.geometry.orientation,
        Self.isCopy(geometry.crop.size, of: header.geometry.crop.size), geometry.crop.width >= target.width,
        geometry.crop.height >= target.height, geometry.crop.width < header.geometry.crop.width
      else { return nil }
      return (item, layout, geometry)
    }
    guard let (item, layout, geometry) = found.min(by: { $0.2.crop.width < $1.2.crop.width }) else { return nil }
    let colors = Self.colors(of: item, layout, items, view)
    return (layout, geometry, colors)
  }

  /// True if the sides of both have the same ratio but for rounding.
  private static func isCopy(_ size: PixelSize, of whole: PixelSize) -> Bool {
    let (across, down) = (size.width * whole.height, size.height * whole.width)
    return abs(across - down) <= max(whole.width, whole.height)
  }

  private static func alpha(
    of primary: Int, _ items: HEIFItems, _ bytes: MediaBytes
  ) throws(ImageError) -> (layout: HEIFLayout, isPremultiplied: Bool, isFullRange: Bool)? {
    guard let (layout, isPremultiplied) = try items.alpha(of: primary) else { return nil }
    // Alpha has the full range unless its coding or its box says otherwise together with a description of colours.
    let item = items.items.alpha(of: primary) ?? layout.cells[0].item
    let boxes = items.items.properties(of: item)
    let states = boxes.contains { $0.kind == "colr" && bytes.kind(at: $0.content) == "nclx" }
    let colors = HEIFColors(boxes, bytes, coding: layout.sequence)
    return (layout, isPremultiplied, states ? colors.isFullRange : true)
  }

  /// The colours of a picture; a grid may leave them to its cells.
  private static func colors(
    of item: Int, _ layout: HEIFLayout, _ items: HEIFItems, _ bytes: MediaBytes
  ) -> HEIFColors {
    var boxes = items.items.properties(of: item).filter { $0.kind == "colr" }
    if boxes.isEmpty { boxes = items.items.properties(of: layout.cells[0].item).filter { $0.kind == "colr" } }
    return HEIFColors(boxes, bytes, coding: layout.sequence)
  }
}
