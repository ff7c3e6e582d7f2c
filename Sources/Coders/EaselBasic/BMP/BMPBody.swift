import EaselCoding
import EaselCore
import FoundationEssentials

/// A bitmap in a file or an icon, with the offsets of its parts.
struct BMPBody {
  let header: BMPHeader
  /// The offset of the pixels in the bytes.
  let pixelOffset: Int
  /// The colours of the table, as four bytes of RGBA.
  let colors: [UInt32]
  let fields: [UInt32]
  /// The offset of the first byte after the header, its masks and its table.
  let tableEnd: Int

  private let bytes: ImageBytes
  private let start: Int

  var hasAlpha: Bool { header.bitsPerPixel > 8 && fields[3] != 0 }

  /// Reads everything before the pixels.
  ///
  /// The header is at `start`; a file also states where its pixels are.
  init(
    _ header: BMPHeader, of bytes: ImageBytes, at start: Int, statedOffset: Int?
  ) throws(ImageError) {
    self.header = header
    self.bytes = bytes
    self.start = start
    let masks = try bytes.part(at: start + header.headerBytes, count: header.maskBytes)
    do throws(BMPFault) { fields = try header.fields(masks) } catch { throw .bad("BMP", error.sentence) }
    let tableStart = start + header.headerBytes + header.maskBytes
    // An offset within the header is wrong; the pixels are then after the table.
    let stated = statedOffset.flatMap { $0 >= tableStart ? $0 : nil }
    let count = header.colors(room: stated.map { $0 - tableStart })
    tableEnd = tableStart + count * header.bytesPerColor
    pixelOffset = stated ?? tableEnd
    let table = try bytes.part(at: tableStart, count: count * header.bytesPerColor)
    colors = stride(from: 0, to: table.count - header.bytesPerColor + 1, by: header.bytesPerColor).map {
      QOIPixel(table[$0 + 2], table[$0 + 1], table[$0], 255).word
    }
  }

  /// The colour profile; nil if there is none for colours, or only a part of it.
  func readProfile(limits: Limits) throws(ImageError) -> Data? {
    guard let place = header.profile else { return nil }
    try limits.check(metadataBytes: place.count, claimedBy: "BMP: the header")
    let profile = try bytes.part(at: start + place.offset, count: place.count)
    guard profile.count == place.count, profile.dropFirst(16).starts(with: "RGB ".utf8) else { return nil }
    return Data(profile)
  }

  /// The place of the profile in the bytes.
  var profileRange: Range<Int>? {
    header.profile.map { start + $0.offset..<start + $0.offset + $0.count }
  }

  /// Reads all rows in the order of the file; returns the damage that it found, or nil.
  func read(into rows: ImageRows, work: WorkContext) throws(ImageError) -> Wound? {
    switch header.compression {
    case .none, .fields:
      var reader = BMPRowReader(self, bytes)
      return try reader.read(into: rows)
    case .runs4, .runs8:
      var reader = BMPRunReader(self, bytes, work: work)
      return try reader.read(into: rows)
    }
  }

  /// The offset after the last pixel; nil when the pixels are incomplete.
  func pixelEnd(work: WorkContext) throws(ImageError) -> Int? {
    switch header.compression {
    case .none, .fields:
      let end = pixelOffset + header.bytesPerRow * header.size.height
      return end <= bytes.count ? end : nil
    case .runs4, .runs8:
      var reader = BMPRunReader(self, bytes, work: work)
      return try reader.end()
    }
  }
}
