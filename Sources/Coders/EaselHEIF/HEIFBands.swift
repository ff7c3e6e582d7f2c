import CEaselHEIF
import EaselCore
import EaselPixels

/// Decodes a picture from the top, a band of cells at a time; a picture that is coded in one piece is one band.
///
/// Only the planes of one band are in memory, with the last rows of the one before, which are mixed with its first ones.
final class HEIFBands {
  /// The rows of the picture that can be made into pixels now.
  private(set) var rows = 0..<0
  /// True if a part of the picture is missing or damaged.
  private(set) var isDamaged = false

  let layout: HEIFLayout
  private let items: HEIFItems
  private let allowsPartial: Bool
  private let work: WorkContext

  /// The decoder's own planes of a picture that is coded in one piece.
  private var picture: OpaquePointer?
  /// The planes of a band of cells.
  private var band: [UnsafeMutableRawBufferPointer] = []
  private var strides: [Int] = []
  /// The row of the picture that the planes begin with, and the first row after them.
  private var held = 0..<0
  private var nextRow = 0
  private var decodedCells = 0

  /// The rows of a band that are kept for the next one, and those of them that are only made into pixels then.
  private static let (keptRows, waitingRows) = (4, 2)
  /// Fewer rows are not worth a band.
  private static let leastRows = 64
  /// With fewer cells for each thread, the last ones leave too many threads without work.
  private static let leastCells = 4

  init(_ layout: HEIFLayout, of items: HEIFItems, allowsPartial: Bool, work: WorkContext) {
    self.layout = layout
    self.items = items
    self.allowsPartial = allowsPartial
    self.work = work
  }

  deinit {
    easel_heif_picture_destroy(picture)
    for plane in band { plane.deallocate() }
  }

  private var sequence: HEVCSequence { layout.sequence }
  var planeCount: Int { sequence.chroma == 0 ? 1 : 3 }
  /// The rows that the last call of ``advance()`` decoded.
  var fresh: Range<Int> { freshStart..<held.upperBound }
  private var freshStart = 0
  private var halvesWidth: Bool { sequence.chroma == 1 || sequence.chroma == 2 }
  private var halvesHeight: Bool { sequence.chroma == 1 }
  private var cellRowsPerBand: Int {
    let enough = Self.leastCells * CPUBudget.processors
    return min(
      layout.rows,
      max(
        (enough + layout.columns - 1) / layout.columns,
        (Self.leastRows + layout.cellSize.height - 1) / layout.cellSize.height))
  }

  /// The numbers of pixels, across and down, that share a sample of a plane.
  func divisors(_ plane: Int) -> (across: Int, down: Int) {
    plane == 0 ? (1, 1) : (halvesWidth ? 2 : 1, halvesHeight ? 2 : 1)
  }

  /// Calls `body` with a row of samples of a plane, which must be one of those that are in memory.
  func withRow(
    _ row: Int, of plane: Int, _ body: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    let (across, down) = divisors(plane)
    let width = (layout.size.width + across - 1) / across * (sequence.bitDepth > 8 ? 2 : 1)
    let place = row - held.lowerBound / down
    if let picture {
      var planes = easel_heif_planes()
      easel_heif_picture_planes(picture, &planes)
      let starts = [planes.planes.0, planes.planes.1, planes.planes.2]
      let strides = [planes.strides.0, planes.strides.1, planes.strides.2]
      try body(UnsafeRawBufferPointer(start: starts[plane]! + place * strides[plane], count: width))
    } else {
      let start = place * strides[plane]
      try body(UnsafeRawBufferPointer(rebasing: band[plane][start..<start + width]))
    }
  }

  /// Decodes the next band.
  func advance() throws(ImageError) {
    try work.checkCancellation()
    freshStart = held.upperBound
    if layout.isGrid { try decodeBand() } else { try decodeWhole() }
  }

  /// Calls `body` with planes and the row of the picture that they begin with.
  func withPlanes<Result>(_ body: (YCCPlanes, Int) throws(ImageError) -> Result) throws(ImageError) -> Result {
    var (starts, strides) = ([UnsafeRawPointer?](repeating: nil, count: 3), [0, 0, 0])
    if let picture {
      var planes = easel_heif_planes()
      easel_heif_picture_planes(picture, &planes)
      starts = [
        UnsafeRawPointer(planes.planes.0), UnsafeRawPointer(planes.planes.1), UnsafeRawPointer(planes.planes.2),
      ]
      strides = [planes.strides.0, planes.strides.1, planes.strides.2]
    } else {
      for (index, plane) in band.enumerated() {
        (starts[index], strides[index]) = (UnsafeRawPointer(plane.baseAddress!), self.strides[index])
      }
    }
    let planes = YCCPlanes(
      luma: starts[0]!, blue: starts[1], red: starts[2], strides: (strides[0], strides[1], strides[2]),
      width: layout.size.width, height: held.count, depth: sequence.bitDepth, colorDepth: sequence.chromaBitDepth,
      halvesWidth: halvesWidth, halvesHeight: halvesHeight)
    return try body(planes, held.lowerBound)
  }

  // MARK: One piece

  private func decodeWhole() throws(ImageError) {
    let units = try items.units(of: layout.cells[0]).map(\.decoded)
    var form = sequence.form
    var picture: OpaquePointer?
    let status = units.withUnsafeBufferPointer {
      easel_heif_picture_decode($0.baseAddress, $0.count, &form, 1, &picture)
    }
    self.picture = picture
    if status == EASEL_HEIF_DAMAGED && allowsPartial {
      isDamaged = true
    } else {
      try Self.check(status, in: "the picture")
    }
    held = 0..<layout.size.height
    rows = held
    nextRow = layout.rows
  }

  // MARK: Cells

  private func decodeBand() throws(ImageError) {
    let height = layout.cellSize.height
    let cellRows = nextRow..<min(layout.rows, nextRow + cellRowsPerBand)
    let start = nextRow * height
    let end = min(layout.size.height, cellRows.upperBound * height)
    if band.isEmpty { makePlanes() }
    keepLastRows(upTo: start)
    if allowsPartial { clear(from: start) }
    held = max(0, start - Self.keptRows)..<end
    nextRow = cellRows.upperBound
    try decode(cellRows)
    let isLast = nextRow == layout.rows
    rows = rows.upperBound..<(isLast ? end : end - Self.waitingRows)
    if isLast && decodedCells == 0 { throw .badHEIF("no cell of the picture can be decoded") }
  }

  private func makePlanes() {
    let height = min(layout.size.height, cellRowsPerBand * layout.cellSize.height) + Self.keptRows
    for plane in 0..<planeCount {
      let depth = plane == 0 ? sequence.bitDepth : sequence.chromaBitDepth
      let width = plane > 0 && halvesWidth ? (layout.size.width + 1) / 2 : layout.size.width
      let rows = plane > 0 && halvesHeight ? (height + 1) / 2 : height
      // Vectors may pass the end of a row.
      strides.append((width * (depth > 8 ? 2 : 1) + 63) & ~63)
      band.append(.allocate(byteCount: strides[plane] * rows + 64, alignment: 64))
      band[plane].initializeMemory(as: UInt8.self, repeating: depth > 8 ? 2 : 128)
    }
  }

  private func planeRow(_ row: Int, _ plane: Int) -> Int { plane > 0 && halvesHeight ? row / 2 : row }

  /// Moves the last rows of the planes to their start.
  private func keepLastRows(upTo start: Int) {
    guard start > 0 else { return }
    let kept = max(0, start - Self.keptRows)
    for plane in 0..<planeCount {
      let from = planeRow(kept - held.lowerBound, plane) * strides[plane]
      let count = planeRow(start - kept, plane) * strides[plane]
      let base = band[plane].baseAddress!
      base.copyMemory(from: base + from, byteCount: count)
    }
  }

  private func clear(from start: Int) {
    for plane in 0..<planeCount {
      let depth = plane == 0 ? sequence.bitDepth : sequence.chromaBitDepth
      let kept = start - max(0, start - Self.keptRows)
      let first = planeRow(kept, plane) * strides[plane]
      UnsafeMutableRawBufferPointer(rebasing: band[plane][first...])
        .initializeMemory(as: UInt8.self, repeating: depth > 8 ? 2 : 128)
    }
  }

  private func decode(_ cellRows: Range<Int>) throws(ImageError) {
    var (units, ends) = ([easel_heif_unit](), [Int]())
    let indices = cellRows.lowerBound * layout.columns..<cellRows.upperBound * layout.columns
    for index in indices {
      do throws(ImageError) {
        units += try items.units(of: layout.cells[index]).map(\.decoded)
      } catch {
        guard allowsPartial, error.code == .badImageData else { throw error }
        isDamaged = true
      }
      ends.append(units.count)
    }
    let statuses = decode(indices, units, ends)
    for status in statuses {
      // Without units, a cell was counted as damaged before.
      if status == EASEL_HEIF_STOPPED { try work.checkCancellation() }
      if status == EASEL_HEIF_OK || status == EASEL_HEIF_DAMAGED { decodedCells += 1 }
      if allowsPartial && (status == EASEL_HEIF_DAMAGED || status == EASEL_HEIF_BAD_DATA) {
        isDamaged = true
      } else {
        try Self.check(status, in: "a cell of the picture")
      }
    }
  }

  private func decode(_ indices: Range<Int>, _ units: [easel_heif_unit], _ ends: [Int]) -> [easel_heif_status] {
    var planes = easel_heif_planes()
    planes.width = UInt32(layout.size.width)
    planes.height = UInt32(held.count)
    let starts = band.map { $0.baseAddress?.assumingMemoryBound(to: UInt8.self) }
    planes.planes = (starts[0], starts.count > 1 ? starts[1] : nil, starts.count > 1 ? starts[2] : nil)
    planes.strides = (strides[0], strides.count > 1 ? strides[1] : 0, strides.count > 1 ? strides[2] : 0)
    var form = sequence.form
    let size = layout.cellSize
    return units.withUnsafeBufferPointer { units in
      var cells = indices.enumerated().map { place, index in
        let first = place == 0 ? 0 : ends[place - 1]
        return easel_heif_cell(
          units: units.baseAddress.map { $0 + first }, count: ends[place] - first,
          x: UInt32(index % layout.columns * size.width),
          y: UInt32(index / layout.columns * size.height - held.lowerBound), status: EASEL_HEIF_OK)
      }
      // The function is called on this thread only, and not after the call.
      withUnsafePointer(to: work) { work in
        easel_heif_decode_cells(
          &cells, cells.count, &form, &planes, Int32(CPUBudget.processors),
          { context in
            let work = context!.assumingMemoryBound(to: WorkContext.self).pointee
            do { try work.checkCancellation() } catch { return true }
            return false
          }, UnsafeMutableRawPointer(mutating: work))
      }
      return cells.map(\.status)
    }
  }

  /// Throws for a status other than OK.
  static func check(_ status: easel_heif_status, in part: String) throws(ImageError) {
    switch status {
    case EASEL_HEIF_OK: return
    case EASEL_HEIF_NO_MEMORY: throw .exhausted("HEIF: there is no memory for \(part).")
    case EASEL_HEIF_UNSUPPORTED:
      throw ImageError(.unsupportedFormat, "HEIF: \(part) is coded in a way that libde265 does not know.")
    case EASEL_HEIF_STOPPED: throw .cancelled()
    default: throw .badHEIF("\(part) is damaged")
    }
  }
}

extension HEVCUnit {
  /// The unit as the decoder takes it.
  var decoded: easel_heif_unit {
    easel_heif_unit(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }
}
