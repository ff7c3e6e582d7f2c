import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselTIFF

/// Directories, counts and offsets that no program writes.
struct HostileTests {
  private typealias T = TIFFTesting
  private typealias Page = HandmadeTIFF.Page

  private func number(_ file: [UInt8], _ place: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) }
  }

  /// The place of a tag's entry in the first directory of a little-endian file.
  private func place(of tag: Int, in file: [UInt8]) throws -> Int {
    let start = number(file, 4)
    let count = Int(file[start]) | Int(file[start + 1]) << 8
    return try #require(
      (0..<count).map { start + 2 + 12 * $0 }.first { Int(file[$0]) | Int(file[$0 + 1]) << 8 == tag })
  }

  /// A grey picture with another type, count or value of a tag.
  private func file(_ tag: Int, type: Int? = nil, count: Int? = nil, value: Int? = nil) throws -> [UInt8] {
    var page = Page.gray(4, 4)
    page.tags = [(317, 3, [1]), (339, 3, [1])]
    let made = HandmadeTIFF(page)
    var file = made.bytes
    let entry = try place(of: tag, in: file)
    if let type { file.replaceSubrange(entry + 2..<entry + 4, with: made.number(type, 2)) }
    if let count { file.replaceSubrange(entry + 4..<entry + 8, with: made.number(count, 4)) }
    if let value { file.replaceSubrange(entry + 8..<entry + 12, with: made.number(value, 4)) }
    return file
  }

  /// True for an error that says what is wrong.
  private func helps(_ error: ImageError?) -> Bool {
    guard let error else { return true }
    return [.badImageData, .limitExceeded, .unsupportedFormat].contains(error.code)
      && error.message.hasPrefix("TIFF: ") && error.message.hasSuffix(".")
  }

  // MARK: Directories

  @Test func theFirstDirectoryMayBeAnywhere() {
    let made = HandmadeTIFF(.gray(4, 4))
    for offset in [0, 1, 4, 7, made.bytes.count - 1, made.bytes.count, 1 << 20, Int(UInt32.max)] {
      var file = made.bytes
      file.replaceSubrange(4..<8, with: made.number(offset, 4))
      let error = T.failure(file)
      #expect(error?.code == .badImageData && helps(error), "\(offset): \(error as Any)")
    }
  }

  @Test func aDirectoryMayBeItsOwnNext() throws {
    let made = HandmadeTIFF(.gray(4, 4, 9))
    var file = made.bytes
    let start = number(file, 4)
    let link = start + 2 + 12 * Int(file[start])
    file.replaceSubrange(link..<link + 4, with: made.number(start, 4))
    let image = try T.decode(ImageBytes(file))
    #expect(image.frames == nil && image.bitmap.components(0, 0)[0] == 9)
    // Or be followed by one that is not there.
    for next in [1 << 30, Int(UInt32.max), file.count - 1] {
      file.replaceSubrange(link..<link + 4, with: made.number(next, 4))
      let error = T.failure(file)
      #expect(error?.code == .badImageData && helps(error), "\(next): \(error as Any)")
      #expect(try T.decode(ImageBytes(file)) { $0.damaged = .show }.traits == .partial)
    }
  }

  @Test func directoriesMayNameThemselvesAsTheirOwn() throws {
    for tag in [330, 34_665, 34_853] {
      var page = Page.gray(4, 4, 9)
      page.tags = [(tag, 4, [0])]
      let made = HandmadeTIFF(page)
      var file = made.bytes
      let entry = try place(of: tag, in: file)
      for offset in [number(file, 4), 0, 1, file.count - 3, Int(UInt32.max)] {
        file.replaceSubrange(entry + 8..<entry + 12, with: made.number(offset, 4))
        let image = try? T.decode(ImageBytes(file)) { $0.thumbnailSize = PixelSize(width: 2, height: 2) }
        #expect(image?.bitmap.components(0, 0)[0] == 9, "\(tag) at \(offset)")
        _ = try? T.coder.metadataBytes(of: ImageBytes(file), work: WorkContext())
      }
    }
  }

  @Test func aDirectoryOf65535EntriesIsRefusedOrCut() {
    let made = HandmadeTIFF(.gray(4, 4))
    var file = made.bytes
    let start = number(file, 4)
    file.replaceSubrange(start..<start + 2, with: [255, 255])
    #expect(T.failure(file)?.code == .badImageData)
    var limits = Limits()
    limits.blocks = 1000
    let long = file + [UInt8](repeating: 0, count: 65_535 * 12)
    #expect(T.failure(long, work: WorkContext(limits: limits))?.code == .limitExceeded)
    #expect(helps(T.failure(long)))
  }

  @Test func aThousandPagesAreFramesUpToTheLimit() throws {
    var made = HandmadeTIFF()
    made.pages = (0..<1000).map { .gray(2, 2, UInt8($0 % 256)) }
    let frames = try #require(try T.decode(ImageBytes(made.bytes)).frames)
    #expect(frames.count == 1000)
    #expect(try frames.frame(at: 999).components(0, 0)[0] == 999 % 256)
    var limits = Limits()
    limits.frames = 999
    #expect(T.failure(made.bytes, work: WorkContext(limits: limits))?.code == .limitExceeded)
  }

  // MARK: Values

  @Test(arguments: [256, 257, 258, 259, 262, 273, 277, 278, 279, 317, 339])
  func everyValueOfATagMayLie(_ tag: Int) throws {
    for value in [0, 1, 2, 7, 9, 255, 256, 32_768, 65_535, 65_536, 1 << 30, 1 << 31, Int(UInt32.max)] {
      try expectPictureOrHelp(file(tag, value: value))
    }
    for type in [0, 1, 2, 5, 7, 9, 11, 12, 13, 16, 18, 255, 65_535] { try expectPictureOrHelp(file(tag, type: type)) }
    for count in [0, 2, 3, 1024, 65_536, 1 << 30, 1 << 31, Int(UInt32.max)] {
      try expectPictureOrHelp(file(tag, count: count))
      try expectPictureOrHelp(file(tag, type: 12, count: count, value: Int(UInt32.max)))
    }
  }

  private func expectPictureOrHelp(_ file: [UInt8]) {
    let work = WorkContext(limits: Limits(framePixels: 1 << 16))
    for damaged in DamagePolicy.allCases {
      let error = T.failure(file, work: work) { $0.damaged = damaged }
      #expect(helps(error), "\(error as Any)")
    }
    _ = try? T.coder.metadataBytes(of: ImageBytes(file), work: work)
  }

  @Test func stripsOutsideAndWithoutBytesAreDamage() throws {
    for (offset, count) in [(1 << 30, 16), (8, 0), (8, 3), (Int(UInt32.max), Int(UInt32.max)), (8, 1 << 30)] {
      var page = Page.gray(4, 4, 7)
      page.tags = [(273, 4, [offset]), (279, 4, [count])]
      let error = T.failure(HandmadeTIFF(page).bytes)
      // Of the only strip without compression, the size of the picture says more about the length than a wrong number.
      let isReadable = offset == 8
      #expect(isReadable || error?.code == .badImageData, "\(offset), \(count): \(error as Any)")
      #expect(helps(error))
    }
  }

  @Test func tilesOfImpossibleSizesAreRefused() {
    for (width, height) in [(0, 16), (16, 0), (1, 1), (15, 17), (1 << 16, 1 << 16), (Int(UInt32.max), 16)] {
      var page = Page.gray(4, 4)
      page.tags = [(322, 4, [width]), (323, 4, [height]), (324, 4, [8]), (325, 4, [256])]
      let error = T.failure(HandmadeTIFF(page).bytes)
      #expect(helps(error), "\(width)x\(height): \(error as Any)")
    }
  }

  @Test(arguments: [0, 1, 3, 47]) func aShortTableOfColoursIsNone(_ entries: Int) throws {
    let tags = entries == 0 ? [] : [(tag: 320, type: 3, values: Array(repeating: 65_535, count: entries))]
    let page = Page(2, 1, bits: [8], photometric: 3, strips: [[0, 255]], tags: tags)
    // libtiff takes whole bytes without a table for grey.
    let image = try T.decode(ImageBytes(HandmadeTIFF(page).bytes))
    #expect(image.bitmap.components(0, 0) == [0, 0, 0, 255] && image.bitmap.components(1, 0) == [255, 255, 255, 255])
    let narrow = Page(2, 1, bits: [4], photometric: 3, strips: [[0x0F]], tags: tags)
    let error = T.failure(HandmadeTIFF(narrow).bytes)
    #expect((entries == 47 || error?.code == .badImageData) && helps(error), "\(error as Any)")
  }

  @Test func fractionsThatAreNoNumbersArePixels() throws {
    let values: [Float] = [.nan, .infinity, -.infinity, 1e38, -1e38, 0.5, .signalingNaN, .leastNonzeroMagnitude]
    let bytes = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
    for tags in [[], [(340, 11, [0]), (341, 11, [Int(Float.nan.bitPattern)])]] as [[(Int, Int, [Int])]] {
      let page = Page(
        values.count, 1, bits: [32], photometric: 1, strips: [bytes],
        tags: [(339, 3, [3])] + tags.map { (tag: $0.0, type: $0.1, values: $0.2) })
      let image = try T.decode(ImageBytes(HandmadeTIFF(page).bytes)) { $0.keeps16Bits = true }
      #expect(image.size.width == values.count)
    }
  }

  @Test(arguments: [2, 3, 4, 5, 6, 7, 8, 32_773, 34_925, 50_000, 50_001, 34_887])
  func noiseInEveryCompressionIsAnError(_ compression: Int) {
    var random = SeededRandom(seed: UInt64(compression))
    for bits in [[1], [8], [8, 8, 8]] {
      for round in 0..<8 {
        let noise = (0..<200 * round).map { _ in UInt8.random(in: 0...255, using: &random) }
        let page = Page(
          64, 64, bits: bits, photometric: bits.count == 3 ? 2 : 1, strips: [noise],
          tags: [(259, 3, [compression])] + (round % 2 == 1 ? [(317, 3, [2])] : []))
        let error = T.failure(HandmadeTIFF(page).bytes)
        #expect(helps(error), "\(error as Any)")
        _ = try? T.decode(ImageBytes(HandmadeTIFF(page).bytes)) { $0.damaged = .show }
      }
    }
  }

  // MARK: JPEG of the old kind

  /// A JPEG of one colour, 16 by 16.
  private static let jpeg = """
    /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk\
    //2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAQABADAREAAhEBAxEB\
    /8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAUG/8QAFBEBAAAAAAAAAAAAAAAAAA\
    AAAP/aAAwDAQACEQMRAD8AnJjUgAAP/9k=
    """

  /// A file with a whole JPEG, as before TIFF 6 had tables; the tag says where the JPEG begins.
  private func oldJPEG(_ stream: [UInt8], at offset: Int = 8, claiming count: Int? = nil, _ side: Int = 16) -> [UInt8] {
    HandmadeTIFF(
      Page(
        side, side, bits: [8, 8, 8], photometric: 6, strips: [stream],
        tags: [(259, 3, [6]), (512, 3, [1]), (513, 4, [offset]), (514, 4, [count ?? stream.count]), (530, 3, [1, 1])])
    ).bytes
  }

  @Test func jpegOfTheOldKindIsReadOrRefused() throws {
    let stream = [UInt8](try #require(Data(base64Encoded: Self.jpeg)))
    let bitmap = try T.decode(ImageBytes(oldJPEG(stream))).bitmap
    let shown = bitmap.components(3, 3)
    #expect(zip(shown, [201, 60, 42]).allSatisfy { abs($0 - $1) < 4 }, "\(shown)")
    for file in [
      oldJPEG(stream, at: 0), oldJPEG(stream, at: 1 << 31), oldJPEG(stream, claiming: 1 << 31), oldJPEG(stream, 4096),
      oldJPEG([]),
    ] { expectPictureOrHelp(file) }
    for count in 0..<stream.count { expectPictureOrHelp(oldJPEG(Array(stream[..<count]))) }
    for place in stream.indices {
      var damaged = stream
      damaged[place] ^= 0xFF
      expectPictureOrHelp(oldJPEG(damaged))
    }
  }

  // MARK: Offsets of 64 bits

  @Test func bigFilesAreReadInBothByteOrders() throws {
    for isBigEndian in [false, true] {
      let made = HandmadeTIFF(.gray(6, 4, 10), .gray(6, 4, 20), isBigEndian: isBigEndian, isBig: true)
      let image = try T.decode(ImageBytes(made.bytes))
      #expect(image.bitmap.components(5, 3)[0] == 10 && image.frames?.count == 2)
      for count in 0..<made.bytes.count {
        let cut = ImageBytes(Array(made.bytes[..<count]))
        guard let part = try? T.decode(cut, { $0.damaged = .show }) else { continue }
        #expect(part.traits == .partial || part.bitmap == image.bitmap, "\(count)")
      }
    }
  }

  @Test func offsetsAndCountsOf64BitsMayOverflow() {
    let made = HandmadeTIFF(.gray(4, 4), isBig: true)
    let start = made.bytes[8..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
    var places = [8, start]
    for index in 0..<9 {
      let entry = start + 8 + 20 * index
      places += [entry + 4, entry + 12]
    }
    for place in places {
      for value in [0, 1 << 32, 1 << 61, Int.max, -1] {
        var file = made.bytes
        file.replaceSubrange(place..<place + 8, with: made.number(value, 8))
        expectPictureOrHelp(file)
      }
    }
  }

  @Test func otherWidthsOfOffsetsAreRefused() {
    var file = HandmadeTIFF(.gray(4, 4), isBig: true).bytes
    for (place, value) in [(4, UInt8(4)), (4, 16), (6, 1)] {
      let kept = file[place]
      file[place] = value
      #expect(helps(T.failure(file)))
      file[place] = kept
    }
  }
}
