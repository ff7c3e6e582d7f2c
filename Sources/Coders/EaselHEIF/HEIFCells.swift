import CEaselHEIF
import EaselCoding
import EaselCore
import EaselPixels
import EaselSupport

/// Decodes the cells of a grid in bands from the top, and decodes the next band while the caller reads one.
///
/// Two bands have memory, and the bands use it in turn. The last rows of the previous band stand above each band.
final class HEIFCells {
  /// The numbers of cells of a decoded band.
  struct Counts {
    var decoded = 0
    var isDamaged = false
  }

  /// The number of rows that are kept of the previous band.
  static let keptRows = 4

  /// The distance in bytes between two rows of each plane.
  private(set) var strides: [Int] = []

  private let layout: HEIFLayout
  private let items: HEIFItems
  private let showsParts: Bool
  private let work: WorkContext
  private let cellRowsPerBand: Int
  /// The planes of the even and of the odd bands.
  private var planes: [[UnsafeMutableRawBufferPointer]] = []
  private let cells: UnsafeMutableBufferPointer<easel_heif_cell>
  /// The units of the cells of an even and an odd band.
  ///
  /// The units point into the file.
  private var units: [UnsafeMutableBufferPointer<easel_heif_unit>?] = [nil, nil]
  /// True if cells of an even or an odd band lack units, once the band is opened.
  private var isDamaged = [false, false]
  /// The error that keeps a band from being opened.
  private var failure: (band: Int, error: ImageError)?
  private var pool: OpaquePointer?

  /// The least number of rows per band; smaller bands cost more than they gain.
  private static let leastRows = 64
  /// The least number of cells per thread; with fewer, the threads would wait for one another too often.
  private static let leastCells = 4

  init(_ layout: HEIFLayout, of items: HEIFItems, showsParts: Bool, work: WorkContext) throws(ImageError) {
    (self.layout, self.items, self.showsParts, self.work) = (layout, items, showsParts, work)
    let enough = Self.leastCells * CPUBudget.processors
    let height = layout.cellSize.height
    cellRowsPerBand = min(
      layout.rows,
      max((enough + layout.columns - 1) / layout.columns, (Self.leastRows + height - 1) / height))
    cells = .allocate(capacity: layout.cells.count)
    cells.initialize(repeating: easel_heif_cell(units: nil, count: 0, x: 0, y: 0, status: EASEL_HEIF_STOPPED))
    for index in cells.indices {
      let row = index / layout.columns
      cells[index].x = UInt32(index % layout.columns * layout.cellSize.width)
      cells[index].y = UInt32(row % cellRowsPerBand * height + (row < cellRowsPerBand ? 0 : Self.keptRows))
    }
    for _ in 0..<min(2, bandCount) { makePlanes() }
    var form = layout.sequence.form
    let foreign = planes.map(foreign)
    let both = [foreign[0], foreign[foreign.count - 1]]
    pool = easel_heif_threads_create(
      cells.baseAddress, cells.count, cellRowsPerBand * layout.columns, &form, both, Int32(CPUBudget.processors))
    guard pool != nil else { throw .exhausted("HEIF: there is no memory for the cells of the picture.") }
  }

  deinit {
    // The threads of the pool use the memory that is freed after this call.
    easel_heif_threads_destroy(pool)
    for plane in planes.joined() { plane.deallocate() }
    for unit in units { unit?.deallocate() }
    cells.deallocate()
  }

  /// The number of bands.
  var bandCount: Int { (layout.rows + cellRowsPerBand - 1) / cellRowsPerBand }

  /// The rows of the picture that a band decodes.
  func rows(of band: Int) -> Range<Int> {
    let height = cellRowsPerBand * layout.cellSize.height
    return band * height..<min(layout.size.height, (band + 1) * height)
  }

  /// The planes of a band, whose first rows repeat the end of the previous band.
  func planes(of band: Int) -> [UnsafeMutableRawBufferPointer] { planes[band % 2] }

  /// Decodes a band; the previous band must be decoded, and its planes are reused.
  func decode(_ band: Int) throws(ImageError) -> Counts {
    if band == 0 { open(0) } else { keepLastRows(of: band - 1) }
    open(band + 1)
    if let failure, failure.band == band { throw failure.error }
    let isDone = CancellationCheck(work).asked { easel_heif_threads_wait(pool, band, $0, $1) }
    try work.checkCancellation()
    guard isDone else { throw .cancelled() }
    return try outcome(of: band)
  }

  private func outcome(of band: Int) throws(ImageError) -> Counts {
    var outcome = Counts(isDamaged: isDamaged[band % 2])
    for index in indices(of: band) {
      let status = cells[index].status
      // A cell without units was already counted as damaged.
      if status == EASEL_HEIF_OK || status == EASEL_HEIF_DAMAGED { outcome.decoded += 1 }
      if showsParts && (status == EASEL_HEIF_DAMAGED || status == EASEL_HEIF_BAD_DATA) {
        outcome.isDamaged = true
      } else {
        try HEIFBands.check(status, in: "a cell of the picture")
      }
    }
    return outcome
  }

  private func indices(of band: Int) -> Range<Int> {
    let count = cellRowsPerBand * layout.columns
    return band * count..<min(cells.count, (band + 1) * count)
  }

  /// Starts decoding a band into planes that are no longer used.
  private func open(_ band: Int) {
    guard band < bandCount, failure == nil else { return }
    if showsParts && band > 1 { for plane in 0..<planeCount { clear(planes[band % 2][plane], plane) } }
    var (found, ends) = ([easel_heif_unit](), [Int]())
    isDamaged[band % 2] = false
    for index in indices(of: band) {
      do throws(ImageError) {
        found += try items.units(of: layout.cells[index]).map(\.decoded)
      } catch {
        guard showsParts, error.code == .badImageData else {
          failure = (band, error)
          return
        }
        isDamaged[band % 2] = true
      }
      ends.append(found.count)
    }
    units[band % 2]?.deallocate()
    let kept = UnsafeMutableBufferPointer<easel_heif_unit>.allocate(capacity: found.count)
    _ = kept.initialize(fromContentsOf: found)
    units[band % 2] = kept
    var first = 0
    for (index, end) in zip(indices(of: band), ends) {
      cells[index].units = kept.baseAddress.map { UnsafePointer($0 + first) }
      cells[index].count = end - first
      first = end
    }
    easel_heif_threads_open(pool, band + 1)
  }

  // MARK: Planes

  private var sequence: HEVCSequence { layout.sequence }
  private var planeCount: Int { sequence.chroma == 0 ? 1 : 3 }

  private func width(of plane: Int) -> Int {
    plane > 0 && sequence.halvesWidth ? (layout.size.width + 1) / 2 : layout.size.width
  }

  private func rows(_ count: Int, of plane: Int) -> Int { plane > 0 && sequence.halvesHeight ? (count + 1) / 2 : count }

  private func depth(of plane: Int) -> Int { plane == 0 ? sequence.bitDepth : sequence.chromaBitDepth }

  /// The number of rows of the planes.
  ///
  /// The first band has no rows above it, but the planes have room for them.
  private var height: Int { rows(of: 0).count + Self.keptRows }

  private func makePlanes() {
    var made: [UnsafeMutableRawBufferPointer] = []
    strides = []
    for plane in 0..<planeCount {
      // Vector instructions may write beyond the end of a row.
      strides.append((width(of: plane) * (depth(of: plane) > 8 ? 2 : 1) + 63) & ~63)
      made.append(.allocate(byteCount: strides[plane] * rows(height, of: plane) + 64, alignment: 64))
      clear(made[plane], plane)
    }
    planes.append(made)
  }

  /// Fills a plane with grey.
  private func clear(_ memory: UnsafeMutableRawBufferPointer, _ plane: Int) {
    memory.initializeMemory(as: UInt8.self, repeating: depth(of: plane) > 8 ? 2 : 128)
  }

  /// Copies the last rows of a band above the rows of the next band.
  private func keepLastRows(of band: Int) {
    let end = rows(of: band).count + (band == 0 ? 0 : Self.keptRows)
    for plane in 0..<planeCount {
      let from = rows(end - Self.keptRows, of: plane) * strides[plane]
      let count = rows(Self.keptRows, of: plane) * strides[plane]
      let source = UnsafeRawBufferPointer(rebasing: planes(of: band)[plane][from..<from + count])
      planes(of: band + 1)[plane].copyMemory(from: source)
    }
  }

  private func foreign(_ planes: [UnsafeMutableRawBufferPointer]) -> easel_heif_planes {
    var result = easel_heif_planes()
    result.width = UInt32(layout.size.width)
    result.height = UInt32(height)
    let starts = planes.map { $0.baseAddress?.assumingMemoryBound(to: UInt8.self) }
    let hasColors = starts.count > 1
    result.planes = (starts[0], hasColors ? starts[1] : nil, hasColors ? starts[2] : nil)
    result.strides = (strides[0], hasColors ? strides[1] : 0, hasColors ? strides[2] : 0)
    return result
  }
}
