import EaselCore
import FoundationEssentials
import Testing

@testable import EaselCoding

struct XMPTests {
  static let usual = "xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\""

  static let packets: [(String, ImageMetadata.Orientation?)] = [
    ("<rdf:Description \(usual) tiff:Orientation=\"6\"/>", .right),
    ("<rdf:Description \(usual)><tiff:Orientation>6</tiff:Orientation></rdf:Description>", .right),
    ("<rdf:Description tiff:Orientation='3' \(usual)/>", .down),
    ("<rdf:Description \(usual)\n\ttiff:Orientation = \" 8 \"\n/>", .left),
    ("<d \(usual)><tiff:Orientation >\n 2\n</tiff:Orientation></d>", .upMirrored),
    ("<d xmlns:T = 'http://ns.adobe.com/tiff/1.0/' T:Orientation='5'/>", .leftMirrored),
    ("<d xmlns:T='http://ns.adobe.com/tiff/1.0/'><T:Orientation>7</T:Orientation></d>", .rightMirrored),
    // Properties of another namespace, or without a valid value.
    ("<d xmlns:T='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='5'/>", nil),
    ("<d \(usual) xtiff:Orientation=\"6\" tiff:OrientationX=\"6\"/>", nil),
    ("<d \(usual) tiff:Orientation=\"0\"/>", nil), ("<d \(usual) tiff:Orientation=\"9\"/>", nil),
    ("<d \(usual) tiff:Orientation=\"66\"/>", nil), ("<d \(usual) tiff:Orientation=\"\"/>", nil),
    ("<d \(usual)><tiff:Orientation>6", nil), ("<d \(usual) tiff:Orientation", nil), ("", nil),
    ("tiff:Orientation=\"6\"", nil), ("<d/>", nil),
    // The first valid value counts.
    ("<d \(usual) tiff:Orientation=\"x\"><tiff:Orientation>4</tiff:Orientation></d>", .downMirrored),
  ]

  @Test(arguments: packets)
  func theOrientationIsReadInBothForms(packet: String, orientation: ImageMetadata.Orientation?) {
    #expect(XMP(Data(packet.utf8)).orientation == orientation, "\(packet)")
    #expect(XMP((Data([1, 2, 3]) + Data(packet.utf8)).dropFirst(3)).orientation == orientation)
  }

  @Test(arguments: packets, ImageMetadata.Orientation.allCases)
  func anotherOrientationIsStatedWhereThereIsOne(
    packet: (String, ImageMetadata.Orientation?), wanted: ImageMetadata.Orientation
  ) {
    let changed = XMP(Data(packet.0.utf8)).stating(wanted)
    let expected = packet.1 == nil ? nil : wanted
    #expect(changed.orientation == expected && XMP(changed.bytes).orientation == expected)
    #expect(changed.bytes.count == packet.0.utf8.count)
    if packet.1 == nil { #expect(changed.bytes == Data(packet.0.utf8)) }
  }

  @Test func everyCutAndEveryChangedByteIsRead() {
    for (packet, _) in Self.packets.prefix(7) {
      let whole = Data(packet.utf8)
      for length in 0..<whole.count { #expect(XMP(whole.prefix(length)).stating(.up).bytes.count == length) }
      for place in whole.indices {
        for value: UInt8 in [0, 0x20, 0x22, 0x3A, 0x3C, 0x3D, 0xFF] {
          var changed = whole
          changed[place] = value
          #expect(XMP(changed).stating(.down).bytes.count == whole.count)
        }
      }
    }
  }
}
