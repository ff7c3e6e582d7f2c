import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselCoding

/// The numbers of gain maps in their two written forms.
struct GainMapFormulaTests {
  private static let usual = GainMap.Formula(greatestGain: SIMD3(repeating: 2.5), alternateHeadroom: 2.5)
  private static let colored = GainMap.Formula(
    leastGain: SIMD3(-0.25, 0, 0.125), greatestGain: SIMD3(1.5, 2, 3), gamma: SIMD3(0.5, 1, 2),
    baseOffset: SIMD3(0.015625, 0.5, -0.25), alternateOffset: SIMD3(0, 0.25, 1), baseHeadroom: 0.5,
    alternateHeadroom: 3,
    usesBaseColors: false)

  @Test(arguments: [usual, colored]) func theBinaryFormIsReadBack(formula: GainMap.Formula) throws {
    let bytes = formula.iso21496
    #expect(GainMap.Formula(iso21496: bytes) == formula)
    for count in 0..<bytes.count { #expect(GainMap.Formula(iso21496: bytes.prefix(count)) == nil) }
    #expect(GainMap.Formula(iso21496: bytes + [1, 2, 3]) == formula)
  }

  @Test func aCommonDenominatorIsUnderstood() throws {
    let words: [Int32] = [64, 0, 128, -64, 128, 64, 1, 2]
    var bytes: [UInt8] = [0, 0, 0, 7, 0x48]
    for word in words { bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    let formula = try #require(GainMap.Formula(iso21496: bytes))
    #expect(formula.leastGain == SIMD3(repeating: -1) && formula.greatestGain == SIMD3(repeating: 2))
    #expect(formula.gamma == .one && formula.baseOffset == SIMD3(repeating: 1 / 64))
    #expect(formula.alternateOffset == SIMD3(repeating: 2 / 64) && formula.alternateHeadroom == 2)
    #expect(formula.usesBaseColors)
  }

  @Test func laterVersionsAndZeroDenominatorsAreRefused() {
    var bytes = Self.usual.iso21496
    bytes[1] = 1
    #expect(GainMap.Formula(iso21496: bytes) == nil)
    bytes = Self.usual.iso21496
    bytes.replaceSubrange(9..<13, with: [0, 0, 0, 0])
    #expect(GainMap.Formula(iso21496: bytes) == nil)
  }

  @Test func numbersThatNoDisplayHasAreInvalid() {
    #expect(Self.usual.isValid && Self.colored.isValid)
    let changes: [(inout GainMap.Formula) -> Void] = [
      { $0.gamma.y = 0 }, { $0.gamma.z = -1 }, { $0.gamma.x = .nan }, { $0.gamma.x = 1e9 }, { $0.leastGain.x = 2.6 },
      { $0.greatestGain.z = 17 }, { $0.greatestGain.x = .infinity }, { $0.leastGain.y = .nan },
      { $0.baseOffset.y = .nan }, { $0.alternateOffset.x = 1e6 }, { $0.baseHeadroom = -1 },
      { $0.alternateHeadroom = 17 }, { $0.alternateHeadroom = .nan }, { $0.alternateHeadroom = 0 },
    ]
    for change in changes {
      var formula = Self.usual
      change(&formula)
      #expect(!formula.isValid, "\(formula)")
    }
  }

  @Test func theNeutralValueIsWhereTheGainIsOne() {
    #expect(Self.usual.neutralValue == .zero)
    let value = GainMap.Formula(
      leastGain: SIMD3(-1, 1, -2), greatestGain: SIMD3(3, 2, -1), gamma: SIMD3(2, 1, 1), alternateHeadroom: 3
    ).neutralValue
    #expect(value == SIMD3(0.0625, 0, 1))
  }

  // MARK: XMP

  private func map(_ description: String) -> XMPGainMap? {
    XMPGainMap(
      Data(
        "<x:xmpmeta><rdf:RDF><rdf:Description xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" \(description)".utf8
      ))
  }

  @Test(arguments: [usual, colored]) func thePacketIsReadBack(formula: GainMap.Formula) throws {
    var expected = formula
    // XMP cannot say in whose primaries the gains are.
    expected.usesBaseColors = true
    #expect(XMPGainMap(XMPGainMap.packet(of: formula))?.formula == expected)
  }

  @Test func missingNumbersHaveTheirDefaults() throws {
    let read = try #require(map("hdrgm:Version='1.0' hdrgm:GainMapMax=' 3 ' hdrgm:HDRCapacityMax = \"2\"/>")?.formula)
    #expect(read == GainMap.Formula(greatestGain: SIMD3(repeating: 3), alternateHeadroom: 2))
  }

  @Test func elementsAndListsAreRead() throws {
    let read = try #require(
      map(
        """
        ><hdrgm:Version>1.0</hdrgm:Version><hdrgm:HDRCapacityMax>2</hdrgm:HDRCapacityMax>
        <hdrgm:GainMapMax><rdf:Seq> <rdf:li>1</rdf:li><rdf:li> 2 </rdf:li>
        <rdf:li>3.5</rdf:li></rdf:Seq></hdrgm:GainMapMax></rdf:Description>
        """)?.formula)
    #expect(read.greatestGain == SIMD3(1, 2, 3.5) && read.alternateHeadroom == 2)
  }

  @Test func anotherPrefixIsUnderstood() throws {
    let packet = String(decoding: XMPGainMap.packet(of: Self.colored), as: UTF8.self)
      .split(separator: "hdrgm").joined(separator: "g")
    #expect(XMPGainMap(Data(packet.utf8))?.formula?.greatestGain == Self.colored.greatestGain)
  }

  @Test(arguments: [
    "hdrgm:GainMapMax='1' hdrgm:HDRCapacityMax='1'", "hdrgm:Version='1.0' hdrgm:HDRCapacityMax='1'",
    "hdrgm:Version='1.0' hdrgm:GainMapMax='1'", "hdrgm:Version='1.0' hdrgm:GainMapMax='x' hdrgm:HDRCapacityMax='1'",
    "hdrgm:Version='1.0' hdrgm:GainMapMax='nan' hdrgm:HDRCapacityMax='1'",
    "hdrgm:Version='1.0' hdrgm:GainMapMax='1' hdrgm:HDRCapacityMax='1' hdrgm:Gamma='0'",
    "hdrgm:Version='1.0' hdrgm:GainMapMax='1' hdrgm:HDRCapacityMax='1' hdrgm:GainMapMin='2'",
    "hdrgm:Version='1.0' hdrgm:GainMapMax='1' hdrgm:HDRCapacityMax='1' hdrgm:BaseRenditionIsHDR='True'",
    "hdrgm:Version='1.0' hdrgm:GainMapMax='1' hdrgm:HDRCapacityMax='1e400'",
    "hdrgm:Version='1.0' hdrgm:GainMapMax='1", "hdrgm:Version='1.0' hdrgm:GainMapMax=", "hdrgm:GainMapMax",
    "hdrgm:Version='1.0' hdrgm:HDRCapacityMax='1'><hdrgm:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li>",
    "hdrgm:Version='1.0' hdrgm:HDRCapacityMax='1'><hdrgm:GainMapMax><rdf:li>1</rdf:li><rdf:li>2</rdf:li></hdrgm:G>",
  ])
  func wrongNumbersAreRefused(description: String) { #expect(map(description)?.formula == nil) }

  @Test func thePlaceOfTheMapIsCountedFromTheEnd() {
    let packet = XMPGainMap.packet(announcing: 4711, in: nil)
    #expect(XMPGainMap(packet)?.claimsMap == true && XMPGainMap(packet)?.bytesFromEnd == 4711)
    let item = { (meaning: String, length: String) in
      "<Container:Item rdf:parseType='Resource'><Item:Semantic>\(meaning)</Item:Semantic>"
        + "<Item:Length>\(length)</Item:Length></Container:Item>"
    }
    #expect(map(item("Primary", "0") + item("GainMap", "10") + item("MotionPhoto", "7"))?.bytesFromEnd == 17)
    for length in ["0", "-1", "x", "99999999999999999999"] {
      #expect(map(item("Primary", "0") + item("GainMap", length))?.bytesFromEnd == nil)
    }
    #expect(map(item("GainMap", "9223372036854775807") + item("Other", "9223372036854775807"))?.bytesFromEnd == nil)
    #expect(map(item("Primary", "5"))?.bytesFromEnd == nil)
  }

  @Test func otherContentOfAPacketIsKept() throws {
    let other = Data("<x:xmpmeta><rdf:RDF><rdf:Description dc:title='Seine'/></rdf:RDF></x:xmpmeta>".utf8)
    let announced = XMPGainMap.packet(announcing: 12, in: other)
    let twice = XMPGainMap.packet(announcing: 3456, in: announced)
    let text = String(decoding: twice, as: UTF8.self)
    #expect(XMPGainMap(twice)?.bytesFromEnd == 3456)
    #expect(text.contains("dc:title='Seine'") && text.hasSuffix("</rdf:RDF></x:xmpmeta>"))
    #expect(!text.contains("\"12\""))
    let plain = XMPGainMap.withoutClaim(twice)
    #expect(XMPGainMap(plain)?.claimsMap != true && XMPGainMap(plain)?.bytesFromEnd == nil)
    #expect(String(decoding: plain, as: UTF8.self).contains("dc:title='Seine'"))
    #expect(XMPGainMap.withoutClaim(other) == other)
    #expect(XMPGainMap(XMPGainMap.packet(announcing: 5, in: Data("no packet".utf8)))?.bytesFromEnd == 5)
  }

  @Test func noPacketDoesHarm() {
    var random = SeededRandom(seed: 3)
    let packets = [XMPGainMap.packet(of: Self.colored), XMPGainMap.packet(announcing: 99, in: nil)]
    for round in 0..<400 {
      var bytes = [UInt8](packets[round % 2])
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch round % 3 {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 9))
        default: bytes.insert(contentsOf: "<hdrgm:Gamma>='\"".utf8, at: place)
        }
      }
      let map = XMPGainMap(Data(bytes))
      #expect(map?.formula?.isValid ?? true)
      #expect(map?.bytesFromEnd ?? 1 > 0)
      #expect(XMPGainMap(XMPGainMap.packet(announcing: 5, in: Data(bytes)))?.claimsMap ?? true)
    }
    #expect(XMPGainMap(Data(repeating: 32, count: 1 << 20)) == nil)
  }
}
