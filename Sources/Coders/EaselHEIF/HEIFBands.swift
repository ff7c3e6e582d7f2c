import CEaselHEIF
import EaselCoding
import EaselCore
import EaselPixels

/// Decodes a picture from the top, one band of cells after another.
///
/// A picture that is coded in one piece is one band.
///
/// Memory holds only the planes of one band and the last rows of the previous band, which are mixed with the first
/// rows.
final class HEIFBands {
  /// The rows of the picture that can be made into pixels now.
  private(set) var rows = 0..<0
  /// True if a part of the picture is missing or damaged.
  private(set) var isDamaged = false

  let layout: HEIFLayout
  private let items: HEIFItems
  private let showsParts: Bool
  private let work: WorkContext

  /// The decoder's planes of a picture that is coded in one piece.
  private var picture: OpaquePointer?
  /// The movie that contains the picture, and the number of the frame; nil for a still picture.
  private let frame: (movie: HEIFMovie, index: Int)?
  private var isFrameThere = false
  /// The cells of a grid, created for the first band; they also own the planes of the last band.
  private var cells: HEIFCells?
  private var band: [UnsafeMutableRawBufferPointer] = []
  private var strides: [Int] = []
  /// The rows of the picture that the planes hold.
  private var held = 0..<0
  private var nextBand = 0
  private var decodedCells = 0

  /// The number of last rows of a band that become pixels only with the next band.
  private static let waitingRows = 2

  init(
    _ layout: HEIFLayout, of items: HEIFItems, frame: (movie: HEIFMovie, index: Int)? = nil, showsParts: Bool,
    work: WorkContext
  ) {
    self.frame = frame
    self.layout = layout
    self.items = items
    self.showsParts = showsParts
    self.work = work
  }

  deinit { easel_heif_picture_destroy(picture) }

  private var sequence: HEVCSequence { layout.sequence }
  var planeCount: Int { sequence.chroma == 0 ? 1 : 3 }
  /// The rows that the last call of ``advance()`` decoded.
  var fresh: Range<Int> { freshStart..<held.upperBound }
  private var freshStart = 0
  /// The numbers of pixels, across and down, that share one sample of a plane.
  func divisors(_ plane: Int) -> (across: Int, down: Int) {
    plane == 0 ? (1, 1) : (sequence.halvesWidth ? 2 : 1, sequence.halvesHeight ? 2 : 1)
  }

  /// Calls `body` with a row of samples of a plane; the row must be in memory.
  func withRow(
    _ row: Int, of plane: Int, _ body: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    let (across, down) = divisors(plane)
    let width = (layout.size.width + across - 1) / across * (sequence.bitDepth > 8 ? 2 : 1)
    let place = row - held.lowerBound / down
    if let planes = wholePlanes {
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

  /// Calls `body` with the planes and the row of the picture at which they begin.
  func withPlanes<Result>(_ body: (YCCPlanes, Int) throws(ImageError) -> Result) throws(ImageError) -> Result {
    var (starts, strides) = ([UnsafeRawPointer?](repeating: nil, count: 3), [0, 0, 0])
    if let planes = wholePlanes {
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
      halvesWidth: sequence.halvesWidth, halvesHeight: sequence.halvesHeight)
    return try body(planes, held.lowerBound)
  }

  // MARK: One piece

  /// The planes of a picture that is coded in one piece, once it is decoded.
  private var wholePlanes: easel_heif_planes? {
    if isFrameThere { return frame?.movie.planes }
    guard let picture else { return nil }
    var planes = easel_heif_planes()
    easel_heif_picture_planes(picture, &planes)
    return planes
  }

  private func decodeWhole() throws(ImageError) {
    if let frame {
      isDamaged = try frame.movie.decode(frame.index, work: work)
      if isDamaged && !showsParts { throw .bad("HEIF", "frame \(frame.index) is damaged") }
      isFrameThere = true
      held = 0..<layout.size.height
      rows = held
      return
    }
    let units = try items.units(of: layout.cells[0]).map(\.decoded)
    var form = sequence.form
    var picture: OpaquePointer?
    let status = units.withUnsafeBufferPointer {
      easel_heif_picture_decode($0.baseAddress, $0.count, &form, 1, &picture)
    }
    self.picture = picture
    if status == EASEL_HEIF_DAMAGED && showsParts {
      isDamaged = true
    } else {
      try Self.check(status, in: "the picture")
    }
    held = 0..<layout.size.height
    rows = held
  }

  // MARK: Cells

  private func decodeBand() throws(ImageError) {
    if cells == nil { cells = try HEIFCells(layout, of: items, showsParts: showsParts, work: work) }
    guard let cells else { return }
    let outcome = try cells.decode(nextBand)
    isDamaged = isDamaged || outcome.isDamaged
    decodedCells += outcome.decoded
    band = cells.planes(of: nextBand)
    strides = cells.strides
    let decoded = cells.rows(of: nextBand)
    held = max(0, decoded.lowerBound - HEIFCells.keptRows)..<decoded.upperBound
    nextBand += 1
    let isLast = nextBand == cells.bandCount
    rows = rows.upperBound..<(isLast ? decoded.upperBound : decoded.upperBound - Self.waitingRows)
    if isLast && decodedCells == 0 { throw .bad("HEIF", "no cell of the picture can be decoded") }
  }

  /// Throws for any status except OK.
  static func check(_ status: easel_heif_status, in part: String) throws(ImageError) {
    switch status {
    case EASEL_HEIF_OK: return
    case EASEL_HEIF_NO_MEMORY: throw .exhausted("HEIF: there is no memory for \(part).")
    case EASEL_HEIF_UNSUPPORTED:
      throw ImageError(.unsupportedFormat, "HEIF: \(part) is coded in a way that libde265 does not know.")
    case EASEL_HEIF_STOPPED: throw .cancelled()
    default: throw .bad("HEIF", "\(part) is damaged")
    }
  }
}

extension HEVCUnit {
  /// The unit in the form that the decoder takes.
  var decoded: easel_heif_unit {
    easel_heif_unit(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }
}
