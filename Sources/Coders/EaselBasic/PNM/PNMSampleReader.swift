import CEaselPixels
import EaselCore

/// Reads the samples of a PNM row by row.
struct PNMSampleReader {
  private(set) var reader: ByteReader
  /// The number of bytes in comments between plain numbers.
  private(set) var commentBytes = 0
  /// True if nothing follows the last number, so that the end of the file may have cut this number.
  private(set) var endsInNumber = false

  private let header: PNMHeader
  private let work: WorkContext
  private var packed: [UInt8]
  private var steps = 0

  init(_ header: PNMHeader, _ reader: ByteReader, work: WorkContext) {
    self.header = header
    self.reader = reader
    self.work = work
    switch header.raster {
    case .plainBits, .plainNumbers: packed = []
    case .bits: packed = [UInt8](repeating: 0, count: (header.size.width + 7) / 8)
    case .bytes: packed = [UInt8](repeating: 0, count: header.samplesPerRow * header.bytesPerSample)
    }
  }

  /// Reads the samples of the next row; returns a description of damage, or nil without damage.
  mutating func read(into row: inout [UInt16]) throws(ImageError) -> String? {
    switch header.raster {
    case .plainBits: return try readPlain(&row, isBits: true)
    case .plainNumbers: return try readPlain(&row, isBits: false)
    case .bits:
      guard try readPacked() else { return Self.short }
      for x in row.indices { row[x] = UInt16(~packed[x >> 3] >> (7 - UInt8(x & 7)) & 1) }
    case .bytes:
      guard try readPacked() else { return Self.short }
      if header.isWide {
        for x in row.indices { row[x] = UInt16(packed[2 * x]) << 8 | UInt16(packed[2 * x + 1]) }
      } else {
        for x in row.indices { row[x] = UInt16(packed[x]) }
      }
    }
    return nil
  }

  /// True if samples are bytes from 0 to 255, from which pixels are made without a table.
  var hasPlainBytes: Bool { header.raster == .bytes && header.most == 255 && header.channels != 2 }

  /// Reads all rows of plain bytes; returns a description of damage, or nil without damage.
  mutating func readBytes(into rows: ImageRows) throws(ImageError) -> String? {
    var (reader, damage): (PNMSampleReader, String?) = (self, nil)
    defer { self = reader }
    while !rows.isComplete {
      let isWhole = try rows.push { (target) throws(ImageError) in
        damage = try reader.readBytes(into: target)
        return damage == nil
      }
      if !isWhole, let damage { return "\(damage), in row \(rows.count)" }
    }
    return nil
  }

  /// Writes the next row of plain bytes as RGBA; returns a description of damage, or nil without damage.
  mutating func readBytes(into row: UnsafeMutableRawBufferPointer) throws(ImageError) -> String? {
    guard try readPacked() else { return Self.short }
    let width = header.size.width
    packed.withUnsafeBytes { source in
      switch header.channels {
      case 1: easel_gray8_to_rgba8(source.baseAddress, 0, row.baseAddress, 0, width, 1)
      case 3: easel_rgb8_to_rgba8(false, source.baseAddress, 0, row.baseAddress, 0, width, 1)
      default: row.copyMemory(from: source)
      }
    }
    return nil
  }

  /// Skips blanks.
  mutating func skipBlanks() throws(ImageError) {
    while let byte = try reader.peek(), byte.isPNMBlank {
      try step()
      _ = try reader.next()
    }
  }

  private static let short = "the file ends before its last row"

  private mutating func readPacked() throws(ImageError) -> Bool {
    var reader = reader
    let result = packed.withUnsafeMutableBytes { bytes in
      Result<Int, ImageError> { () throws(ImageError) in try reader.read(into: bytes) }
    }
    self.reader = reader
    return try result.get() == packed.count
  }

  private mutating func readPlain(_ row: inout [UInt16], isBits: Bool) throws(ImageError) -> String? {
    for x in row.indices {
      guard let first = try readFirstDigit() else {
        return try reader.peek() == nil ? Self.short : "a sample is not a number"
      }
      guard !isBits else {
        guard first <= 1 else { return "a bit is neither 0 nor 1" }
        row[x] = UInt16(1 - first)
        endsInNumber = try reader.peek() == nil
        continue
      }
      var value = first
      while let digit = try reader.peek()?.digit {
        try step()
        _ = try reader.next()
        value = value * 10 + digit
        guard value <= header.most else { break }
      }
      guard value <= header.most else { return "a sample is over the highest value of \(header.most)" }
      row[x] = UInt16(value)
      endsInNumber = try reader.peek() == nil
    }
    return nil
  }

  /// The first digit after blanks and comments; nil if something else follows.
  private mutating func readFirstDigit() throws(ImageError) -> Int? {
    while let byte = try reader.peek() {
      try step()
      if let digit = byte.digit {
        _ = try reader.next()
        return digit
      }
      guard byte.isPNMBlank || byte == UInt8(ascii: "#") else { return nil }
      _ = try reader.next()
      if byte == UInt8(ascii: "#") { try skipComment() }
    }
    return nil
  }

  private mutating func skipComment() throws(ImageError) {
    commentBytes += 1
    while let byte = try reader.next() {
      try step()
      commentBytes += 1
      if byte == UInt8(ascii: "\n") { return }
      if byte == UInt8(ascii: "\r"), try reader.peek() != UInt8(ascii: "\n") { return }
    }
  }

  /// Counts a step of work, because blanks and comments between numbers take time without giving rows.
  private mutating func step() throws(ImageError) {
    steps += 1
    guard steps % 65_536 == 0 else { return }
    try work.checkCancellation()
  }
}
