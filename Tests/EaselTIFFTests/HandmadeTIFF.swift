/// A file put together from tags and bare pixels, also from such as no program writes.
struct HandmadeTIFF {
  /// One picture and its tags; values of tags are whole numbers.
  struct Page {
    var width: Int
    var height: Int
    var bits: [Int]
    var photometric: Int
    /// The bytes of the only strip, or of each of several.
    var strips: [[UInt8]]
    var rowsPerStrip: Int?
    /// More tags: the number, the type, the values.
    var tags: [(tag: Int, type: Int, values: [Int])] = []
    /// Directories below this one.
    var children: [Page] = []

    init(
      _ width: Int, _ height: Int, bits: [Int], photometric: Int, strips: [[UInt8]], rowsPerStrip: Int? = nil,
      tags: [(tag: Int, type: Int, values: [Int])] = []
    ) {
      (self.width, self.height, self.bits, self.photometric) = (width, height, bits, photometric)
      (self.strips, self.rowsPerStrip, self.tags) = (strips, rowsPerStrip, tags)
    }
  }

  var pages: [Page]
  var isBigEndian = false
  var isBig = false

  init(_ pages: Page..., isBigEndian: Bool = false, isBig: Bool = false) {
    (self.pages, self.isBigEndian, self.isBig) = (pages, isBigEndian, isBig)
  }

  private var offsetBytes: Int { isBig ? 8 : 4 }

  func number(_ value: Int, _ count: Int) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? bytes.reversed() : bytes
  }

  var bytes: [UInt8] {
    var file: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
    file += number(isBig ? 43 : 42, 2)
    if isBig { file += number(8, 2) + number(0, 2) }
    var link = file.count
    file += number(0, offsetBytes)
    for page in pages {
      let (offset, next) = write(page, to: &file)
      file.replaceSubrange(link..<link + offsetBytes, with: number(offset, offsetBytes))
      link = next
    }
    return file
  }

  private func write(_ page: Page, to file: inout [UInt8]) -> (offset: Int, link: Int) {
    var offsets: [Int] = []
    for strip in page.strips {
      offsets.append(file.count)
      file += strip
    }
    let children = page.children.map { write($0, to: &file).offset }
    var tags = page.tags
    func add(_ tag: Int, _ type: Int, _ values: [Int]) {
      if !tags.contains(where: { $0.tag == tag }) { tags.append((tag, type, values)) }
    }
    add(256, 4, [page.width])
    add(257, 4, [page.height])
    add(258, 3, page.bits)
    add(259, 3, [1])
    add(262, 3, [page.photometric])
    add(273, 4, offsets)
    add(277, 3, [page.bits.count])
    add(278, 4, [page.rowsPerStrip ?? page.height])
    add(279, 4, page.strips.map(\.count))
    if !children.isEmpty { add(330, 4, children) }
    tags.sort { $0.tag < $1.tag }
    let values = tags.map { entry in
      entry.values.flatMap { number($0, [1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 7: 1, 11: 4, 12: 8, 16: 8][entry.type]!) }
    }
    if file.count % 2 == 1 { file.append(0) }
    let offset = file.count
    let size = (isBig ? 8 : 2) + tags.count * (isBig ? 20 : 12)
    var end = offset + size + offsetBytes
    file += number(tags.count, isBig ? 8 : 2)
    var outside: [UInt8] = []
    for (entry, value) in zip(tags, values) {
      let count = entry.type == 5 ? entry.values.count / 2 : entry.values.count
      file += number(entry.tag, 2) + number(entry.type, 2) + number(count, offsetBytes)
      if value.count <= offsetBytes {
        file += value + [UInt8](repeating: 0, count: offsetBytes - value.count)
      } else {
        file += number(end, offsetBytes)
        outside += value
        end += value.count
      }
    }
    let link = file.count
    file += number(0, offsetBytes) + outside
    return (offset, link)
  }
}

extension HandmadeTIFF.Page {
  /// A grey picture of bytes.
  static func gray(_ width: Int, _ height: Int, _ value: UInt8 = 128) -> HandmadeTIFF.Page {
    HandmadeTIFF.Page(
      width, height, bits: [8], photometric: 1, strips: [[UInt8](repeating: value, count: width * height)])
  }

  /// A row of pixels with these samples, each of which is a whole number of bytes in little-endian order.
  static func row(
    _ samples: [[Int]], bits: Int = 8, photometric: Int, tags: [(tag: Int, type: Int, values: [Int])] = []
  ) -> HandmadeTIFF.Page {
    let bytes = samples.joined().flatMap { value in (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return HandmadeTIFF.Page(
      samples.count, 1, bits: Array(repeating: bits, count: samples[0].count), photometric: photometric,
      strips: [bytes], tags: tags)
  }
}
