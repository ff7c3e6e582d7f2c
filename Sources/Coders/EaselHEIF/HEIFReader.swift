import EaselCoding
import EaselCore
import FoundationEssentials

/// Reads everything in a file except its pixels.
final class HEIFReader {
  let file: MediaFile
  let items: HEIFItems
  let header: HEIFHeader
  /// The coded picture, or the first picture of an overlay.
  let layout: HEIFLayout
  let alpha: HEIFCodedImage.Alpha?
  /// The overlay that composes the picture from others; nil for any other picture.
  let overlay: HEIFOverlay?
  /// The sequence that the file plays; nil for a still picture.
  let movie: HEIFMovie?
  /// The alpha of the sequence, frame by frame.
  let alphaMovie: HEIFMovie?

  /// The item of the still picture; nil if the picture is the first of a sequence.
  private let primary: Int?
  private let view: MediaBytes
  // The reader and the objects that it makes point into these bytes and into the blocks. The bytes are immutable and
  // stay at their place as long as they are held.
  private let bytes: ImageBytes
  private let blocks: HEIFBlocks

  init(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    try work.checkCancellation()
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
    let movies: (pictures: HEIFMovie, alpha: HEIFMovie?)?
    do throws(ImageError) {
      movies = try Self.movies(of: file, primary, items, view)
      (movie, alphaMovie) = (movies?.pictures, movies?.alpha)
      if let movie = movies?.pictures, let track = file.sequence {
        overlay = nil
        (layout, geometry) = (movie.layout, movie.geometry)
        alpha = try Self.alpha(of: file, items, view)
        properties = track.entryBoxes(view)
      } else if let primary, let found = try items.overlay(primary) {
        (overlay, geometry) = (found.overlay, found.geometry)
        layout = try Self.firstLayout(of: found.overlay, items, work.limits)
        alpha = nil
        properties = Self.properties(of: primary, layout, items, view)
      } else if let primary {
        overlay = nil
        (layout, geometry) = try items.picture(primary)
        alpha = try Self.alpha(of: primary, items, view)
        properties = Self.properties(of: primary, layout, items, view)
      } else if let track = file.sequence {
        overlay = nil
        (layout, geometry) = try items.firstPicture(of: track)
        alpha = try Self.alpha(of: file, items, view)
        properties = track.entryBoxes(view)
      } else {
        throw .bad("HEIF", file.wound?.text ?? "the file has no picture")
      }
    } catch {
      // In a file that is cut off, the part that would make sense of an error may be lost.
      guard let wound = file.wound, error.code == .unsupportedFormat else { throw error }
      throw .bad("HEIF", wound.text)
    }
    let colors = HEIFColors(properties, view, coding: layout.sequence)
    let described = primary.map(items.metadata) ?? (exif: nil, xmp: nil)
    let exif = described.exif.map { Data($0) }.flatMap(EXIF.init)
    header = HEIFHeader(
      geometry: geometry, bitDepth: layout.sequence.bitDepth, hasAlpha: alpha != nil || overlay?.hasAlpha == true,
      colors: colors,
      metadata: StoredMetadata(
        profile: colors.profile, color: colors.description(file), exif: exif,
        xmp: described.xmp.map { XMP(Data($0)) }, density: exif?.density),
      delays: movies?.pictures.samples.delays ?? [], loopCount: movies == nil ? 0 : file.sequence?.plays ?? 0)
    try header.check(work.limits)
  }

  /// The bytes of memory that remain between frames.
  var memoryCost: Int { bytes.memoryCost + (movie?.memoryCost ?? 0) + (alphaMovie?.memoryCost ?? 0) }

  /// The first brands of files that are meant to be played.
  private static let brandsOfSequences: Set<MediaBox.Kind> = ["msf1", "hevc", "hevx", "hevm", "hevs"]

  /// The sequence that a file plays, with its alpha; nil for a file that shows a still picture.
  ///
  /// A file plays its sequence if the sequence has several pictures and the first brand is a brand of sequences, or if
  /// the file has nothing else. A still picture whose size differs from the sequence is not a part of it, and takes
  /// precedence.
  private static func movies(
    of file: MediaFile, _ primary: Int?, _ items: HEIFItems, _ bytes: MediaBytes
  ) throws(ImageError) -> (pictures: HEIFMovie, alpha: HEIFMovie?)? {
    guard let track = file.sequence, file.wound?.sparesPixels != false else { return nil }
    if let primary {
      guard let brand = bytes.kind(at: 8), brandsOfSequences.contains(brand),
        let still = try? items.picture(primary).geometry, let movie = try? items.movie(of: track),
        movie.geometry.shownSize == still.shownSize
      else { return nil }
    }
    guard let movie = try items.movie(of: track) else { return nil }
    guard let ofAlpha = file.tracks.first(where: { $0.isShown && !$0.isPicture }) else { return (movie, nil) }
    guard let alpha = try items.movie(of: ofAlpha), alpha.count == movie.count else { return nil }
    return (movie, alpha)
  }

  /// The layout of an overlay's first picture; throws if a picture of the overlay cannot be read, or if the pictures
  /// are too large.
  private static func firstLayout(
    of overlay: HEIFOverlay, _ items: HEIFItems, _ limits: Limits
  ) throws(ImageError) -> HEIFLayout {
    var (first, pixels) = (HEIFLayout?.none, 0)
    for part in overlay.parts {
      let layout = try items.picture(part.item).layout
      first = first ?? layout
      pixels += layout.size.area
    }
    guard pixels <= limits.totalPixels else {
      throw ImageError(
        .limitExceeded,
        "HEIF: the overlay is put together from \(pixels) pixels, over the limit of \(limits.totalPixels) in all. Raise "
          + "Limits.totalPixels to allow it.")
    }
    guard let first else { throw .bad("HEIF", "the overlay has no pictures") }
    return first
  }

  /// One picture of an overlay, with its alpha and colours.
  func part(_ item: Int) throws(ImageError) -> HEIFCodedImage {
    let (layout, geometry) = try items.picture(item)
    let colors = HEIFColors(Self.properties(of: item, layout, items, view), view, coding: layout.sequence)
    return HEIFCodedImage(
      layout: layout, geometry: geometry, alpha: try Self.alpha(of: item, items, view), colors: colors)
  }

  /// A smaller copy in the file that is large enough for a target and shows the picture in the same colours.
  ///
  /// The target is the size before the picture is set upright.
  func thumbnail(for target: PixelSize) -> HEIFCodedImage? {
    guard !header.hasAlpha, movie == nil, let primary else { return nil }
    let found = items.thumbnails(of: primary).compactMap { item -> HEIFCodedImage? in
      guard let (layout, geometry) = try? items.picture(item), geometry.orientation == header.geometry.orientation,
        geometry.isCopy(of: header.geometry), geometry.crop.width >= target.width,
        geometry.crop.height >= target.height, geometry.crop.width < header.geometry.crop.width,
        (layout.sequence.chroma == 0) == (self.layout.sequence.chroma == 0)
      else { return nil }
      let colors = HEIFColors(Self.properties(of: item, layout, items, view), view, coding: layout.sequence)
      let part = HEIFCodedImage(layout: layout, geometry: geometry, alpha: nil, colors: colors)
      return hasColorsOfPicture(colors) ? part : nil
    }
    return found.min { $0.geometry.crop.width < $1.geometry.crop.width }
  }

  /// True if these colours are converted like the picture's colours; values that a copy leaves open are the picture's
  /// values.
  private func hasColorsOfPicture(_ colors: HEIFColors) -> Bool {
    let color = colors.description(file)
    let stated = header.metadata
    return (color == nil || color == stated.color) && (colors.profile == nil || colors.profile == stated.profile)
  }

  private static func alpha(
    of primary: Int, _ items: HEIFItems, _ bytes: MediaBytes
  ) throws(ImageError) -> HEIFCodedImage.Alpha? {
    guard let (layout, isPremultiplied) = try items.alpha(of: primary) else { return nil }
    var boxes: [MediaBox] = []
    if let alpha = items.items.alpha(of: primary) {
      boxes = items.items.properties(of: alpha)
    } else if case .item(let cell) = layout.cells[0].source {
      boxes = items.items.properties(of: cell)
    }
    return HEIFCodedImage.Alpha(
      layout: layout, isPremultiplied: isPremultiplied, isFullRange: isFullRange(boxes, layout, bytes))
  }

  /// The alpha of a sequence's first picture, which is in a separate track.
  private static func alpha(
    of file: MediaFile, _ items: HEIFItems, _ bytes: MediaBytes
  ) throws(ImageError) -> HEIFCodedImage.Alpha? {
    guard let track = file.tracks.first(where: { $0.isShown && !$0.isPicture }) else { return nil }
    let layout = try items.firstPicture(of: track).layout
    return HEIFCodedImage.Alpha(
      layout: layout, isPremultiplied: false, isFullRange: isFullRange(track.entryBoxes(bytes), layout, bytes))
  }

  /// True if alpha has the full range: always, unless a description of colours exists and states otherwise.
  private static func isFullRange(_ boxes: [MediaBox], _ layout: HEIFLayout, _ bytes: MediaBytes) -> Bool {
    guard boxes.contains(where: { isCode($0, bytes) }) else { return true }
    return HEIFColors(boxes, bytes, coding: layout.sequence).isFullRange
  }

  /// The boxes that describe the colours of a picture; a grid may leave the description to its cells.
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
