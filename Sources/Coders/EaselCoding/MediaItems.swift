import EaselCore

/// The items of a file that a `meta` box describes.
package struct MediaItems {
  /// An item: a picture, a part of one, or metadata.
  package struct Item {
    package var kind: MediaBox.Kind?
    /// The MIME type of metadata, if the file states it.
    package var contentType: String?
    /// The places of the item's bytes in the file.
    package var extents: [Range<Int>] = []
    /// The numbers of the item's properties in the order in which they apply, counted from 1.
    package var properties: [Int] = []
    /// The numbers of the properties that a reader must understand to show the item.
    package var essentialProperties: [Int] = []

    /// True for pictures and their parts; all other items are metadata.
    package var isPicture: Bool { kind.map(Self.pictures.contains) ?? false }

    private static let pictures: Set<MediaBox.Kind> = [
      "av01", "grid", "iden", "iovl", "tmap", "hvc1", "jpeg", "unci", "sato",
    ]
  }

  /// A reference from one item to others.
  package struct Reference {
    package let kind: MediaBox.Kind
    package let from: Int
    package let to: [Int]
    /// The offset of the first number in `to`.
    package let place: Int
    /// The size in bytes of each number in `to`.
    package let width: Int
  }

  package private(set) var primary: Int?
  package private(set) var items: [Int: Item] = [:]
  package private(set) var properties: [MediaBox] = []
  package private(set) var references: [Reference] = []
  /// The number of bytes in boxes that say nothing about pictures.
  package private(set) var strangeBytes = 0
  /// The number of entries in all tables; each entry names an item.
  package private(set) var entryCount = 0
  /// False when a table of the items cannot be read.
  package private(set) var isReadable = true
  /// The rank of each item among all items that the tables name, in file order.
  package private(set) var ranks: [Int: Int] = [:]
  /// The part of the location table about each item, after the item's number.
  package private(set) var entries: [Int: Range<Int>] = [:]

  private let bytes: MediaBytes
  private let name: String
  private let idat: MediaBox?
  /// The alpha item of each picture that has one.
  private var alphas: [Int: Int] = [:]

  private static let known: Set<MediaBox.Kind> = [
    "hdlr", "dinf", "pitm", "iinf", "iref", "iprp", "idat", "iloc", "grpl",
  ]
  // Turns and mirrors count as metadata, like the orientation in other formats.
  private static let knownProperties: Set<MediaBox.Kind> = [
    "ispe", "pixi", "av1C", "colr", "auxC", "pasp", "clap", "a1op", "a1lx", "lsel", "clli", "mdcv",
    "cclv", "amve", "hvcC", "reve", "ndwt", "uncC", "cmpd", "iscl", "rref", "crtt",
  ]

  /// The most properties of an item that are read, which is also the highest count that one list can state.
  private static let mostProperties = 255

  /// Describes no items, for a file that only has a sequence.
  package init(noneIn bytes: MediaBytes, named name: String) {
    self.bytes = bytes
    self.name = name
    idat = nil
  }

  /// Reads a `meta` box.
  init(_ meta: MediaBox, of bytes: MediaBytes, named name: String, limits: Limits) throws(ImageError) {
    self.bytes = bytes
    self.name = name
    let body = meta.body(isFull: true)
    let boxes = bytes.boxes(in: body)
    idat = boxes.first("idat")
    strangeBytes = boxes.bytes(of: body, except: Self.known)
    // Only the first table of each kind counts.
    var seen: Set<MediaBox.Kind> = []
    for box in boxes where seen.insert(box.kind).inserted {
      switch box.kind {
      case "pitm":
        primary = bytes.number(at: box.content + 4, bytes: bytes.number(at: box.content, bytes: 1) == 0 ? 2 : 4)
      case "iinf": readKinds(box)
      case "iloc": if try readPlaces(box, limits) == nil { isReadable = false }
      case "iprp": readProperties(box)
      case "iref": readReferences(box)
      default: break
      }
    }
    for reference in references where reference.kind == "auxl" && isAlpha(reference.from) {
      // Several pictures may share one alpha item.
      for picture in reference.to where alphas[picture] == nil { alphas[picture] = reference.from }
    }
  }

  /// The alpha item of a picture.
  package func alpha(of picture: Int) -> Int? { alphas[picture] }

  /// The number of other items from which a picture is composed.
  package func partCount(of picture: Int) -> Int {
    references.reduce(0) { $1.kind == "dimg" && $1.from == picture ? $0 + $1.to.count : $0 }
  }

  /// The properties of an item in the order in which they apply.
  package func properties(of item: Int) -> [MediaBox] { items[item]?.properties.compactMap(property) ?? [] }

  /// The properties of an item that a reader must understand to show the item.
  package func essentialProperties(of item: Int) -> [MediaBox] {
    items[item]?.essentialProperties.compactMap(property) ?? []
  }

  /// A property of the primary item.
  func primaryProperty(_ name: StaticString) -> MediaBox? {
    guard let primary, let item = items[primary] else { return nil }
    return item.properties.compactMap(property).first { $0.kind == MediaBox.Kind(name) }
  }

  /// The size of the largest picture.
  var largestSize: PixelSize? { properties.compactMap(size).max { $0.area < $1.area } }

  /// The size of the largest picture among the items of this kind.
  func largestSize(of kind: MediaBox.Kind) -> PixelSize? {
    items.values.filter { $0.kind == kind }.flatMap(\.properties).compactMap(property).compactMap(size).max {
      $0.area < $1.area
    }
  }

  /// The size that a property states.
  package func size(_ property: MediaBox) -> PixelSize? {
    guard property.kind == "ispe", let width = bytes.number(at: property.content + 4, bytes: 4),
      let height = bytes.number(at: property.content + 8, bytes: 4)
    else { return nil }
    return PixelSize(width: width, height: height)
  }

  /// The number of bytes in items that are scattered over several places, which must be joined in memory.
  var scatteredBytes: Int {
    items.values.filter { $0.extents.count > 1 }.flatMap(\.extents).reduce(0) { $0 + min($1.count, 1 << 40) }
  }

  private func isAlpha(_ number: Int) -> Bool {
    let properties = items[number]?.properties.compactMap(property) ?? []
    return properties.first { $0.kind == "auxC" }.map { bytes.isAlpha(at: $0.content + 4) } ?? false
  }

  private func property(_ number: Int) -> MediaBox? {
    properties.indices.contains(number - 1) ? properties[number - 1] : nil
  }

  private mutating func note(_ item: Int) { if ranks[item] == nil { ranks[item] = ranks.count } }

  private mutating func readKinds(_ box: MediaBox) {
    let isShort = bytes.number(at: box.content, bytes: 1) == 0
    let start = box.content + (isShort ? 6 : 8)
    guard start <= box.end else { return }
    let entries = bytes.boxes(in: start..<box.end)
    entryCount += entries.count
    for entry in entries where entry.kind == "infe" {
      guard let version = bytes.number(at: entry.content, bytes: 1), version >= 2 else { continue }
      let width = version == 2 ? 2 : 4
      guard let number = bytes.number(at: entry.content + 4, bytes: width),
        let kind = bytes.kind(at: entry.content + 6 + width)
      else { continue }
      let type = kind == "mime" ? contentType(entry, after: entry.content + 10 + width) : nil
      note(number)
      items[number, default: Item()].kind = kind
      items[number]?.contentType = type
    }
  }

  /// The second of two texts, each of which ends with a zero.
  private func contentType(_ entry: MediaBox, after start: Int) -> String? {
    guard start < entry.end else { return nil }
    let texts = bytes.bytes(in: start..<min(entry.end, start + 512))?.split(
      separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    guard let texts, texts.count > 1 else { return nil }
    return String(decoding: texts[1], as: UTF8.self)
  }

  private mutating func readReferences(_ box: MediaBox) {
    let width = bytes.number(at: box.content, bytes: 1) == 0 ? 2 : 4
    for entry in bytes.boxes(in: box.body(isFull: true)) {
      var reader = Cursor(bytes: bytes, at: entry.content, end: entry.end)
      guard let from = reader.next(width), let count = reader.next(2) else { continue }
      let place = reader.at
      let numbers = (0..<count).compactMap { _ in reader.next(width) }
      entryCount += 1 + numbers.count
      guard numbers.count == count else { continue }
      for number in numbers { note(number) }
      references.append(Reference(kind: entry.kind, from: from, to: numbers, place: place, width: width))
    }
  }

  private mutating func readPlaces(_ box: MediaBox, _ limits: Limits) throws(ImageError) -> Void? {
    var reader = Cursor(bytes: bytes, at: box.content, end: box.end)
    guard let version = reader.next(1), reader.next(3) != nil, let sizes = reader.next(2) else { return nil }
    let (offsetBytes, lengthBytes) = (sizes >> 12 & 15, sizes >> 8 & 15)
    let (baseBytes, indexBytes) = (sizes >> 4 & 15, version > 0 ? sizes & 15 : 0)
    let idBytes = version < 2 ? 2 : 4
    guard [offsetBytes, lengthBytes, baseBytes, indexBytes].allSatisfy([0, 4, 8].contains),
      let count = reader.next(idBytes)
    else { return nil }
    // An entry can take no bytes, so the size of the file does not limit the number of entries.
    var total = 0
    for _ in 0..<count {
      guard let number = reader.next(idBytes) else { return nil }
      entryCount += 1
      let start = reader.at
      var method = 0
      if version > 0 {
        guard let word = reader.next(2) else { return nil }
        method = word & 15
      }
      guard reader.next(2) != nil, let base = reader.next(baseBytes), let extents = reader.next(2) else { return nil }
      total += extents
      try limits.check(blockCount: total, claimedBy: "\(name): the list of items")
      for _ in 0..<extents {
        guard reader.next(indexBytes) != nil, let offset = reader.next(offsetBytes),
          let length = reader.next(lengthBytes)
        else { return nil }
        // An item without a length extends to the end of the file, and metadata cannot be told from it.
        guard let place = place(base, offset, length, method), length > 0 else {
          isReadable = false
          continue
        }
        items[number, default: Item()].extents.append(place)
      }
      note(number)
      if entries[number] == nil { entries[number] = start..<reader.at }
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

  private mutating func readProperties(_ box: MediaBox) {
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
        entryCount += 1
        note(number)
        for _ in 0..<links {
          guard let link = reader.next(flags & 1 == 0 ? 1 : 2) else { break }
          guard items[number, default: Item()].properties.count < Self.mostProperties else { continue }
          let essential = flags & 1 == 0 ? 0x80 : 0x8000
          let property = link & (essential - 1)
          items[number, default: Item()].properties.append(property)
          if link & essential != 0 { items[number]?.essentialProperties.append(property) }
        }
      }
    }
  }

  /// Reads numbers one after another up to the end of a box.
  private struct Cursor {
    let bytes: MediaBytes
    var at: Int
    let end: Int

    /// The next number; 0 if `count` is 0, and nil after the end.
    mutating func next(_ count: Int) -> Int? {
      guard count > 0 else { return 0 }
      guard at <= end - count, let number = bytes.number(at: at, bytes: count) else { return nil }
      at += count
      return number
    }
  }
}
