import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselTIFF

/// Files that are cut, changed or made to do harm.
struct DamageTests {
  private typealias T = TIFFTesting
  private typealias Page = HandmadeTIFF.Page

  @Test func theStripsBeforeAndAfterDamageAreShown() throws {
    let strips = (1...4).map { [UInt8](repeating: UInt8($0 * 10), count: 8) }
    var page = Page(4, 8, bits: [8], photometric: 1, strips: strips, rowsPerStrip: 2)
    page.tags = [(273, 4, [8, 16, 100_000, 32])]
    let file = HandmadeTIFF(page).bytes
    let error = T.failure(file)
    #expect(error?.code == .badImageData && error?.message.contains("libtiff: ") == true, "\(error as Any)")
    let image = try T.decode(ImageBytes(file)) { $0.damaged = .show }
    #expect(image.traits.contains(.partial))
    let column = (0..<8).map { image.bitmap.components(0, $0) }
    #expect(column.map { $0[0] } == [10, 10, 20, 20, 0, 0, 40, 40])
    #expect(column.map { $0[3] } == [255, 255, 255, 255, 0, 0, 255, 255])
  }

  @Test func whatIsMissingIsTransparentAlsoInAThumbnail() throws {
    let strips = (1...4).map { [UInt8](repeating: UInt8($0 * 10), count: 64) }
    var page = Page(16, 16, bits: [8], photometric: 1, strips: strips, rowsPerStrip: 4)
    page.tags = [(273, 4, [8, 72, 100_000, 200])]
    let image = try T.decode(ImageBytes(HandmadeTIFF(page).bytes)) {
      $0.damaged = .show
      $0.thumbnailSize = PixelSize(width: 4, height: 4)
    }
    #expect(image.traits.contains(.partial) && image.size == PixelSize(width: 4, height: 4))
    #expect(image.bitmap.components(1, 0)[3] == 255 && image.bitmap.components(1, 2)[3] < 64)
    // The rows beside it keep their colour.
    #expect(abs(image.bitmap.components(1, 1)[0] - 20) <= 4)
  }

  @Test func ofADamagedStripTheRowsBeforeAreShown() throws {
    let bitmap = try Bitmap.waves(300, 200)
    let bytes = try T.encode(Image(bitmap)) { $0.settings[.tiffCompression] = .deflate }.array
    let file = try TIFFFile(ImageBytes(bytes), limits: Limits())
    let end = try #require(try file.directories.number(TIFFTag.stripByteCounts, of: file.pages[0].directory))
    var damaged = bytes
    damaged.replaceSubrange(end / 2..<end, with: [UInt8](repeating: 0, count: end - end / 2))
    let image = try T.decode(ImageBytes(damaged)) { $0.damaged = .show }
    #expect(image.traits.contains(.partial))
    let expected = try T.decode(ImageBytes(bytes)).bitmap
    #expect((0..<300).allSatisfy { image.bitmap.components($0, 0) == expected.components($0, 0) })
    #expect(image.bitmap.components(0, 199)[3] == 0)
  }

  /// From a file, libtiff reads of bare pixels what it needs; of what is in memory as a whole it demanded all that is stated.
  @Test func aStripThatEndsAfterTheFileIsReadAlikeFromMemoryAndFromAFile() throws {
    let strips = [10, 20].map { [UInt8](repeating: $0, count: 128) }
    var page = Page(16, 16, bits: [8], photometric: 1, strips: strips, rowsPerStrip: 8)
    page.tags = [(279, 4, [128, 5000])]
    let bytes = HandmadeTIFF(page).bytes
    try T.inFolder { folder in
      try Data(bytes).write(to: URL(fileURLWithPath: folder + "/a.tif"))
      let expected = try T.decode(ImageBytes(contentsOfFile: folder + "/a.tif"))
      let image = try T.decode(ImageBytes(bytes))
      #expect(image.bitmap == expected.bitmap && image.traits == expected.traits)
      #expect(image.bitmap.components(15, 15) == [20, 20, 20, 255])
    }
  }

  @Test func sizesAreCheckedBeforeAnythingIsDecoded() throws {
    for (width, height, code) in [
      (65_536, 10, ImageError.Code.limitExceeded), (60_000, 60_000, .limitExceeded), (0, 10, .badImageData),
      (Int(UInt32.max), Int(UInt32.max), .limitExceeded),
    ] {
      let page = Page(width, height, bits: [8], photometric: 1, strips: [[1, 2, 3]])
      for read in [{ _ = try T.decode($0) }, { _ = try T.probe($0) }] as [(ImageBytes) throws -> Void] {
        let error = #expect(throws: ImageError.self) { try read(ImageBytes(HandmadeTIFF(page).bytes)) }
        #expect(error?.code == code, "\(width)x\(height): \(error as Any)")
      }
    }
  }

  @Test func tilesAreNoLargerThanTheyNeedToBe() throws {
    var page = Page.gray(4, 4)
    page.tags = [(322, 4, [60_000]), (323, 4, [60_000]), (324, 4, [8]), (325, 4, [16])]
    let error = T.failure(HandmadeTIFF(page).bytes)
    #expect(error?.code == .limitExceeded || error?.code == .badImageData, "\(error as Any)")
    // Thousands of samples, of which none is used.
    let many = Page(60_000, 1, bits: Array(repeating: 8, count: 3000), photometric: 1, strips: [[0]])
    #expect(T.failure(HandmadeTIFF(many).bytes) != nil)
  }

  @Test func aDirectoryWithoutItsLastBytesIsTheLastOne() throws {
    let file = HandmadeTIFF(.gray(4, 4)).bytes
    let image = try T.decode(ImageBytes(file.dropLast(4)))
    #expect(try image.bitmap == T.decode(ImageBytes(file)).bitmap && !image.traits.contains(.partial))
    #expect(image.metadata.notes.count == 1 && image.metadata.notes[0].hasPrefix("TIFF: the file ends"))
    #expect(try T.decode(ImageBytes(file)).metadata.notes.isEmpty)
    #expect(throws: ImageError.self) { try T.decode(ImageBytes(file.dropLast(4))) { $0.damaged = .refuse } }
    // A part of the place of another page tells that there is one.
    #expect(T.failure(Array(file.dropLast(2)))?.code == .badImageData)
    let error = T.failure(Array(file.dropLast(4 + 2 * 12)))
    #expect(error?.message.contains("9 entries, of which the file has only 7") == true, "\(error as Any)")
  }

  @Test func directoriesThatAreReadAgainAndAgainAreRefused() throws {
    var page = Page.gray(4, 4)
    var limits = Limits()
    limits.blocks = 300
    // The second page names the first one sixty times as a smaller version of itself.
    let first = try #require(TIFFFile(ImageBytes(HandmadeTIFF(.gray(2, 2)).bytes), limits: Limits()).all.first)
    page.tags = [(330, 4, Array(repeating: first.offset, count: 60))]
    let file = HandmadeTIFF(.gray(2, 2), page)
    #expect(T.failure(file.bytes, work: WorkContext(limits: limits))?.code == .limitExceeded)
    #expect(T.failure(file.bytes) == nil)
  }

  @Test func tagsThatRepeatTheFileAreRefused() throws {
    var page = Page.gray(40, 40)
    let block = [Int](repeating: 7, count: 2000)
    page.tags = [(40_000, 1, block)]
    var file = HandmadeTIFF(page)
    let directory = try #require(TIFFFile(ImageBytes(file.bytes), limits: Limits()).all.first)
    let place = try #require(directory.entry(40_000)).place
    // A hundred tags with the same bytes.
    page.tags = []
    file.pages = [page]
    for tag in 40_001...40_100 { file.pages[0].tags.append((tag, 16, [place])) }
    var bytes = file.bytes
    let many = try #require(TIFFFile(ImageBytes(bytes), limits: Limits()).all.first)
    for entry in many.entries where entry.tag > 40_000 {
      let index = many.entries.firstIndex { $0.tag == entry.tag }!
      let start = many.offset + 2 + 12 * index
      bytes.replaceSubrange(
        start + 2..<start + 12, with: file.number(1, 2) + file.number(bytes.count - 100, 4) + file.number(50, 4))
    }
    let error = T.failure(bytes)
    #expect(error?.code == .badImageData && error?.message.contains("again and again") == true, "\(error as Any)")
  }

  @Test func aMillionStripsAreReadInTime() throws {
    let rows = 60_000
    let page = Page(
      1, rows, bits: [8], photometric: 1, strips: Array(repeating: [77], count: rows), rowsPerStrip: 1)
    let image = try T.decode(ImageBytes(HandmadeTIFF(page).bytes))
    #expect(image.size == PixelSize(width: 1, height: rows) && image.bitmap.components(0, rows - 1)[0] == 77)
  }

  @Test(arguments: [(700, 1, 40, 0), (34_665, 4, 1, 99_999)])
  func metadataThatAreNotInTheFileAreNoted(tag: Int, type: Int, count: Int, value: Int) throws {
    var page = HandmadeTIFF.Page.gray(4, 4)
    page.tags = [(tag, type, Array(repeating: value, count: count))]
    // Long values stand at the end.
    let whole = HandmadeTIFF(page).bytes
    let bytes = ImageBytes(count > 4 ? Array(whole.dropLast(10)) : whole)
    let image = try T.decode(bytes)
    #expect(image.traits == [] && image.metadata.notes.count == 1)
    #expect(image.metadata.notes.first?.contains("tag \(tag)") == true, "\(image.metadata.notes)")
    #expect(T.failure(try bytes.array) { $0.damaged = .refuse }?.code == .badImageData)
    #expect(try T.coder.metadataBytes(of: bytes, work: WorkContext()) == nil)
  }
}
