import EaselCore
import FoundationEssentials
import Testing

@testable import EaselCoding

struct EXIFTests {
  /// A block with another entry before the orientation.
  private func block(isBigEndian: Bool, orientation: UInt16, type: UInt16 = 3, count: UInt32 = 1) -> Data {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: isBigEndian ? number.bigEndian : number.littleEndian) { Array($0) }
    }
    let head: [UInt8] = isBigEndian ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]
    let other = bytes(UInt16(0x010F)) + bytes(UInt16(2)) + bytes(UInt32(4)) + [65, 66, 67, 0]
    let entry = bytes(UInt16(0x0112)) + bytes(type) + bytes(count) + bytes(orientation) + [0, 0]
    return Data(head + bytes(UInt32(8)) + bytes(UInt16(2)) + other + entry + [0, 0, 0, 0])
  }

  @Test(arguments: [true, false], ImageMetadata.Orientation.allCases)
  func readsEveryOrientationInBothByteOrders(isBigEndian: Bool, orientation: ImageMetadata.Orientation) {
    let bytes = block(isBigEndian: isBigEndian, orientation: UInt16(orientation.rawValue))
    #expect(EXIF(bytes)?.orientation == orientation)
    #expect(EXIF(Data("Exif\0\0".utf8) + bytes)?.orientation == orientation)
    #expect(EXIF(bytes)?.stating(.left).orientation == .left)
    #expect(EXIF(orientation: orientation).orientation == orientation)
    #expect(EXIF(EXIF(orientation: orientation).bytes)?.orientation == orientation)
  }

  @Test func readsABlockThatIsAPartOfOtherBytes() {
    let bytes = (Data([1, 2, 3]) + block(isBigEndian: true, orientation: 6)).dropFirst(3)
    #expect(EXIF(bytes)?.orientation == .right)
  }

  @Test func whatIsNoOrientationIsNone() {
    #expect(EXIF(block(isBigEndian: true, orientation: 0))?.orientation == nil)
    #expect(EXIF(block(isBigEndian: true, orientation: 9))?.orientation == nil)
    #expect(EXIF(block(isBigEndian: false, orientation: 6, type: 4))?.orientation == nil)
    #expect(EXIF(block(isBigEndian: false, orientation: 6, count: 2))?.orientation == nil)
  }

  @Test func aBlockWithoutATIFFHeaderIsNone() {
    #expect(EXIF(Data()) == nil)
    #expect(EXIF(Data("Exif\0\0".utf8)) == nil)
    #expect(EXIF(Data("II*".utf8)) == nil)
  }

  @Test func everyCutAndEveryChangedByteIsRead() {
    for isBigEndian in [true, false] {
      let whole = block(isBigEndian: isBigEndian, orientation: 6)
      for length in 0..<whole.count {
        let cut = EXIF(whole.prefix(length))
        if length < 32 { #expect(cut?.orientation == nil) }
        #expect(cut?.stating(.up).bytes.count == cut?.bytes.count)
      }
      for place in whole.indices {
        for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
          var changed = whole
          changed[place] = value
          #expect(EXIF(changed)?.stating(.down).bytes.count ?? whole.count == whole.count)
        }
      }
    }
  }

  // MARK: Copyright

  /// A block with texts, each by its tag, and an orientation.
  private func block(isBigEndian: Bool, texts: [(tag: UInt16, text: String)]) -> Data {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: isBigEndian ? number.bigEndian : number.littleEndian) { Array($0) }
    }
    var offset = UInt32(8 + 2 + 12 * texts.count + 4)
    var entries: [UInt8] = []
    var values: [UInt8] = []
    for (tag, text) in texts {
      let value = Array(text.utf8) + [0]
      entries += bytes(tag) + bytes(UInt16(2)) + bytes(UInt32(value.count))
      if value.count <= 4 {
        entries += value + [UInt8](repeating: 0, count: 4 - value.count)
      } else {
        entries += bytes(offset)
        offset += UInt32(value.count)
        values += value
      }
    }
    let head: [UInt8] = isBigEndian ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]
    return Data(head + bytes(UInt32(8)) + bytes(UInt16(texts.count)) + entries + [0, 0, 0, 0] + values)
  }

  @Test(arguments: [true, false]) func onlyTheCopyrightAndTheArtistAreKept(_ isBigEndian: Bool) throws {
    let full = block(
      isBigEndian: isBigEndian,
      texts: [(0x010F, "a camera"), (0x013B, "Ada"), (0x8298, "2026 Ada Lovelace"), (0x9003, "2026:11:23 10:00:00")])
    let kept = try #require(EXIF(full)?.copyright(stating: .right))
    #expect(kept.orientation == .right)
    let expected = block(isBigEndian: true, texts: [(0x0112, ""), (0x013B, "Ada"), (0x8298, "2026 Ada Lovelace")])
    #expect(kept.bytes.count == expected.count && kept.bytes.suffix(18) == expected.suffix(18))
    let text = String(decoding: kept.bytes, as: UTF8.self)
    #expect(text.contains("Ada\0") && !text.contains("camera") && !text.contains("10:00"))
    // What was kept is kept again.
    #expect(kept.copyright(stating: .right)?.bytes == kept.bytes)
  }

  @Test func withoutAWholeNoticeThereIsNone() throws {
    #expect(EXIF(block(isBigEndian: true, texts: [(0x010F, "camera")]))?.copyright(stating: .up) == nil)
    #expect(EXIF(EXIF(orientation: .left).bytes)?.copyright(stating: .left) == nil)
    let whole = block(isBigEndian: false, texts: [(0x8298, "2026 Ada")])
    for count in 8..<whole.count {
      // A block that is cut anywhere has no whole text.
      #expect(EXIF(whole.prefix(count))?.copyright(stating: .up) == nil, "\(count)")
    }
    // A length that points beyond everything is no text.
    var lying = whole
    lying.replaceSubrange(14..<18, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(EXIF(lying)?.copyright(stating: .up) == nil)
    lying = whole
    lying.replaceSubrange(18..<22, with: [0xFF, 0xFF, 0xFF, 0x7F])
    #expect(EXIF(lying)?.copyright(stating: .up) == nil)
  }

  @Test func theOptionsSayWhatIsKept() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 1, height: 1))
    metadata.exif = block(isBigEndian: true, texts: [(0x010F, "camera"), (0x8298, "Ada")])
    metadata.xmp = Data("<x/>".utf8)
    metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 300)
    let nothing = KeptMetadata(metadata, EncodeOptions())
    #expect(nothing.exif == nil && nothing.xmp == nil && nothing.density == nil)
    let notice = KeptMetadata(metadata, EncodeOptions(keepsCopyright: true))
    #expect(notice.exif?.bytes.count == 38 && notice.xmp == nil && notice.density == nil)
    let all = KeptMetadata(metadata, EncodeOptions(keepsMetadata: true, keepsCopyright: true))
    #expect(all.exif?.bytes == metadata.exif && all.xmp != nil && all.density != nil)
    #expect(KeptMetadata(metadata, EncodeOptions(keepsMetadata: true), mostEXIFBytes: 9).exif == nil)
    metadata.orientation = .left
    #expect(KeptMetadata(metadata, EncodeOptions()).exif?.orientation == .left)
    #expect(KeptMetadata(metadata, EncodeOptions(keepsCopyright: true)).exif?.orientation == .left)
    #expect(KeptMetadata(metadata, EncodeOptions(keepsCopyright: true), mostEXIFBytes: 30).exif?.bytes.count == 26)
  }
}
