import EaselCore

/// The content of the boxes of an AVIF or a HEIC: its pictures and metadata.
///
/// Any number in the file may be wrong. Nothing outside the bytes of the file is read.
package struct MediaFile {
  /// The boxes at the top level of the file, up to the first that is cut off.
  package private(set) var boxes: [MediaBox] = []
  /// The items of each `meta` box, beginning with the `meta` box of the file itself.
  package private(set) var items: [MediaItems] = []
  package private(set) var tracks: [MediaTrack] = []
  /// The damage at the end of the file; the pixels are spared if no picture reaches beyond the end.
  package private(set) var wound: Wound?
  package private(set) var contentLight: ColorDescription.ContentLight?
  package private(set) var masteringDisplay: ColorDescription.MasteringDisplay?
  /// The number of bytes that belong neither to pictures nor to profiles of pictures; nil if a table cannot be read.
  package private(set) var metadataBytes: Int?

  private var movieBytes = 0
  private let name: String

  private static let known: Set<MediaBox.Kind> = ["ftyp", "styp", "meta", "moov", "mdat", "free", "skip"]

  /// Reads the boxes of a file; `name` is the name of the format, which begins error messages.
  package init(_ bytes: MediaBytes, named name: String, limits: Limits) throws(ImageError) {
    self.name = name
    var offset = 0
    while var box = bytes.box(at: offset, before: bytes.count) {
      // This box extends to the end of the file, where other programs may have appended bytes. The box really ends with
      // the last inner box that states a size.
      if bytes.isOpen(box), box.kind == "meta" || box.kind == "moov" {
        box.end = bytes.boxes(in: box.body(isFull: box.kind == "meta")).last { !bytes.isOpen($0) }?.end ?? box.end
      }
      // Other bytes after the end of the picture may look like the start of a box.
      guard box.end <= bytes.count || Self.known.contains(box.kind) else { break }
      try limits.check(blockCount: boxes.count + 1, claimedBy: "\(name): the file")
      offset = box.end
      guard offset <= bytes.count else {
        wound = Wound(
          "the file has \(bytes.count) bytes, but its box \(box.kind) ends after \(offset)",
          sparesPixels: box.kind != "meta" && box.kind != "moov")
        break
      }
      boxes.append(box)
    }
    // The file ends within the head of a box with a long size.
    if bytes.number(at: offset, bytes: 4) == 1, let kind = bytes.kind(at: offset + 4), Self.known.contains(kind),
      bytes.count - offset < 16
    {
      wound = Wound("the file ends within the head of its box \(kind)", sparesPixels: kind != "meta" && kind != "moov")
    }
    try readPictures(bytes, limits)
    if let found = wound, found.sparesPixels, reachesBeyond(bytes.count) { wound = Wound(found.text) }
    count(bytes, spare: bytes.count - offset)
  }

  /// The track that holds the pictures of a sequence.
  package var sequence: MediaTrack? { tracks.first(where: \.isPicture) }

  /// The size of the largest picture that the file claims.
  package var largestSize: PixelSize? {
    (items.compactMap(\.largestSize) + shownSizes).max { $0.area < $1.area }
  }

  /// The size of the largest picture of this kind that is coded by itself, such as a cell of a grid.
  package func largestCodedSize(_ kind: MediaBox.Kind) -> PixelSize? {
    (items.compactMap { $0.largestSize(of: kind) } + shownSizes).max { $0.area < $1.area }
  }

  private var shownSizes: [PixelSize] { tracks.filter(\.isShown).compactMap(\.size) }

  // MARK: Reading

  private mutating func readPictures(_ bytes: MediaBytes, _ limits: Limits) throws(ImageError) {
    if let meta = boxes.first("meta") { items.append(try MediaItems(meta, of: bytes, named: name, limits: limits)) }
    if let movie = boxes.first("moov") {
      let boxes = bytes.boxes(in: movie.body())
      movieBytes = boxes.bytes(of: movie.body(), except: ["mvhd", "trak", "meta"])
      tracks = boxes.filter { $0.kind == "trak" }.map { MediaTrack($0, of: bytes) }
      for meta in boxes.filter({ $0.kind == "meta" }) + tracks.compactMap(\.meta) {
        items.append(try MediaItems(meta, of: bytes, named: name, limits: limits))
      }
    }
    let scattered = items.reduce(0) { $0 + $1.scatteredBytes }
    guard scattered <= 4 * bytes.count else {
      throw ImageError(
        .badImageData,
        "\(name): its items are put together from \(scattered) bytes, but the file has only \(bytes.count).")
    }
    readLight(bytes)
    let ends = items.flatMap { $0.items.values.flatMap(\.extents) } + tracks.flatMap { $0.chunks ?? [] }
    if wound == nil, let end = ends.map(\.upperBound).max(), end > bytes.count {
      let text = "the file has \(bytes.count) bytes, but its pictures and metadata end after \(end)"
      wound = Wound(text, sparesPixels: true)
    }
  }

  /// True if a picture has bytes behind this offset, or if the file does not tell.
  private func reachesBeyond(_ end: Int) -> Bool {
    guard !items.isEmpty || !tracks.isEmpty, items.allSatisfy(\.isReadable) else { return true }
    var places = items.flatMap { $0.items.values.filter(\.isPicture).flatMap(\.extents) }
    for track in tracks where track.isShown {
      guard let chunks = track.chunks else { return true }
      places += chunks
    }
    return places.contains { $0.upperBound > end }
  }

  private mutating func readLight(_ bytes: MediaBytes) {
    let entry = sequence?.entryBoxes(bytes) ?? []
    if let box = items.first?.primaryProperty("clli") ?? entry.first("clli"),
      let greatest = bytes.number(at: box.content, bytes: 2), let average = bytes.number(at: box.content + 2, bytes: 2)
    {
      contentLight = ColorDescription.ContentLight(greatest: greatest, greatestAverage: average)
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
      // The box lists green, blue, red and white, in this order.
      masteringDisplay = ColorDescription.MasteringDisplay(
        red: points[2], green: points[0], blue: points[1], white: points[3], leastLuminance: Double(least) / 10_000,
        greatestLuminance: Double(most) / 10_000)
    }
  }

  // MARK: Counting metadata

  private mutating func count(_ bytes: MediaBytes, spare: Int) {
    let shown = tracks.filter(\.isShown)
    let chunks = shown.map(\.chunks)
    guard wound == nil, items.allSatisfy(\.isReadable), chunks.allSatisfy({ $0 != nil }) else { return }
    var total = spare + movieBytes
    for items in items { total += items.strangeBytes }
    for track in tracks { total += track.isShown ? track.strangeBytes : track.box.count }
    var seen: Set<MediaBox.Kind> = []
    for box in boxes {
      switch box.kind {
      case "mdat": break
      // Only the first box of each of these kinds is read.
      case "ftyp", "meta", "moov": total += seen.insert(box.kind).inserted ? 0 : box.count
      // An empty box only fills a gap.
      case "free", "skip": total += box.end - box.content
      default: total += box.count
      }
    }
    let all = items.flatMap(\.items.values)
    let pictures = merged(all.filter(\.isPicture).flatMap(\.extents) + chunks.flatMap { $0 ?? [] })
    let metadata = merged(all.filter { !$0.isPicture }.flatMap(\.extents))
    let data = boxes.filter { $0.kind == "mdat" }.map { $0.body() }
    // In the data boxes, all bytes that no picture uses are metadata. Elsewhere, only bytes that items declare as
    // metadata are.
    total += data.reduce(0) { $0 + $1.count } - Self.overlap(data, pictures)
    total += metadata.reduce(0) { $0 + $1.count } - Self.overlap(data, metadata) + Self.overlap(metadata, pictures)
    // Bytes that are metadata in several ways are counted several times.
    metadataBytes = min(total, bytes.count)
  }

  /// These ranges in order and without overlap.
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

  /// The number of bytes that both lists contain; each list is in order and without overlap.
  private static func overlap(_ some: [Range<Int>], _ others: [Range<Int>]) -> Int {
    var (i, j, total) = (0, 0, 0)
    while i < some.count, j < others.count {
      total += some[i].clamped(to: others[j]).count
      if some[i].upperBound < others[j].upperBound { i += 1 } else { j += 1 }
    }
    return total
  }
}
