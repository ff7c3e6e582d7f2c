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

  /// The item of the still picture; nil for the first picture of a sequence.
  private let primary: Int?
  private let view: MediaBytes
  // The reader and what it makes point into these bytes, which are immutable and stay at their place as long as they
  // are held, and into the blocks.
  private let bytes: ImageBytes
  private let blocks: HEIFBlocks

  init(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    let bytes = try bytes.loaded()
    self.bytes = bytes
    blocks = HEIFBlocks(of: bytes)
    guard let view = bytes.withBytesInMemory({ MediaBytes($0) }) else {
      preconditionFailure("The bytes are not in memory.")
    }
    self.view = view
    file = try MediaFile(view, named: "HEIF", limits: work.limits)
    let table = file.boxes.first("meta") == nil ? nil : file.items.first
    items = HEIFItems(table ?? MediaItems(noneIn: view, named: "HEIF"), of: view, limits: work.limits, blocks: blocks)
    primary = table?.primary
    let geometry: HEIFGeometry
    let properties: [MediaBox]
    do throws(ImageError) {
      if let primary {
        (layout, geometry) = try items.picture(primary)
        alpha = try Self.alpha(of: primary, items, view)
        properties = Self.properties(of: primary, layout, items, view)
      } else if let track = file.sequence {
        (layout, geometry) = try items.firstPicture(of: track)
        alpha = try Self.alpha(of: file, items, view)
        properties = track.entryBoxes(view)
      } else {
        throw .badHEIF(file.damage ?? "the file has no picture")
      }
    } catch {
      // What makes no sense in a file that is cut off may have been lost.
      guard let damage = file.damage, error.code == .unsupportedFormat else { throw error }
      throw .badHEIF(damage)
    }
    let colors = HEIFColors(properties, view, coding: layout.sequence)
    let metadata = primary.map(items.metadata) ?? (exif: nil, xmp: nil)
    let color = colors.description(file)
    header = HEIFHeader(
      geometry: geometry, bitDepth: layout.sequence.bitDepth, hasAlpha: alpha != nil, colors: colors, color: color,
      exif: metadata.exif.map { Data($0) }.flatMap(EXIF.init), xmp: metadata.xmp.map { XMP(Data($0)) })
    try header.check(work.limits)
  }

  /// A smaller copy in the file that is large enough for a target and shows the same as the picture, in the same colours.
  ///
  /// The target is the size before the picture is turned upright.
  func thumbnail(for target: PixelSize) -> (layout: HEIFLayout, geometry: HEIFGeometry, colors: HEIFColors)? {
    guard alpha == nil, let primary else { return nil }
    let found = items.thumbnails(of: primary).compactMap { item -> (HEIFLayout, HEIFGeometry, HEIFColors)? in
      guard let (layout, geometry) = try? items.picture(item), geometry.orientation == header.geometry.orientation,
        geometry.isCopy(of: header.geometry), geometry.crop.width >= target.width,
        geometry.crop.height >= target.height, geometry.crop.width < header.geometry.crop.width,
        (layout.sequence.chroma == 0) == (self.layout.sequence.chroma == 0)
      else { return nil }
      let colors = HEIFColors(Self.properties(of: item, layout, items, view), view, coding: layout.sequence)
      return hasColorsOfPicture(colors) ? (layout, geometry, colors) : nil
    }
    return found.min { $0.1.crop.width < $1.1.crop.width }
  }

  /// True if these colours are converted as those of the picture; what a copy leaves open is that of the picture.
  private func hasColorsOfPicture(_ colors: HEIFColors) -> Bool {
    let color = colors.description(file)
    return (color == nil || color == header.color) && (colors.profile == nil || colors.profile == header.profile)
  }

  private static func alpha(
    of primary: Int, _ items: HEIFItems, _ bytes: MediaBytes
  ) throws(ImageError) -> (layout: HEIFLayout, isPremultiplied: Bool, isFullRange: Bool)? {
    guard let (layout, isPremultiplied) = try items.alpha(of: primary) else { return nil }
    var boxes: [MediaBox] = []
    if let alpha = items.items.alpha(of: primary) {
      boxes = items.items.properties(of: alpha)
    } else if case .item(let cell) = layout.cells[0].source {
      boxes = items.items.properties(of: cell)
    }
    return (layout, isPremultiplied, isFullRange(boxes, layout, bytes))
  }

  /// The alpha of a sequence's first picture, which is in a track of its own.
  private static func alpha(
    of file: MediaFile, _ items: HEIFItems, _ bytes: MediaBytes
  ) throws(ImageError) -> (layout: HEIFLayout, isPremultiplied: Bool, isFullRange: Bool)? {
    guard let track = file.tracks.first(where: { $0.isShown && !$0.isPicture }) else { return nil }
    let layout = try items.firstPicture(of: track).layout
    return (layout, false, isFullRange(track.entryBoxes(bytes), layout, bytes))
  }

  /// Alpha has the full range unless its coding or its box says otherwise together with a description of colours.
  private static func isFullRange(_ boxes: [MediaBox], _ layout: HEIFLayout, _ bytes: MediaBytes) -> Bool {
    guard boxes.contains(where: { isCode($0, bytes) }) else { return true }
    return HEIFColors(boxes, bytes, coding: layout.sequence).isFullRange
  }

  /// The boxes that describe the colours of a picture; a grid may leave them to its cells.
  private static func properties(
    of item: Int, _ layout: HEIFLayout, _ items: HEIFItems, _ bytes: MediaBytes
  ) -> [MediaBox] {
    let boxes = items.items.properties(of: item).filter { $0.kind == "colr" }
    guard !boxes.contains(where: { isCode($0, bytes) }), case .item(let cell) = layout.cells[0].source, cell != item
    else { return boxes }
    let ofCell = items.items.properties(of: cell).filter { $0.kind == "colr" }
    // The profile of a grid says nothing about the matrix and the range of its cells.
    return boxes.isEmpty ? ofCell : boxes + ofCell.filter { isCode($0, bytes) }
  }

  private static func isCode(_ box: MediaBox, _ bytes: MediaBytes) -> Bool {
    box.kind == "colr" && bytes.kind(at: box.content) == "nclx"
  }
}
