import EaselCore

/// Writes the boxes of a HEIC, right ones and wrong ones.
struct HEIFBuilder {
  struct Item {
    var number: Int
    var kind: String
    var data: [UInt8]
    var properties: [[UInt8]]
    /// Properties without which the item may be shown.
    var optionalProperties: [[UInt8]] = []
    /// True for data in the box that describes the items.
    var isInside = false
    var contentType: String?
    /// The number of places over which the data are spread.
    var pieces = 1
  }

  var items: [Item] = []
  var references: [(kind: String, from: Int, to: [Int])] = []
  var primary = 1
  var brands = "heic\0\0\0\0mif1heic"

  static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func box(_ name: String, _ contents: [UInt8]...) -> [UInt8] {
    let content = contents.flatMap { $0 }
    return number(content.count + 8, 4) + Array(name.utf8) + content
  }

  // MARK: Properties

  static func size(_ width: Int, _ height: Int) -> [UInt8] {
    box("ispe", number(0, 4), number(width, 4), number(height, 4))
  }

  static func crop(_ numbers: Int...) -> [UInt8] { box("clap", numbers.flatMap { number($0, 4) }) }
  static func turn(_ quarters: Int) -> [UInt8] { box("irot", [UInt8(quarters)]) }
  static func mirror(_ axis: Int) -> [UInt8] { box("imir", [UInt8(axis)]) }

  static func codePoints(_ primaries: Int, _ transfer: Int, _ matrix: Int, isFullRange: Bool) -> [UInt8] {
    box(
      "colr", Array("nclx".utf8), number(primaries, 2), number(transfer, 2), number(matrix, 2),
      [isFullRange ? 0x80 : 0])
  }

  static func auxiliary(_ name: String) -> [UInt8] { box("auxC", number(0, 4), Array(name.utf8) + [0]) }
  static let alphaName = "urn:mpeg:hevc:2015:auxid:1"

  // MARK: Items

  /// A coded picture.
  mutating func add(
    _ picture: CodedPicture, as number: Int, claiming size: (Int, Int) = (64, 64), _ properties: [UInt8]...
  ) {
    items.append(
      Item(
        number: number, kind: "hvc1", data: picture.slices,
        properties: [Self.box("hvcC", picture.parameters), Self.size(size.0, size.1)] + properties))
  }

  /// A grid of other items.
  mutating func addGrid(
    _ columns: Int, _ rows: Int, of size: (Int, Int), cells: [Int], as number: Int, _ properties: [UInt8]...
  ) {
    let data = [0, 1, UInt8(rows - 1), UInt8(columns - 1)] + Self.number(size.0, 4) + Self.number(size.1, 4)
    items.append(
      Item(
        number: number, kind: "grid", data: data, properties: [Self.size(size.0, size.1)] + properties, isInside: true))
    references.append(("dimg", number, cells))
  }

  /// Other items on a canvas, whose colour is red, green, blue and alpha of 16 bits.
  mutating func addOverlay(
    of size: (Int, Int), fill: [Int], _ parts: [(item: Int, x: Int, y: Int)], as number: Int, isLong: Bool = false,
    _ properties: [UInt8]...
  ) {
    let width = isLong ? 4 : 2
    let places = parts.flatMap { Self.number($0.x, width) + Self.number($0.y, width) }
    let data =
      [0, isLong ? 1 : 0] + fill.flatMap { Self.number($0, 2) } + Self.number(size.0, width)
      + Self.number(size.1, width) + places
    items.append(
      Item(
        number: number, kind: "iovl", data: data, properties: [Self.size(size.0, size.1)] + properties, isInside: true))
    references.append(("dimg", number, parts.map(\.item)))
  }

  mutating func add(_ kind: String, _ data: [UInt8], as number: Int, contentType: String? = nil) {
    items.append(Item(number: number, kind: kind, data: data, properties: [], contentType: contentType))
  }

  // MARK: The file

  var bytes: [UInt8] {
    let head = Self.box("ftyp", Array(brands.utf8))
    // The offsets do not change the length of the box that states them.
    let offset = head.count + meta(dataAt: 0).count + 8
    return head + meta(dataAt: offset) + Self.box("mdat", items.filter { !$0.isInside }.flatMap(\.data))
  }

  private func meta(dataAt start: Int) -> [UInt8] {
    Self.box(
      "meta", Self.number(0, 4), Self.box("hdlr", Self.number(0, 8), Array("pict".utf8), Self.number(0, 13)),
      Self.box("pitm", Self.number(0, 4), Self.number(primary, 2)), kinds, places(start), properties,
      references.isEmpty ? [] : referenceBox, Self.box("idat", items.filter(\.isInside).flatMap(\.data)))
  }

  private var kinds: [UInt8] {
    let entries = items.flatMap { item in
      Self.box(
        "infe", [2, 0, 0, 0], Self.number(item.number, 2), [0, 0], Array(item.kind.utf8), [0],
        item.contentType.map { Array($0.utf8) + [0] } ?? [])
    }
    return Self.box("iinf", Self.number(0, 4), Self.number(items.count, 2), entries)
  }

  private func places(_ start: Int) -> [UInt8] {
    var (outside, inside) = (start, 0)
    var entries: [UInt8] = []
    for item in items {
      var place = item.isInside ? inside : outside
      entries += Self.number(item.number, 2) + Self.number(item.isInside ? 1 : 0, 2) + Self.number(0, 2)
      entries += Self.number(item.pieces, 2)
      let part = item.data.count / item.pieces
      for piece in 0..<item.pieces {
        let length = piece == item.pieces - 1 ? item.data.count - part * piece : part
        entries += Self.number(place, 4) + Self.number(length, 4)
        place += length
      }
      if item.isInside { inside = place } else { outside = place }
    }
    return Self.box("iloc", [1, 0, 0, 0], Self.number(0x4400, 2), Self.number(items.count, 2), entries)
  }

  private var properties: [UInt8] {
    var (boxes, links) = ([[UInt8]](), [UInt8]())
    for item in items where !item.properties.isEmpty {
      let all = item.properties + item.optionalProperties
      links += Self.number(item.number, 2) + [UInt8(all.count)]
      for (place, property) in all.enumerated() {
        let index = boxes.firstIndex(of: property) ?? boxes.count
        if index == boxes.count { boxes.append(property) }
        links += Self.number((place < item.properties.count ? 0x8000 : 0) | index + 1, 2)
      }
    }
    let count = items.filter { !$0.properties.isEmpty }.count
    return Self.box(
      "iprp", Self.box("ipco", boxes.flatMap { $0 }), Self.box("ipma", [0, 0, 0, 1], Self.number(count, 4), links))
  }

  private var referenceBox: [UInt8] {
    let entries = references.flatMap { reference in
      Self.box(
        reference.kind, Self.number(reference.from, 2), Self.number(reference.to.count, 2),
        reference.to.flatMap { Self.number($0, 2) })
    }
    return Self.box("iref", Self.number(0, 4), entries)
  }
}
