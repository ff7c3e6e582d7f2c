import EaselCore

/// The items of a file as its `meta` box describes them.
struct AVIFItems {
  /// An item: a picture, a part of one, or metadata.
  struct Item {
    var kind: AVIFBox.Kind?
    /// The places of its bytes in the file.
    var extents: [Range<Int>] = []
    /// The numbers of its properties, counted from 1.
    var properties: [Int] = []

    /// True for pictures and their parts; all other items are metadata.
    var isPicture: Bool { kind.map(Self.pictures.contains) ?? false }

    private static let pictures: Set<AVIFBox.Kind> = [
      "av01", "grid", "iden", "iovl", "tmap", "hvc1", "jpeg", "unci", "sato",
    ]
  }

  private(set) var primary: Int?
  private(set) var items: [Int: Item] = [:]
  private(set) var properties: [AVIFBox] = []
  /// The number of bytes of boxes that say nothing about pictures.
  private(set) var strangeBytes = 0
  /// False when a table of the items cannot be read.
  private(set) var isReadable = true

  private let bytes: AVIFBytes
  private let idat: AVIFBox?
  private let references: AVIFBox?

  private static let known: Set<AVIFBox.Kind> = [
    "hdlr", "dinf", "pitm", "iinf", "iref", "iprp", "idat", "iloc", "grpl",
  ]
  // Turns and mirrors count as metadata, as the orientation does in other formats.
  private static let knownProperties: Set<AVIFBox.Kind> = [
    "ispe", "pixi", "av1C", "colr", "auxC", "pasp", "clap", "a1op", "a1lx", "lsel", "clli", "mdcv",
    "cclv", "amve", "hvcC", "reve", "ndwt", "uncC", "cmpd", "iscl", "rref", "crtt",
  ]

  /// Reads a `meta` box.
  init(_ meta: AVIFBox, of bytes: AVIFBytes, limits: Limits) throws(ImageError) {
    self.bytes = bytes
    let body = meta.body(isFull: true)
    let boxes = bytes.boxes(in: body)
    idat = boxes.first("idat")
    references = boxes.first("iref")
    strangeBytes = boxes.bytes(of: body, except: Self.known)
    if let box = boxes.first("pitm") {
      primary = bytes.number(at: box.content + 4, bytes: bytes.number(at: box.content, bytes: 1) == 0 ? 2 : 4)
    }
    if let box = boxes.first("iinf") { readKinds(box) }
    if let box = boxes.first("iloc"), try readPlaces(box, limits) == nil { isReadable = false }
    if let box = boxes.first("iprp") { readProperties(box) }
  }

  /// A property of the primary item.
  func primaryProperty(_ name: StaticString) -> AVIFBox? {
    guard let primary, let item = items[primary] else { return nil }
    return item.properties.compactMap(property).first { $0.kind == AVIFBox.Kind(name) }
  }

  /// The size of the largest picture.
  var largestSize: PixelSize? { properties.compactMap(size).max { $0.area < $1.area } }

  /// The size of the largest picture that is not put together from others.
  var largestCodedSize: PixelSize? {
    items.values.filter { $0.kind == "av01" }.flatMap(\.properties).compactMap(property).compactMap(size).max {
      $0.area < $1.area
    }
  }

  private func size(_ property: AVIFBox) -> PixelSize? {
    guard property.kind == "ispe", let width = bytes.number(at: property.content + 4, bytes: 4),
      let height = bytes.number(at: property.content + 8, bytes: 4)
    else { return nil }
    return PixelSize(width: width, height: height)
  }

  /// The bytes of items that libavif puts together from several places, for which it needs memory.
  var scatteredBytes: Int {
    items.values.filter { $0.extents.count > 1 }.flatMap(\.extents).reduce(0) { $0 + min($1.count, 1 << 40) }
  }

  /// The places of the numbers of a grid's cells, and the numbers of the cells' alpha in their place.
  ///
  /// Nil unless the primary item is a grid, and every cell has alpha.
  var alphaOfCells: [(offset: Int, bytes: [UInt8])]? {
    guard let primary, items[primary]?.kind == "grid", let references else { return nil }
    let width = bytes.number(at: references.content, bytes: 1) == 0 ? 2 : 4
    let boxes = bytes.boxes(in: references.body(isFull: true))
    func number(_ box: AVIFBox, _ index: Int) -> Int? {
      // The item itself, the number of others, and these.
      let place = box.content + (index == 0 ? 0 : width + 2 + width * (index - 1))
      return place + width <= box.end ? bytes.number(at: place, bytes: width) : nil
    }
    var alpha: [Int: Int] = [:]
    for box in boxes where box.kind == "auxl" {
      guard let item = number(box, 0), let owner = number(box, 1), isAlpha(item) else { continue }
      alpha[owner] = item
    }
    guard alpha[primary] == nil, let cells = boxes.first(where: { $0.kind == "dimg" && number($0, 0) == primary }),
      let count = bytes.number(at: cells.content + width, bytes: 2), count > 0
    else { return nil }
    var patches: [(offset: Int, bytes: [UInt8])] = []
    for index in 1...count {
      guard let cell = number(cells, index), let item = alpha[cell] else { return nil }
      let place = cells.content + width + 2 + width * (index - 1)
      patches.append((place, (0..<width).reversed().map { UInt8(truncatingIfNeeded: item >> (8 * $0)) }))
    }
    return patches
  }

  private func isAlpha(_ number: Int) -> Bool {
    let properties = items[number]?.properties.compactMap(property) ?? []
    return properties.first { $0.kind == "auxC" }.map { bytes.isAlpha(at: $0.content + 4) } ?? false
  }

  private func property(_ number: Int) -> AVIFBox? {
    properties.indices.contains(number - 1) ? properties[number - 1] : nil
  }

  private mutating func readKinds(_ box: AVIFBox) {
    let isShort = bytes.number(at: box.content, bytes: 1) == 0
    let start = box.content + (isShort ? 6 : 8)
    guard start <= box.end else { return }
    for entry in bytes.boxes(in: start..<box.end) where entry.kind == "infe" {
      guard let version = bytes.number(at: entry.content, bytes: 1), version >= 2 else { continue }
      let width = version == 2 ? 2 : 4
      guard let number = bytes.number(at: entry.content + 4, bytes: width),
        let kind = bytes.kind(at: entry.content + 6 + width)
      else { continue }
      items[number, default: Item()].kind = kind
    }
  }

  private mutating func readPlaces(_ box: AVIFBox, _ limits: Limits) throws(ImageError) -> Void? {
    var reader = Cursor(bytes: bytes, at: box.content, end: box.end)
    guard let version = reader.next(1), reader.next(3) != nil, let sizes = reader.next(2) else { return nil }
    let (offsetBytes, lengthBytes) = (sizes >> 12 & 15, sizes >> 8 & 15)
    let (baseBytes, indexBytes) = (sizes >> 4 & 15, version > 0 ? sizes & 15 : 0)
    let idBytes = version < 2 ? 2 : 4
    guard [offsetBytes, lengthBytes, baseBytes, indexBytes].allSatisfy([0, 4, 8].contains),
      let count = reader.next(idBytes)
    else { return nil }
    // Entries may take no bytes, so that their number is not bounded by the file.
    var total = 0
    for _ in 0..<count {
      guard let number = reader.next(idBytes) else { return nil }
      var method = 0
      if version > 0 {
        guard let word = reader.next(2) else { return nil }
        method = word & 15
      }
      guard reader.next(2) != nil, let base = reader.next(baseBytes), let extents = reader.next(2) else { return nil }
      total += extents
      try limits.check(blockCount: total, claimedBy: "AVIF: the list of items")
      for _ in 0..<extents {
        guard reader.next(indexBytes) != nil, let offset = reader.next(offsetBytes),
          let length = reader.next(lengthBytes)
        else { return nil }
        // Without a length, an item takes the rest of the file, so that nobody can tell metadata from it.
        guard let place = place(base, offset, length, method), length > 0 else {
          isReadable = false
          continue
        }
        items[number, default: Item()].extents.append(place)
      }
    }
    return ()
  }

  private func place(_ base: Int, _ offset: Int, _ length: Int, _ method: Int) -> Range<Int>? {
    guard method <= 1, let start = method == 0 ? 0 : idat?.content else { return nil }
    let (sum, overflows) = base.addingReportingOverflow(offset)
    let (first, overflowsToo) = sum.addingReportingOverflow(start)
    guard !overflows, !overflowsToo else { return nil }
    let (end, ends) = first.addingReportingOverflow(length)
    return ends ? nil : first..<end
  }

  private mutating func readProperties(_ box: AVIFBox) {
    let boxes = bytes.boxes(in: box.body())
    strangeBytes += boxes.bytes(of: box.body(), except: ["ipco", "ipma"])
    if let box = boxes.first("ipco") {
      properties = bytes.boxes(in: box.body())
      strangeBytes += properties.bytes(of: box.body(), except: Self.knownProperties)
    }
    for box in boxes where box.kind == "ipma" {
      var reader = Cursor(bytes: bytes, at: box.content, end: box.end)
      guard let version = reader.next(1), let flags = reader.next(3), let count = reader.next(4) else { continue }
      for _ in 0..<count {
        guard let number = reader.next(version == 0 ? 2 : 4), let links = reader.next(1) else { break }
        for _ in 0..<links {
          guard let link = reader.next(flags & 1 == 0 ? 1 : 2) else { break }
          items[number, default: Item()].properties.append(link & (flags & 1 == 0 ? 0x7F : 0x7FFF))
        }
      }
    }
  }

  /// Reads numbers one after another up to the end of a box.
  private struct Cursor {
    let bytes: AVIFBytes
    var at: Int
    let end: Int

    /// The next number; 0 if it has no bytes, and nil after the end.
    mutating func next(_ count: Int) -> Int? {
      guard count > 0 else { return 0 }
      guard at <= end - count, let number = bytes.number(at: at, bytes: count) else { return nil }
      at += count
      return number
    }
  }
}
