import EaselCoding
import EaselCore

/// Finds out how the pictures of a file are composed, and at which places their bytes are.
///
/// All values that the decoder relies on are checked here. The decoder only gets pictures whose parameters state the
/// size that the file claims.
struct HEIFItems {
  let items: MediaItems
  private let bytes: MediaBytes
  private let limits: Limits
  private let blocks: HEIFBlocks

  /// The most places at which the bytes of one item may be.
  private static let mostExtents = 1024
  /// The most units of a picture; the format allows 600 slices.
  private static let mostUnits = 1024
  /// The most smaller copies that are examined.
  private static let mostThumbnails = 16
  /// The most pixels by which a side may exceed the shown size: less than a block.
  private static let mostEdge = 64
  /// The most pictures in an overlay.
  private static let mostParts = 256
  /// The longest chain of items, each of which is derived from the next.
  private static let mostSteps = 16

  /// The properties that are applied, and the properties that describe a picture without changing it.
  private static let knownNeeds: Set<MediaBox.Kind> = [
    "hvcC", "ispe", "pixi", "colr", "auxC", "clap", "irot", "imir", "pasp", "rloc", "clli", "mdcv", "cclv", "amve",
    "reve", "ndwt", "lsel", "oinf", "tols", "lhvC", "udes", "altt", "rref", "crtt", "mdft", "cmin", "cmex",
  ]

  init(_ items: MediaItems, of bytes: MediaBytes, limits: Limits, blocks: HEIFBlocks) {
    self.items = items
    self.bytes = bytes
    self.limits = limits
    self.blocks = blocks
  }

  // MARK: Pictures

  /// The layout of a picture, and the changes to it before it is shown.
  func picture(_ item: Int) throws(ImageError) -> (layout: HEIFLayout, geometry: HEIFGeometry) {
    var cache: [Int: HEIFCell] = [:]
    let chain = try chain(from: item)
    let source = chain[chain.count - 1]
    let layout: HEIFLayout
    var shown: PixelSize?
    switch items.items[source]?.kind {
    case "hvc1":
      layout = try whole(source)
      // A coding may be larger than the picture, because it consists of whole blocks. If it is smaller, the picture is
      // smaller.
      let size = try size(of: source)
      shown = PixelSize(width: min(size.width, layout.size.width), height: min(size.height, layout.size.height))
    case "grid": layout = try grid(source, &cache)
    case nil: throw .bad("HEIF", "there is no item \(source), which is the picture")
    case "iovl":
      throw ImageError(.unsupportedFormat, "HEIF: item \(source) is an overlay within another picture.")
    case .some(let kind):
      throw ImageError(
        .unsupportedFormat, "HEIF: the picture is an item of kind \(kind). Only hvc1, grid, iden and iovl are read.")
    }
    return (layout, try geometry(HEIFGeometry(layout.size, showing: shown), changedBy: chain))
  }

  /// The pictures of an overlay, and the changes to it before it is shown; nil if the item is no overlay.
  func overlay(_ item: Int) throws(ImageError) -> (overlay: HEIFOverlay, geometry: HEIFGeometry)? {
    let chain = try chain(from: item)
    let source = chain[chain.count - 1]
    guard items.items[source]?.kind == "iovl" else { return nil }
    let parts = sources(of: source)
    guard parts.count <= Self.mostParts else {
      throw ImageError(
        .limitExceeded, "HEIF: the overlay has \(parts.count) pictures, over the limit of \(Self.mostParts).")
    }
    guard let overlay = HEIFOverlay(MediaBytes(try data(of: source)), of: parts), !parts.isEmpty else {
      throw .bad("HEIF", "the overlay is damaged")
    }
    try limits.check(frame: overlay.size, claimedBy: "HEIF: the overlay")
    return (overlay, try geometry(HEIFGeometry(overlay.size), changedBy: chain))
  }

  /// An item, followed by the items that it crops, turns or mirrors; the last item is not derived in this way.
  private func chain(from item: Int) throws(ImageError) -> [Int] {
    var (chain, source) = ([item], item)
    while items.items[source]?.kind == "iden" {
      guard let next = sources(of: source).first, chain.count < Self.mostSteps else {
        throw .bad("HEIF", "item \(item) is made of others without end")
      }
      chain.append(next)
      source = next
    }
    return chain
  }

  private func geometry(_ start: HEIFGeometry, changedBy chain: [Int]) throws(ImageError) -> HEIFGeometry {
    var geometry = start
    for step in chain.reversed() {
      try refuseUnknownNeeds(of: step)
      for property in items.properties(of: step) { geometry.apply(property, bytes) }
    }
    return geometry
  }

  private func whole(_ item: Int) throws(ImageError) -> HEIFLayout {
    var cache: [Int: HEIFCell] = [:]
    let cell = try cell(item, &cache)
    try check(cell, claiming: cell.sequence.size)
    return HEIFLayout(size: cell.sequence.size, columns: 1, rows: 1, cells: [cell])
  }

  private func grid(_ item: Int, _ cache: inout [Int: HEIFCell]) throws(ImageError) -> HEIFLayout {
    guard let grid = HEIFGrid(MediaBytes(try data(of: item))) else { throw .bad("HEIF", "the grid is damaged") }
    try limits.check(frame: grid.size, claimedBy: "HEIF: the grid")
    let sources = sources(of: item)
    guard sources.count == grid.columns * grid.rows else {
      throw .bad("HEIF", "the grid has \(grid.columns)x\(grid.rows) cells, but the file names \(sources.count)")
    }
    var cells: [HEIFCell] = []
    for source in sources {
      guard items.items[source]?.kind == "hvc1" else {
        throw ImageError(.unsupportedFormat, "HEIF: cell \(source) of the grid is not coded as hvc1.")
      }
      try refuseUnknownNeeds(of: source)
      let cell = try cell(source, &cache)
      try check(cell, claiming: size(of: source))
      var geometry = HEIFGeometry(cell.sequence.size)
      for property in items.properties(of: source) { geometry.apply(property, bytes) }
      guard geometry == HEIFGeometry(cell.sequence.size) else {
        throw ImageError(
          .unsupportedFormat, "HEIF: cell \(source) of the grid is cropped, turned or mirrored by itself.")
      }
      if let first = cells.first, !first.sequence.isLike(cell.sequence) {
        throw .bad("HEIF", "the cells of the grid are not alike: \(first.sequence.size) and \(cell.sequence.size)")
      }
      cells.append(cell)
    }
    let layout = HEIFLayout(size: grid.size, columns: grid.columns, rows: grid.rows, cells: cells)
    let (size, sequence) = (layout.cellSize, layout.sequence)
    guard size.width * grid.columns >= grid.size.width, size.width * (grid.columns - 1) < grid.size.width,
      size.height * grid.rows >= grid.size.height, size.height * (grid.rows - 1) < grid.size.height
    else {
      throw .bad("HEIF", "\(grid.columns)x\(grid.rows) cells of \(size) do not make a picture of \(grid.size)")
    }
    let isOdd =
      grid.columns > 1 && size.width % 2 == 1 && (sequence.chroma == 1 || sequence.chroma == 2)
      || grid.rows > 1 && size.height % 2 == 1 && sequence.chroma == 1
    guard !isOdd else { throw .bad("HEIF", "its cells are of \(size), and their colours do not fit together") }
    return layout
  }

  /// Throws if an item needs a property that Easel does not know, such as a turn of a new kind.
  private func refuseUnknownNeeds(of item: Int) throws(ImageError) {
    guard let need = items.essentialProperties(of: item).first(where: { !Self.knownNeeds.contains($0.kind) }) else {
      return
    }
    throw ImageError(
      .unsupportedFormat, "HEIF: item \(item) must not be shown without its property \(need.kind), which is not known.")
  }

  private func cell(_ item: Int, _ cache: inout [Int: HEIFCell]) throws(ImageError) -> HEIFCell {
    guard let box = items.properties(of: item).first("hvcC") else {
      throw .bad("HEIF", "item \(item) has no parameters for its decoder")
    }
    // Most cells of a grid share their parameters.
    let known = cache[box.start]
    let cell: HEIFCell
    if let known {
      cell = HEIFCell(
        source: .item(item), parameters: known.parameters, sequence: known.sequence, lengthBytes: known.lengthBytes)
    } else {
      let (parameters, lengthBytes) = try HEVCParameters.read(box, bytes)
      cell = HEIFCell(
        source: .item(item), parameters: parameters, sequence: try HEVCParameters.sequence(parameters),
        lengthBytes: lengthBytes)
      cache[box.start] = cell
    }
    return cell
  }

  /// Throws for a coding whose size differs from the claimed size or is over a limit.
  private func check(_ cell: HEIFCell, claiming size: PixelSize) throws(ImageError) {
    guard cell.sequence.size == size else {
      throw .bad("HEIF", "\(cell.source) claims \(size), but its coding has \(cell.sequence.size)")
    }
    guard cell.sequence.storedSize.width <= size.width + Self.mostEdge,
      cell.sequence.storedSize.height <= size.height + Self.mostEdge
    else { throw .bad("HEIF", "\(cell.source) of \(size) is cut out of \(cell.sequence.storedSize)") }
    try limits.check(frame: cell.sequence.storedSize, claimedBy: "HEIF: the coding of \(cell.source)")
  }

  private func size(of item: Int) throws(ImageError) -> PixelSize {
    guard let size = items.properties(of: item).first("ispe").flatMap(items.size) else {
      throw .bad("HEIF", "item \(item) does not state its size")
    }
    try limits.check(frame: size, claimedBy: "HEIF: item \(item)")
    return size
  }

  /// The items from which an item is derived.
  private func sources(of item: Int) -> [Int] {
    items.references.first { $0.kind == "dimg" && $0.from == item }?.to ?? []
  }

  // MARK: Sequences

  /// The first picture of a track, and its crop.
  func firstPicture(of track: MediaTrack) throws(ImageError) -> (layout: HEIFLayout, geometry: HEIFGeometry) {
    let boxes = track.entryBoxes(bytes)
    guard track.entry?.kind == "hvc1", let box = boxes.first("hvcC") else {
      throw ImageError(
        .unsupportedFormat, "HEIF: the sequence is of kind \(track.entry?.kind.description ?? "?"), only hvc1 is read.")
    }
    guard let place = track.chunks?.first else {
      throw .bad("HEIF", "the sequence does not say where its pictures are")
    }
    let (parameters, lengthBytes) = try HEVCParameters.read(box, bytes)
    let cell = HEIFCell(
      source: .sequence(place), parameters: parameters, sequence: try HEVCParameters.sequence(parameters),
      lengthBytes: lengthBytes)
    // The head of a track states the display size, which can differ from the size of the pictures.
    let size = cell.sequence.size
    try limits.check(frame: size, claimedBy: "HEIF: the sequence")
    try check(cell, claiming: size)
    var geometry = HEIFGeometry(size)
    for box in boxes { geometry.apply(box, bytes) }
    return (HEIFLayout(size: size, columns: 1, rows: 1, cells: [cell]), geometry)
  }

  /// The movie of a track; nil if the track has one picture, or if its tables or its kind are unknown.
  func movie(of track: MediaTrack) throws(ImageError) -> HEIFMovie? {
    guard track.sampleCount > 1, track.entry?.kind == "hvc1" else { return nil }
    try limits.check(frameCount: track.sampleCount, claimedBy: "HEIF: the sequence")
    guard let samples = MediaSamples(track, bytes), samples.shown.count > 1 else { return nil }
    return HEIFMovie(try firstPicture(of: track), samples, of: self)
  }

  /// The units of a picture in a sequence, for the decoder; the picture may refer to other pictures.
  func units(ofSample place: Range<Int>, _ cell: HEIFCell) throws(ImageError) -> [HEVCUnit] {
    let part = min(place.lowerBound, bytes.count)..<min(place.upperBound, bytes.count)
    guard part.upperBound == place.upperBound, let data = bytes.bytes(in: part), !data.isEmpty else {
      throw .bad("HEIF", "the file ends before its sequence is complete")
    }
    let units = HEVCParameters.units(in: data, lengthBytes: cell.lengthBytes).filter { $0.isParameters || $0.isSlice }
    guard units.count <= Self.mostUnits else {
      throw ImageError(
        .limitExceeded,
        "HEIF: a picture of the sequence has more than \(Self.mostUnits) slices, which is the limit.")
    }
    for unit in units where unit.isSequenceParameters {
      guard HEVCSequence(unit.bytes).map({ $0.isLike(cell.sequence) }) == true else {
        throw .bad("HEIF", "the sequence has other parameters among its slices")
      }
    }
    return units
  }

  // MARK: Alpha

  /// The alpha of a picture, or of all cells of its grid, with a flag that tells if the colours were multiplied by it.
  func alpha(of item: Int) throws(ImageError) -> (layout: HEIFLayout, isPremultiplied: Bool)? {
    if let alpha = items.alpha(of: item) {
      let isMultiplied = items.references.contains { $0.kind == "prem" && $0.from == item && $0.to.contains(alpha) }
      return (try picture(alpha).layout, isMultiplied)
    }
    guard items.items[item]?.kind == "grid" else { return nil }
    let cells = sources(of: item).map(items.alpha)
    guard let first = cells.first, first != nil, !cells.contains(nil) else { return nil }
    var cache: [Int: HEIFCell] = [:]
    let size = try picture(item).layout
    var alphas: [HEIFCell] = []
    for case .some(let alpha) in cells {
      let cell = try cell(alpha, &cache)
      try check(cell, claiming: self.size(of: alpha))
      guard alphas.first?.sequence.isLike(cell.sequence) != false, cell.sequence.size == size.cellSize else {
        throw .bad("HEIF", "the alpha of the cells is not of their size")
      }
      alphas.append(cell)
    }
    return (HEIFLayout(size: size.size, columns: size.columns, rows: size.rows, cells: alphas), false)
  }

  /// The smaller copies of a picture in the file.
  func thumbnails(of item: Int) -> [Int] {
    let found = items.references.filter { $0.kind == "thmb" && $0.to.contains(item) }
    return found.prefix(Self.mostThumbnails).map(\.from)
  }

  /// The bytes of the first EXIF block and XMP packet that describe an item.
  func metadata(of item: Int) -> (exif: UnsafeRawBufferPointer?, xmp: UnsafeRawBufferPointer?) {
    var exif: UnsafeRawBufferPointer?
    var xmp: UnsafeRawBufferPointer?
    for reference in items.references where reference.kind == "cdsc" && reference.to.contains(item) {
      guard let described = items.items[reference.from] else { continue }
      if exif == nil, described.kind == "Exif" {
        exif = (try? data(of: reference.from)).flatMap(Self.block)
      } else if xmp == nil, described.kind == "mime", described.contentType == "application/rdf+xml" {
        xmp = try? data(of: reference.from)
      }
    }
    return (exif, xmp)
  }

  /// The EXIF block, which begins with the distance to its header.
  private static func block(_ data: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let distance = MediaBytes(data).number(at: 0, bytes: 4), distance < data.count - 4 else { return nil }
    return UnsafeRawBufferPointer(rebasing: data[(4 + distance)...])
  }

  // MARK: Bytes

  /// The bytes of an item, as many as the file has.
  func data(of item: Int) throws(ImageError) -> UnsafeRawBufferPointer {
    let extents = items.items[item]?.extents ?? []
    guard extents.count <= Self.mostExtents else {
      throw ImageError(
        .limitExceeded, "HEIF: item \(item) is at \(extents.count) places, over the limit of \(Self.mostExtents).")
    }
    let parts = extents.compactMap { extent in
      bytes.bytes(in: min(extent.lowerBound, bytes.count)..<min(extent.upperBound, bytes.count))
    }
    guard let first = parts.first, parts.contains(where: { !$0.isEmpty }) else {
      throw .bad("HEIF", "item \(item) has no bytes in this file")
    }
    return parts.count == 1 ? first : blocks.joined(parts, of: item)
  }

  private func data(of source: HEIFCell.Source) throws(ImageError) -> UnsafeRawBufferPointer {
    switch source {
    case .item(let number): return try data(of: number)
    case .sequence(let place):
      let part = min(place.lowerBound, bytes.count)..<min(place.upperBound, bytes.count)
      guard let data = bytes.bytes(in: part), !data.isEmpty else { throw .bad("HEIF", "the sequence has no bytes") }
      return data
    }
  }

  /// The units of a cell for the decoder: the parameters, and the slices of one picture.
  func units(of cell: HEIFCell) throws(ImageError) -> [HEVCUnit] {
    var units = cell.parameters
    var begins = 0
    for unit in HEVCParameters.units(in: try data(of: cell.source), lengthBytes: cell.lengthBytes) {
      if unit.isSequenceParameters {
        guard HEVCSequence(unit.bytes).map({ $0.isLike(cell.sequence) }) == true else {
          throw .bad("HEIF", "\(cell.source) has other parameters among its slices")
        }
      }
      begins += unit.beginsPicture ? 1 : 0
      // An item is one picture, which refers to no other picture.
      guard begins <= 1 else { break }
      if unit.isParameters || unit.isSliceOfItself { units.append(unit) }
      guard units.count <= Self.mostUnits else {
        throw ImageError(
          .limitExceeded, "HEIF: \(cell.source) has more than \(Self.mostUnits) slices, which is the limit.")
      }
    }
    guard begins > 0 else { throw .bad("HEIF", "\(cell.source) has no picture that is decoded by itself") }
    return units
  }
}
