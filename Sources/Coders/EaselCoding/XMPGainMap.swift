import EaselCore
import FoundationEssentials
import Glibc

/// The part of an XMP packet about a gain map.
///
/// This part has numbers that Adobe defined, and a directory of the pictures in the file that Google defined. No XML is
/// parsed: the packet is searched for names of properties, as attributes or as elements. Unusual prefixes are
/// understood if the packet declares them.
package struct XMPGainMap {
  private let bytes: [UInt8]

  private static let hdrSpace = "http://ns.adobe.com/hdr-gain-map/1.0/"
  private static let containerSpace = "http://ns.google.com/photos/1.0/container/"
  private static let itemSpace = "http://ns.google.com/photos/1.0/container/item/"
  /// The size of the longest packet that is read; a packet in one JPEG segment is never longer.
  private static let mostBytes = 64 << 10

  /// Takes a packet; returns nil for a packet that does not mention a gain map.
  package init?(_ packet: Data) {
    guard packet.count <= Self.mostBytes else { return nil }
    bytes = [UInt8](packet)
    guard bytes.firstRange(of: Self.hdrSpace) != nil else { return nil }
  }

  // MARK: Reading

  /// True if the packet says that the file has a gain map.
  package var claimsMap: Bool { values(of: "Version", in: Self.hdrSpace, "hdrgm") != nil }

  /// The numbers of the gain map; nil if a number is missing, malformed or out of range, or if the picture itself is of
  /// high range.
  package var formula: GainMap.Formula? {
    guard claimsMap, let greatest = number("GainMapMax", nil), let least = number("GainMapMin", 0),
      let gamma = number("Gamma", 1), let base = number("OffsetSDR", 1 / 64),
      let alternate = number("OffsetHDR", 1 / 64),
      let low = number("HDRCapacityMin", 0)?.x, let high = number("HDRCapacityMax", nil)?.x
    else { return nil }
    let isBaseHigh = values(of: "BaseRenditionIsHDR", in: Self.hdrSpace, "hdrgm")?.first?.lowercased() == "true"
    let formula = GainMap.Formula(
      leastGain: least, greatestGain: greatest, gamma: gamma, baseOffset: base, alternateOffset: alternate,
      baseHeadroom: low, alternateHeadroom: high)
    return formula.isValid && !isBaseHigh ? formula : nil
  }

  /// The number of bytes from the start of the gain map to the end of the file, from Google's directory.
  package var bytesFromEnd: Int? {
    let name = "\(prefix(of: Self.containerSpace) ?? "Container"):Item"
    let item = prefix(of: Self.itemSpace) ?? "Item"
    var starts: [Int] = []
    var place = 0
    while starts.count < 64, let found = bytes[place...].firstRange(of: "<" + name) {
      place = found.upperBound
      if place < bytes.count, !Self.isName(bytes[place]) { starts.append(found.lowerBound) }
    }
    var total: Int?
    for (index, start) in starts.enumerated() {
      let part = bytes[start..<(index + 1 < starts.count ? starts[index + 1] : bytes.count)]
      let isMap = Self.values(of: "\(item):Semantic", in: part)?.first == "GainMap"
      if isMap && total == nil { total = 0 }
      guard let sum = total else { continue }
      guard let length = Self.values(of: "\(item):Length", in: part)?.first.flatMap({ Int($0) }), length > 0 else {
        return nil
      }
      let (next, overflows) = sum.addingReportingOverflow(length)
      if overflows { return nil }
      total = next
    }
    return total
  }

  /// The value of a property for all channels; nil if it is malformed, or missing without a default.
  private func number(_ name: String, _ missing: Double?) -> SIMD3<Double>? {
    guard let values = values(of: name, in: Self.hdrSpace, "hdrgm") else { return missing.map { SIMD3(repeating: $0) } }
    let numbers = values.compactMap { Double($0) }
    guard numbers.count == values.count, numbers.allSatisfy(\.isFinite) else { return nil }
    switch numbers.count {
    case 1: return SIMD3(repeating: numbers[0])
    case 3: return SIMD3(numbers[0], numbers[1], numbers[2])
    default: return nil
    }
  }

  private func values(of name: String, in space: String, _ usual: String) -> [String]? {
    Self.values(of: "\(prefix(of: space) ?? usual):\(name)", in: bytes[...])
  }

  /// The values of the first property of this name: its attribute, its text, or the items of its list.
  private static func values(of name: String, in bytes: ArraySlice<UInt8>) -> [String]? {
    var place = bytes.startIndex
    // The limit keeps a packet fast that repeats a name again and again.
    for _ in 0..<16 {
      guard let found = bytes[place...].firstRange(of: name) else { return nil }
      place = found.upperBound
      guard found.lowerBound > bytes.startIndex, !isName(bytes[found.lowerBound - 1]),
        bytes[found.lowerBound - 1] != UInt8(ascii: "/")
      else { continue }
      if let value = attribute(in: bytes[place...]) { return [value] }
      if let values = content(of: name, in: bytes[place...]) { return values }
    }
    return nil
  }

  /// The text in quotes after an equals sign.
  private static func attribute(in bytes: ArraySlice<UInt8>) -> String? {
    let rest = bytes.drop(while: isBlank)
    guard rest.first == UInt8(ascii: "=") else { return nil }
    let quoted = rest.dropFirst().drop(while: isBlank)
    guard let quote = quoted.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    let text = quoted.dropFirst().prefix(mostValueBytes)
    guard let end = text.firstIndex(of: quote) else { return nil }
    return trimmed(text[..<end])
  }

  /// The text of an element, or of the items in it.
  private static func content(of name: String, in bytes: ArraySlice<UInt8>) -> [String]? {
    guard let open = bytes.drop(while: isBlank).first, open == UInt8(ascii: ">"),
      let start = bytes.firstIndex(of: open),
      let end = bytes[start...].prefix(mostValueBytes).firstRange(of: "</" + name)
    else { return nil }
    var rest = bytes[(start + 1)..<end.lowerBound]
    guard rest.firstRange(of: "<rdf:li") != nil else { return [trimmed(rest)] }
    var items: [String] = []
    while items.count < 4, let item = rest.firstRange(of: "<rdf:li"),
      let open = rest[item.upperBound...].firstIndex(of: UInt8(ascii: ">")),
      let close = rest[open...].firstRange(of: "</rdf:li")
    {
      items.append(trimmed(rest[(open + 1)..<close.lowerBound]))
      rest = rest[close.upperBound...]
    }
    return items
  }

  private static let mostValueBytes = 4096

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    var rest = bytes.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
    return String(decoding: rest, as: UTF8.self)
  }

  /// The prefix that the packet declares for a namespace: `xmlns:PREFIX="..."`.
  private func prefix(of space: String) -> String? {
    for quote in ["\"", "'"] {
      guard let found = bytes.firstRange(of: quote + space + quote) else { continue }
      var end = found.lowerBound
      while end > 0, Self.isBlank(bytes[end - 1]) || bytes[end - 1] == UInt8(ascii: "=") { end -= 1 }
      var start = end
      while start > 0, end - start < 64, Self.isName(bytes[start - 1]), bytes[start - 1] != UInt8(ascii: ":") {
        start -= 1
      }
      guard start < end, start > 0, bytes[start - 1] == UInt8(ascii: ":") else { continue }
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// True for the bytes of a name with its prefix.
  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"),
      UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }
}

// MARK: Writing

extension XMPGainMap {
  /// The packet of a gain map's own picture.
  package static func packet(of formula: GainMap.Formula) -> Data {
    let rows: [(String, SIMD3<Double>)] = [
      ("GainMapMin", formula.leastGain), ("GainMapMax", formula.greatestGain), ("Gamma", formula.gamma),
      ("OffsetSDR", formula.baseOffset), ("OffsetHDR", formula.alternateOffset),
    ]
    var attributes =
      #"hdrgm:Version="1.0" hdrgm:BaseRenditionIsHDR="False" hdrgm:HDRCapacityMin="\#(formula.baseHeadroom)" "#
      + #"hdrgm:HDRCapacityMax="\#(formula.alternateHeadroom)""#
    var elements = ""
    for (name, row) in rows {
      if row.x == row.y && row.y == row.z {
        attributes += #" hdrgm:\#(name)="\#(row.x)""#
      } else {
        let items = [row.x, row.y, row.z].map { "<rdf:li>\($0)</rdf:li>" }.joined()
        elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
      }
    }
    return whole(
      #"<rdf:Description rdf:about="" xmlns:hdrgm="\#(hdrSpace)" \#(attributes)>\#(elements)</rdf:Description>"#)
  }

  /// A packet that announces a gain map of `mapBytes` bytes, joined with the content of `other`.
  package static func packet(announcing mapBytes: Int, in other: Data?) -> Data {
    let claim =
      #"<rdf:Description rdf:about="" xmlns:hdrgm="\#(hdrSpace)" xmlns:Container="\#(containerSpace)" "#
      + #"xmlns:Item="\#(itemSpace)" hdrgm:Version="1.0"><Container:Directory><rdf:Seq>"#
      + #"<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>"#
      + #"<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" "#
      + #"Item:Length="\#(mapBytes)"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description>"#
    guard let other else { return whole(claim) }
    var bytes = [UInt8](withoutClaim(other))
    guard let end = bytes.lastRange(of: "</rdf:RDF>") else { return whole(claim) }
    bytes.insert(contentsOf: claim.utf8, at: end.lowerBound)
    let joined = Data(bytes)
    // Other prefixes in the packet could hide the claim.
    let isRead = XMPGainMap(joined).map { $0.claimsMap && $0.bytesFromEnd == mapBytes } ?? false
    return isRead ? joined : whole(claim)
  }

  /// The packet without the claim that pictures follow the first picture.
  package static func withoutClaim(_ packet: Data) -> Data {
    guard let map = XMPGainMap(packet) else { return packet }
    var bytes = map.bytes
    let container = map.prefix(of: containerSpace) ?? "Container"
    remove(from: "<\(container):Directory", through: "</\(container):Directory>", of: &bytes)
    let version = "\(map.prefix(of: hdrSpace) ?? "hdrgm"):Version"
    remove(from: "<\(version)", through: "</\(version)>", of: &bytes)
    // The property may be an attribute, in quotes of either kind.
    for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] {
      guard let found = bytes.firstRange(of: version), !bytes[..<found.lowerBound].isEmpty,
        isBlank(bytes[found.lowerBound - 1])
      else { continue }
      let value = bytes[found.upperBound...].drop { isBlank($0) || $0 == UInt8(ascii: "=") }
      guard value.first == quote, let end = value.dropFirst().prefix(64).firstIndex(of: quote) else { continue }
      bytes.removeSubrange(found.lowerBound...end)
    }
    return Data(bytes)
  }

  private static func remove(from start: String, through end: String, of bytes: inout [UInt8]) {
    guard let first = bytes.firstRange(of: start), let last = bytes[first.upperBound...].firstRange(of: end) else {
      return
    }
    bytes.removeSubrange(first.lowerBound..<last.upperBound)
  }

  private static func whole(_ content: String) -> Data {
    Data(
      (#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#
        + content + "</rdf:RDF></x:xmpmeta>").utf8)
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// The first place of a text.
  fileprivate func firstRange(of text: String) -> Range<Int>? { firstRange(ofBytes: Array(text.utf8)) }

  /// The first place of some bytes.
  ///
  /// The bytes of this collection are contiguous.
  func firstRange(ofBytes wanted: [UInt8]) -> Range<Int>? {
    guard let first = wanted.first else { return nil }
    let found = withContiguousStorageIfAvailable { bytes -> Int? in
      var place = 0
      while let base = bytes.baseAddress, bytes.count - place >= wanted.count {
        let room = bytes.count - place - wanted.count + 1
        guard let start = memchr(base + place, Int32(first), room) else { return nil }
        if memcmp(start, wanted, wanted.count) == 0 { return UnsafeRawPointer(start) - UnsafeRawPointer(base) }
        place = UnsafeRawPointer(start) - UnsafeRawPointer(base) + 1
      }
      return nil
    }
    return (found ?? nil).map { startIndex + $0..<startIndex + $0 + wanted.count }
  }

  /// The last place of a text.
  fileprivate func lastRange(of text: String) -> Range<Int>? {
    let wanted = Array(text.utf8)
    guard !wanted.isEmpty, count >= wanted.count else { return nil }
    for start in (startIndex...(endIndex - wanted.count)).reversed() where matches(wanted, at: start) {
      return start..<start + wanted.count
    }
    return nil
  }

  private func matches(_ text: [UInt8], at start: Int) -> Bool {
    for index in text.indices where self[start + index] != text[index] { return false }
    return true
  }
}
