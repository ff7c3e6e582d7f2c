import EaselCore
import FoundationEssentials

/// An XMP packet, of which only the orientation is read.
///
/// No XML is parsed: the packet is searched for the property's name, as an attribute or as an element.
public struct XMP: Sendable {
  /// The bytes of the packet in its file.
  public private(set) var bytes: Data
  /// The orientation in the packet, nil if missing or invalid.
  public let orientation: ImageMetadata.Orientation?
  /// The offset of the orientation's digit in the packet.
  private let place: Int?

  /// Takes the bytes of a packet.
  public init(_ bytes: Data) {
    self.bytes = bytes
    place = bytes.withUnsafeBytes { Self.place(in: $0) }
    orientation = place.flatMap { place in
      ImageMetadata.Orientation(rawValue: Int(bytes[bytes.startIndex + place]) - Int(UInt8(ascii: "0")))
    }
  }

  private init(_ bytes: Data, orientation: ImageMetadata.Orientation, at place: Int) {
    self.bytes = bytes
    self.orientation = orientation
    self.place = place
  }

  /// Returns this packet with another orientation; a packet without an orientation stays as it is.
  public func stating(_ orientation: ImageMetadata.Orientation) -> XMP {
    guard let place else { return self }
    var changed = bytes
    changed[changed.startIndex + place] = UInt8(ascii: "0") + UInt8(orientation.rawValue)
    return XMP(changed, orientation: orientation, at: place)
  }

  // MARK: Finding the orientation

  private static let namespace = Array("http://ns.adobe.com/tiff/1.0/".utf8)

  private static func place(in bytes: UnsafeRawBufferPointer) -> Int? {
    let name = prefix(in: bytes) + Array(":Orientation".utf8)
    var start = 0
    while let found = find(name, in: bytes, from: start) {
      start = found + name.count
      // A longer name may end with this name.
      guard found > 0, isDelimiter(bytes[found - 1]), let place = value(in: bytes, after: start) else { continue }
      return place
    }
    return nil
  }

  /// The packet's prefix for the TIFF namespace, nearly always "tiff".
  private static func prefix(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let usual = Array("tiff".utf8)
    guard let found = find(namespace, in: bytes, from: 0) else { return usual }
    // xmlns:PREFIX="...
    var end = found - 1
    guard end > 0, bytes[end] == UInt8(ascii: "\"") || bytes[end] == UInt8(ascii: "'") else { return usual }
    while end > 0, isBlank(bytes[end - 1]) || bytes[end - 1] == UInt8(ascii: "=") { end -= 1 }
    var start = end
    while start > 0, end - start < 64, bytes[start - 1] != UInt8(ascii: ":"), !isDelimiter(bytes[start - 1]) {
      start -= 1
    }
    guard start < end, start > 0, bytes[start - 1] == UInt8(ascii: ":") else { return usual }
    return Array(bytes[start..<end])
  }

  /// The offset of the digit of a one-digit value, in quotes after an equals sign or between two tags.
  private static func value(in bytes: UnsafeRawBufferPointer, after name: Int) -> Int? {
    var place = name
    func skipBlanks() { while place < bytes.count, isBlank(bytes[place]) { place += 1 } }
    func take(_ isWanted: (UInt8) -> Bool) -> Bool {
      guard place < bytes.count, isWanted(bytes[place]) else { return false }
      place += 1
      return true
    }
    let isQuote = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
    skipBlanks()
    let isAttribute = take { $0 == UInt8(ascii: "=") }
    if isAttribute { skipBlanks() }
    guard take({ isAttribute ? isQuote($0) : $0 == UInt8(ascii: ">") }) else { return nil }
    skipBlanks()
    let digit = place
    guard take({ (UInt8(ascii: "1")...UInt8(ascii: "8")).contains($0) }) else { return nil }
    skipBlanks()
    return take { isAttribute ? isQuote($0) : $0 == UInt8(ascii: "<") } ? digit : nil
  }

  private static func find(_ text: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    bytes.assumingMemoryBound(to: UInt8.self)[min(start, bytes.count)...].firstRange(ofBytes: text)?.lowerBound
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  private static func isDelimiter(_ byte: UInt8) -> Bool { isBlank(byte) || byte == UInt8(ascii: "<") }
}
