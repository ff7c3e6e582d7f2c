import EaselCore
import FoundationEssentials

/// The boxes of a file, of which libavif tells nothing or about which it is wrong.
struct AVIFFile {
  /// A description of missing bytes; nil if the file is whole.
  private(set) var damage: String?
  /// The number of plays of a sequence; 0 means forever.
  private(set) var plays = 0
  private(set) var contentLight: ContentLight?
  private(set) var masteringDisplay: MasteringDisplay?
  /// The number of bytes that belong neither to pictures nor to their profiles; nil if a table cannot be read.
  private(set) var metadataBytes: Int?
  /// The size of the largest picture that the file claims.
  private(set) var largestSize: PixelSize?
  /// The size of the largest picture that is coded by itself, such as a cell of a grid.
  private(set) var largestCodedSize: PixelSize?
  /// The number of frames of the sequence, or 1.
  private(set) var frameCount = 1
  /// Bytes that libavif must see in place of others.
  private(set) var patches: [(offset: Int, bytes: [UInt8])] = []
  /// Bytes in place of others that make a file of which the picture is the alpha of the cells of a grid.
  ///
  /// libavif 0.11 only knows alpha of the whole picture.
  private(set) var alphaPatches: [(offset: Int, bytes: [UInt8])]?

  private static let known: Set<AVIFBox.Kind> = ["ftyp", "styp", "meta", "moov", "mdat", "free", "skip"]

  /// Reads the boxes of a file.
  init(_ bytes: ImageBytes, limits: Limits) throws(ImageError) {
    let result = bytes.withBytesInMemory { bytes in
      Result<AVIFFile, ImageError> { () throws(ImageError) in try AVIFFile(AVIFBytes(bytes), limits: limits) }
    }
    guard let result else { preconditionFailure("The bytes are not in memory.") }
    self = try result.get()
  }

  private init(_ bytes: AVIFBytes, limits: Limits) throws(ImageError) {
    var (boxes, offset) = ([AVIFBox](), 0)
    while let box = bytes.box(at: offset, before: bytes.count) {
      // Other bytes after the end of the picture may look like the start of a box.
      guard box.end <= bytes.count || Self.known.contains(box.kind) else { break }
      boxes.append(box)
      try limits.check(blockCount: boxes.count, claimedBy: "AVIF: the file")
      offset = box.end
      guard offset <= bytes.count else {
        damage = "the file has \(bytes.count) bytes, but its box \(box.kind) ends after \(offset)"
        return
      }
      if bytes.number(at: box.start, bytes: 4) == 0 { mendSize(of: box) }
    }
    try readPictures(boxes, bytes, limits)
    count(boxes, bytes, spare: bytes.count - offset)
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

  // MARK: Reading

  private var items: [AVIFItems] = []
  private var tracks: [AVIFTrack] = []
  private var movieBytes = 0

  private mutating func readPictures(
    _ boxes: [AVIFBox], _ bytes: AVIFBytes, _ limits: Limits
  ) throws(ImageError) {
    if let meta = boxes.first("meta") { items.append(try AVIFItems(meta, of: bytes, limits: limits)) }
    if let movie = boxes.first("moov") {
      let boxes = bytes.boxes(in: movie.body())
      movieBytes = boxes.bytes(of: movie.body(), except: ["mvhd", "trak", "meta"])
      tracks = boxes.filter { $0.kind == "trak" }.map { AVIFTrack($0, of: bytes) }
      for meta in boxes.filter({ $0.kind == "meta" }) + tracks.compactMap(\.meta) {
        items.append(try AVIFItems(meta, of: bytes, limits: limits))
      }
    }
    // libavif takes sound for pictures, and depth maps for alpha.
    for track in tracks where !track.isShown {
      patches.append((offset: track.box.start + 4, bytes: Array("free".utf8)))
    }
    let scattered = items.reduce(0) { $0 + $1.scatteredBytes }
    guard scattered <= 4 * bytes.count else {
      throw .badAVIF("its items are put together from \(scattered) bytes, but the file has only \(bytes.count)")
    }
    let sizes = tracks.filter(\.isShown).compactMap(\.size)
    largestSize = (items.compactMap(\.largestSize) + sizes).max { $0.area < $1.area }
    largestCodedSize = (items.compactMap(\.largestCodedSize) + sizes).max { $0.area < $1.area }
    let sequence = tracks.first(where: \.isPicture)
    plays = sequence?.plays ?? 0
    frameCount = max(1, sequence?.sampleCount ?? 1)
    alphaPatches = items.first?.alphaOfCells
    readLight(bytes)
    let ends = items.flatMap { $0.items.values.flatMap(\.extents) } + tracks.flatMap { $0.chunks ?? [] }
    if let end = ends.map(\.upperBound).max(), end > bytes.count {
      damage = "the file has \(bytes.count) bytes, but its pictures and metadata end after \(end)"
    }
  }

  private mutating func readLight(_ bytes: AVIFBytes) {
    let entry = tracks.first(where: \.isPicture)?.entryBoxes(bytes) ?? []
    if let box = items.first?.primaryProperty("clli") ?? entry.first("clli"),
      let greatest = bytes.number(at: box.content, bytes: 2), let average = bytes.number(at: box.content + 2, bytes: 2)
    {
      contentLight = ContentLight(greatest: greatest, greatestAverage: average)
    }
    if let box = items.first?.primaryProperty("mdcv") ?? entry.first("mdcv"), box.end - box.content >= 24 {
      let points = (0..<4).compactMap { index -> SIMD2<Double>? in
        guard let x = bytes.number(at: box.content + 4 * index, bytes: 2),
          let y = bytes.number(at: box.content + 4 * index + 2, bytes: 2)
        else { return nil }
        return SIMD2(Double(x), Double(y)) / 50_000
      }
      guard points.count == 4, let most = bytes.number(at: box.content + 16, bytes: 4),
        let least = bytes.number(at: box.content + 20, bytes: 4)
      else { return }
      // The box has green, blue, red and white in this order.
      masteringDisplay = MasteringDisplay(
        red: points[2], green: points[0], blue: points[1], white: points[3], leastLuminance: Double(least) / 10_000,
        greatestLuminance: Double(most) / 10_000)
    }
  }

  /// States the size of a box that only says that it is the last.
  private mutating func mendSize(of box: AVIFBox) {
    guard let size = UInt32(exactly: box.count) else { return }
    patches.append((offset: box.start, bytes: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }))
  }

  // MARK: Counting metadata

  private mutating func count(_ boxes: [AVIFBox], _ bytes: AVIFBytes, spare: Int) {
    let shown = tracks.filter(\.isShown)
    let chunks = shown.map(\.chunks)
    guard damage == nil, items.allSatisfy(\.isReadable), chunks.allSatisfy({ $0 != nil }) else { return }
    var total = spare + movieBytes
    for items in items { total += items.strangeBytes }
    for track in tracks { total += track.isShown ? track.strangeBytes : track.box.count }
    var seen: Set<AVIFBox.Kind> = []
    for box in boxes {
      switch box.kind {
      case "mdat": break
      // Only the first of each is read.
      case "ftyp", "styp", "meta", "moov": total += seen.insert(box.kind).inserted ? 0 : box.count
      // An empty box only fills a gap.
      case "free", "skip": total += box.end - box.content
      default: total += box.count
      }
    }
    let all = items.flatMap(\.items.values)
    let pictures = merged(all.filter(\.isPicture).flatMap(\.extents) + chunks.flatMap { $0 ?? [] })
    let metadata = merged(all.filter { !$0.isPicture }.flatMap(\.extents))
    let data = boxes.filter { $0.kind == "mdat" }.map { $0.body() }
    // All of the data that no picture uses are metadata, and elsewhere only those that are said to be.
    total += data.reduce(0) { $0 + $1.count } - Self.overlap(data, pictures)
    total += metadata.reduce(0) { $0 + $1.count } - Self.overlap(data, metadata) + Self.overlap(metadata, pictures)
    // Bytes that are metadata in more than one way are counted each time.
    metadataBytes = min(total, bytes.count)
  }

  /// The same places in order, without overlap.
  private func merged(_ places: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for place in places.sorted(by: { $0.lowerBound < $1.lowerBound }) where !place.isEmpty {
      if let last = result.last, place.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
      } else {
        result.append(place)
      }
    }
    return result
  }

  /// The number of bytes that two lists share; both are in order and without overlap.
  private static func overlap(_ some: [Range<Int>], _ others: [Range<Int>]) -> Int {
    var (i, j, total) = (0, 0, 0)
    while i < some.count, j < others.count {
      total += some[i].clamped(to: others[j]).count
      if some[i].upperBound < others[j].upperBound { i += 1 } else { j += 1 }
    }
    return total
  }
}
