import EaselCoding
import EaselCore
import EaselSupport
import FoundationEssentials

/// The boxes of a file; libavif does not tell some of this, and is wrong about some.
@dynamicMemberLookup
struct AVIFFile {
  private let file: MediaFile
  /// Bytes that must replace others before libavif reads the file.
  private var patches: [(offset: Int, bytes: [UInt8])] = []
  /// Replacements after which the picture of the file is the alpha of a grid's cells.
  ///
  /// They are needed because libavif 0.11 only knows the alpha of the whole picture.
  private let alphaPatches: [(offset: Int, bytes: [UInt8])]?
  /// True if a box states the code points of the colours, for the still picture and for the sequence.
  private let statedCodePoints: (still: Bool, sequence: Bool)

  /// Reads the boxes of a file.
  init(_ bytes: ImageBytes, limits: Limits) throws(ImageError) {
    self = try bytes.withMedia { (bytes) throws(ImageError) in try AVIFFile(bytes, limits: limits) }
  }

  private init(_ bytes: MediaBytes, limits: Limits) throws(ImageError) {
    file = try MediaFile(bytes, named: "AVIF", limits: limits)
    alphaPatches = Self.alphaOfCells(file, bytes)
    statedCodePoints = (
      still: file.items.first.map { Self.codedBoxes(of: $0).hasCodePoints(bytes) } ?? false,
      sequence: file.sequence?.entryBoxes(bytes).hasCodePoints(bytes) ?? false
    )
    for box in file.boxes where bytes.isOpen(box) { mendSize(of: box) }
    if let items = file.items.first, let primary = items.primary {
      for picture in [primary, items.alpha(of: primary)] {
        guard let grid = picture.flatMap({ Self.grid($0, file, bytes) }) else { continue }
        patches += grid.patches(showing: grid.cells)
      }
    }
    // libavif mistakes sound for pictures, and depth maps for alpha.
    for track in file.tracks where !track.isShown {
      patches.append((offset: track.box.start + 4, bytes: Array("free".utf8)))
    }
  }

  /// Reads a property of the boxes.
  subscript<Value>(dynamicMember path: KeyPath<MediaFile, Value>) -> Value { file[keyPath: path] }

  /// The number of plays of a sequence; 0 means forever.
  var plays: Int { file.sequence?.plays ?? 0 }

  /// The number of frames of the sequence, or 1.
  var frameCount: Int { max(1, file.sequence?.sampleCount ?? 1) }

  /// The size of the largest picture that is coded separately, such as a cell of a grid.
  var largestCodedSize: PixelSize? { file.largestCodedSize("av01") }

  /// The number of cells of the picture and of its alpha, each of which needs its own decoder; 0 without a grid.
  var cellCount: Int {
    guard let items = file.items.first, let primary = items.primary else { return 0 }
    return items.partCount(of: primary) + (items.alpha(of: primary).map(items.partCount) ?? 0)
  }

  /// The number of entries in the tables of items.
  var entryCount: Int { file.items.reduce(0) { $0 + $1.entryCount } }

  /// The number of threads for each decoder.
  ///
  /// It is one if the pictures are so small that starting threads takes longer than they save, or if so many decoders
  /// would need too many threads.
  var threads: Int {
    guard let size = largestCodedSize, size.area >= 1 << 19 else { return 1 }
    return min(CPUBudget.processors, max(1, 128 / max(1, cellCount)))
  }

  /// True if a box states the code points of the colours; otherwise only the coded pictures do.
  func statesCodePoints(inSequence: Bool) -> Bool { inSequence ? statedCodePoints.sequence : statedCodePoints.still }

  /// The property boxes of the picture and of the pictures that it consists of.
  private static func codedBoxes(of items: MediaItems) -> [MediaBox] {
    guard let primary = items.primary else { return [] }
    let parts = items.references.filter { $0.kind == "dimg" && $0.from == primary }.flatMap(\.to)
    return ([primary] + parts).flatMap { items.properties(of: $0) }
  }

  /// The file with the replacements for libavif.
  func mended(_ bytes: ImageBytes) throws(ImageError) -> ImageBytes { try bytes.patched(by: patches) }

  /// The file whose picture is the alpha of the grid's cells; nil if the cells have no alpha.
  func alphaOfCells(_ bytes: ImageBytes) throws(ImageError) -> ImageBytes? {
    guard let alphaPatches else { return nil }
    return try bytes.patched(by: patches + alphaPatches)
  }

  /// The replacements after which the grid shows the alpha of its cells.
  ///
  /// The result is nil unless the primary item is a grid in which every cell has alpha.
  private static func alphaOfCells(_ file: MediaFile, _ bytes: MediaBytes) -> [(offset: Int, bytes: [UInt8])]? {
    guard let items = file.items.first, let primary = items.primary, items.alpha(of: primary) == nil,
      let grid = grid(primary, file, bytes)
    else { return nil }
    let alphas = grid.cells.compactMap(items.alpha)
    return alphas.count == grid.cells.count ? grid.patches(showing: alphas) : nil
  }

  private static func grid(_ item: Int, _ file: MediaFile, _ bytes: MediaBytes) -> AVIFGrid? {
    guard file.boxes.first("meta") != nil, let items = file.items.first else { return nil }
    return AVIFGrid(item, of: items, bytes)
  }

  /// Writes the size of a box that states only that it is the last one.
  private mutating func mendSize(of box: MediaBox) {
    guard let size = UInt32(exactly: box.count) else { return }
    patches.append((offset: box.start, bytes: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }))
  }
}
