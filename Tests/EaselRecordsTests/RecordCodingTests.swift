import CEaselRecords
import EaselCore
import EaselRecords
import EaselTestSupport
import FoundationEssentials
import Testing

/// Records in the form in which the disk keeps them.
struct RecordCodingTests {
  private static let picture = CacheRecord.ImageProperties(
    of: Image(try! Bitmap(size: PixelSize(width: 2, height: 3), format: .rgba8), format: .png), hasFinishedPixels: true)

  private func record(picture: Bool = false, size: PixelSize? = nil) -> CacheRecord {
    CacheRecord(
      stored: Date(timeIntervalSinceReferenceDate: 1), generation: 2, mimeType: "image/webp",
      picture: picture ? Self.picture : nil, encodedSize: size)
  }

  private func decoded(_ bytes: [UInt8]) -> CacheRecord? {
    bytes.withUnsafeBytes { RecordCoding.decode($0, response: nil) }
  }

  /// Puts the checksum in front of a content.
  private func sealed(_ content: some Collection<UInt8>) -> [UInt8] {
    let content = Array(content)
    var writer = ByteWriter()
    writer.write(content.withUnsafeBytes { easel_record_checksum($0.baseAddress, $0.count, 0) })
    return writer.bytes + content
  }

  /// The bytes that announce a size.
  private func size(_ width: Int, _ height: Int, mark: UInt8 = 2) -> [UInt8] {
    [mark] + little(width) + little(height)
  }

  private func little(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

  @Test(arguments: [true, false], [nil, PixelSize(width: 1, height: 16_384), PixelSize(width: 640, height: 480)])
  func aRecordComesBackWithItsSize(picture: Bool, size: PixelSize?) {
    let record = record(picture: picture, size: size)
    #expect(decoded(RecordCoding.encode(record)) == record)
  }

  @Test func theSizeTakesNoByteOfOtherRecords() {
    let plain = RecordCoding.encode(record())
    // Two numbers, two optional parts and the type.
    #expect(plain.count == 8 + 16 + 2 + 1 + "image/webp".utf8.count)
    let sized = RecordCoding.encode(record(size: PixelSize(width: 3, height: 5)))
    #expect(Array(sized[8...]) == Array(plain[8...]) + size(3, 5))
    let pictured = RecordCoding.encode(record(picture: true))
    let both = RecordCoding.encode(record(picture: true, size: PixelSize(width: 3, height: 5)))
    #expect(Array(both[8...]) == Array(sized[8...]) + Array(pictured[plain.count...]))
  }

  @Test(arguments: [true, false], [nil, PixelSize(width: 3, height: 5)])
  func theDigestOfTheKeyComesBack(picture: Bool, size: PixelSize?) {
    var named = record(picture: picture, size: size)
    let plain = RecordCoding.encode(named)
    named.keyDigest = 0x0102_0304_0506_0708
    let bytes = RecordCoding.encode(named)
    #expect(bytes.count == plain.count + 9 && decoded(bytes) == named)
    #expect(RecordCoding.encode(named, isBesideItsKey: true) == plain)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      #expect(decoded(damaged) == nil)
    }
  }

  @Test func noDigestIsZero() {
    var record = record()
    let plain = Array(RecordCoding.encode(record)[8...])
    #expect(decoded(sealed(plain + [3] + little(0))) == nil)
    record.keyDigest = 0
    #expect(Array(RecordCoding.encode(record)[8...]) == plain)
  }

  @Test(arguments: [(0, 5), (5, 0), (-1, 5), (5, .min), (1 << 31, 1), (1, .max)])
  func anImpossibleSizeIsDamage(width: Int, height: Int) {
    let plain = Array(RecordCoding.encode(record())[8...])
    #expect(decoded(sealed(plain + size(width, height))) == nil)
    #expect(decoded(sealed(plain + size(7, 7)))?.encodedSize == PixelSize(width: 7, height: 7))
  }

  @Test func aSizeThatIsCutShortOrAnnouncedByAnotherByteIsDamage() {
    let plain = Array(RecordCoding.encode(record())[8...])
    let sized = size(7, 7)
    for end in 1..<sized.count { #expect(decoded(sealed(plain + sized.prefix(end))) == nil) }
    for mark in UInt8(3)...255 { #expect(decoded(sealed(plain + size(7, 7, mark: mark))) == nil) }
    #expect(decoded(sealed(plain + sized + sized)) == nil)
    let whole = RecordCoding.encode(record(picture: true, size: PixelSize(width: 3, height: 5)))
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x10
      #expect(decoded(damaged) == nil)
    }
  }
}
