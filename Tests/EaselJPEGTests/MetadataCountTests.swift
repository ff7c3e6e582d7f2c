import EaselCore
import EaselTestPixels
import Testing

@testable import EaselJPEG

/// The bytes that belong neither to the picture nor to its colour profile.
struct MetadataCountTests {
  private func count(_ bytes: [UInt8], work: WorkContext = WorkContext()) throws -> Int? {
    try MetadataCount.of(bytes, by: JPEGCoder(), work: work)
  }

  private func file(_ change: (inout EncodeOptions) -> Void = { _ in }) throws -> [UInt8] {
    try Pictures.array(Pictures.file(Image(Pictures.corners(40, 30)), change))
  }

  /// The count for a picture with segments after its first marker.
  private func count(with segments: [UInt8]...) throws -> Int? {
    try count(Pictures.array(Pictures.inserting(segments, into: ImageBytes(file()))))
  }

  private func segment(_ marker: UInt8, _ name: String, _ count: Int) -> [UInt8] {
    Pictures.segment(marker, Array(name.utf8) + [UInt8](repeating: 7, count: count))
  }

  private func piece(_ number: Int, of total: Int, _ count: Int = 50) -> [UInt8] {
    Pictures.segment(
      0xE2, JPEGProfilePieces.marker + [UInt8(number), UInt8(total)] + [UInt8](repeating: 0xFF, count: count))
  }

  @Test func theSegmentsOfAPictureAreNoMetadata() throws {
    #expect(try count(file()) == 0)
    #expect(try count(file { $0.progressive = true }) == 0)
    #expect(try count(Pictures.array(Pictures.file(Image(Bitmap.waves(900, 700))) { $0.quality = 0.95 })) == 0)
    #expect(try count(with: piece(1, of: 1)) == 0)
    #expect(try count(with: piece(2, of: 2), piece(1, of: 2, 65_000)) == 0)
    #expect(try count(with: segment(0xEE, "Adobe", 7)) == 0)
    #expect(try count(with: Pictures.segment(0xDD, [0, 0])) == 0)
    // Fill bytes before a marker say nothing.
    #expect(try count(with: [0xFF, 0xFF, 0xFF]) == 0)
  }

  @Test func everyOtherSegmentIsMetadata() throws {
    for marker in Array(UInt8(0xE1)...0xEF) + [0xFE] {
      #expect(try count(with: segment(marker, "", 0)) == 4)
      #expect(try count(with: segment(marker, "Exif\0\0", 30), segment(marker, "", 65_533)) == 40 + 65_537)
    }
    #expect(try count(with: segment(0xE0, "JFXX\0", 20)) == 29)
  }

  @Test func segmentsBetweenScansAndAfterThemAreFound() throws {
    let file = try file { $0.progressive = true }
    let starts = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
    #expect(starts.count > 3)
    for start in starts.dropFirst() + [file.count - 2] {
      #expect(try count(parts: Array(file[..<start]), segment(0xE1, "Exif\0\0", 9), Array(file[start...])) == 19)
      #expect(try count(parts: Array(file[..<start]), piece(1, of: 1), Array(file[start...])) == 68)
    }
  }

  @Test func bytesWhereNoReaderLooksAreMetadata() throws {
    // Bytes between segments, and markers without a meaning there.
    #expect(try count(with: segment(0xFE, "", 0), [1, 2, 3]) == 7)
    #expect(try count(with: [0xFF, 0, 9, 0xFF, 0xFF, 0]) == 6)
    #expect(try count(with: [0xFF, 0xD3], [0xFF, 0x01]) == 4)
    // Thumbnails, and whatever else makes a known segment longer.
    let file = try file()
    #expect(Array(file[2..<6]) == [0xFF, 0xE0, 0, 16])
    let thumbnail = [2, 2] + [UInt8](repeating: 9, count: 12)
    #expect(try count(parts: Array(file[..<4]), [0, 28], Array(file[6..<18]), thumbnail, Array(file[20...])) == 12)
    #expect(try count(with: Array(file[2..<20])) == 18)
    #expect(try count(with: segment(0xEE, "Adobe", 20)) == 13)
    #expect(try count(with: segment(0xEE, "Adobe", 7), segment(0xEE, "Adobe", 7)) == 16)
    // Pieces that make no profile.
    #expect(try count(with: piece(1, of: 2)) == 68)
    #expect(try count(with: piece(1, of: 1), piece(1, of: 1)) == 68)
    #expect(try count(with: piece(1, of: 1), piece(2, of: 2)) == 68)
    #expect(try count(with: piece(0, of: 0)) == 68)
    // A video that a phone appended, or another picture.
    #expect(try count(file + Array("ftypmp42".utf8)) == 8)
    #expect(try count(file + file) == file.count)
    #expect(try count(file + [UInt8](repeating: 0, count: 300_000)) == 300_000)
  }

  @Test func whatIsNotUnderstoodIsNotCounted() throws {
    let file = try file()
    for marker: UInt8 in [0xC3, 0xC5, 0xC8, 0xCD, 0xDC, 0xDE, 0xDF, 0xF0, 0x02, 0xBF] {
      #expect(try count(with: segment(marker, "", 4)) == nil)
    }
    #expect(try count(with: [0xFF, 0xD8]) == nil)
    #expect(try count(with: [0xFF, 0xE1, 0, 1]) == nil)
    // Tables with bytes that belong to no table.
    #expect(try count(with: segment(0xDB, "", 66)) == nil)
    #expect(try count(with: segment(0xC4, "", 18)) == nil)
    #expect(try count(with: segment(0xDD, "", 3)) == nil)
    #expect(try count(with: segment(0xCC, "", 3)) == nil)
    let frame = try #require(file.indices.first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
    #expect(try count(parts: Array(file[..<(frame + 19)]), Array(file[frame...])) == nil)
    let scan = try #require(file.indices.first { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
    #expect(try count(parts: Array(file[..<frame]), Array(file[scan...])) == nil)
    #expect(try count(parts: Array(file[..<scan]), [0xFF, 0xD9]) == nil)
    #expect(try count([]) == nil)
  }

  private func count(parts: [UInt8]...) throws -> Int? { try count(parts.flatMap { $0 }) }
}
