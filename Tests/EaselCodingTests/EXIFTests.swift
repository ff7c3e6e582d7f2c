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

  @Test(arguments: [true, false], ImageOrientation.allCases)
  func readsEveryOrientationInBothByteOrders(isBigEndian: Bool, orientation: ImageOrientation) {
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
}
