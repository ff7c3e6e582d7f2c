import EaselCoding
import EaselCore
import FoundationEssentials

/// The boxes of a file, of which libavif tells nothing or about which it is wrong.
@dynamicMemberLookup
struct AVIFFile {
  private let file: MediaFile
  /// Bytes that libavif must see in place of others.
  private var patches: [(offset: Int, bytes: [UInt8])] = []
  /// Bytes in place of others that make a file of which the picture is the alpha of the cells of a grid.
  ///
  /// libavif 0.11 only knows alpha of the whole picture.
  private let alphaPatches: [(offset: Int, bytes: [UInt8])]?

  /// Reads the boxes of a file.
  init(_ bytes: ImageBytes, limits: Limits) throws(ImageError) {
    let result = bytes.withBytesInMemory { bytes in
      Result<AVIFFile, ImageError> { () throws(ImageError) in try AVIFFile(MediaBytes(bytes), limits: limits) }
    }
    guard let result else { preconditionFailure("The bytes are not in memory.") }
    self = try result.get()
  }

  private init(_ bytes: MediaBytes, limits: Limits) throws(ImageError) {
    file = try MediaFile(bytes, named: "AVIF", limits: limits)
    alphaPatches = file.items.first.flatMap(Self.alphaOfCells)
    for box in file.boxes where bytes.isOpen(box) { mendSize(of: box) }
    // libavif takes sound for pictures, and depth maps for alpha.
    for track in file.tracks where !track.isShown {
      patches.append((offset: track.box.start + 4, bytes: Array("free".utf8)))
    }
  }

  /// What the boxes say.
  subscript<Value>(dynamicMember path: KeyPath<MediaFile, Value>) -> Value { file[keyPath: path] }

  /// The number of plays of a sequence; 0 means forever.
  var plays: Int { file.sequence?.plays ?? 0 }

  /// The number of frames of the sequence, or 1.
  var frameCount: Int { max(1, file.sequence?.sampleCount ?? 1) }

  /// The size of the largest picture that is coded by itself, such as a cell of a grid.
  var largestCodedSize: PixelSize? { file.largestCodedSize("av01") }

  /// The number of cells of the picture and its alpha, each of which gets a decoder of its own; 0 without a grid.
  var cellCount: Int {
    guard let items = file.items.first, let primary = items.primary else { return 0 }
    return items.partCount(of: primary) + (items.alpha(of: primary).map(items.partCount) ?? 0)
  }

  /// The number of entries of the tables of items.
  var entryCount: Int { file.items.reduce(0) { $0 + $1.entryCount } }

  /// The number of threads for each decoder: one if its picture is so small that it takes longer to start more than they
  /// save, or if there are so many decoders that their threads would exhaust the system.
  var threads: Int {
    guard let size = largestCodedSize, size.area >= 1 << 19 else { return 1 }
    return min(CPUBudget.processors, max(1, 128 / max(1, cellCount)))
  }

  /// The file as libavif must see it.
  func mended(_ bytes: ImageBytes) throws(ImageError) -> ImageBytes { try Self.patched(bytes, patches) }

  /// The file of which the picture is the alpha of the cells of a grid; nil if they have none.
  func alphaOfCells(_ bytes: ImageBytes) throws(ImageError) -> ImageBytes? {
    guard let alphaPatches else { return nil }
    return try Self.patched(bytes, patches + alphaPatches)
  }

  private static func patched(
    _ bytes: ImageBytes, _ patches: [(offset: Int, bytes: [UInt8])]
  ) throws(ImageError) -> ImageBytes {
    guard !patches.isEmpty else { return bytes }
    var data = try bytes.data()
    for patch in patches {
      let start = data.startIndex + patch.offset
      data.replaceSubrange(start..<start + patch.bytes.count, with: patch.bytes)
    }
    return ImageBytes(data)
  }

  /// The places of the numbers of a grid's cells, and the numbers of the cells' alpha in their place.
  ///
  /// Nil unless the primary item is a grid, and every cell has alpha.
  private static func alphaOfCells(_ items: MediaItems) -> [(offset: Int, bytes: [UInt8])]? {
    guard let primary = items.primary, items.items[primary]?.kind == "grid", items.alpha(of: primary) == nil,
      let cells = items.references.first(where: { $0.kind == "dimg" && $0.from == primary }), !cells.to.isEmpty
    else { return nil }
    var patches: [(offset: Int, bytes: [UInt8])] = []
    for (index, cell) in cells.to.enumerated() {
      guard let item = items.alpha(of: cell) else { return nil }
      let bytes = (0..<cells.width).reversed().map { UInt8(truncatingIfNeeded: item >> (8 * $0)) }
      patches.append((cells.place + cells.width * index, bytes))
    }
    return patches
  }

  /// States the size of a box that only says that it is the last.
  private mutating func mendSize(of box: MediaBox) {
    guard let size = UInt32(exactly: box.count) else { return }
    patches.append((offset: box.start, bytes: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }))
  }
}
