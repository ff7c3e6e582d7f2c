import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselPNG

/// One library inflates valid rows, and another takes over after an error.
struct InflatingTests {
  private let coder = PNGCoder()

  // MARK: Nothing is wrong

  @Test(arguments: [0, 1, 6, 12])
  func whereThePiecesEndDoesNotMatter(level: Int) {
    let rows = CompressedRows(23, 11)
    let compressed = rows.compressed(level: level)
    let whole = rows.read(compressed)
    #expect(whole.isWhole && whole.progress == 11)
    #expect(whole == rows.read(compressed, strictly: true))
    for end in 1..<compressed.count { #expect(rows.read(compressed, endingAt: [end]) == whole, "\(end)") }
    #expect(rows.read(compressed, endingAt: Array(1..<compressed.count)) == whole)
  }

  @Test(arguments: [false, true])
  func rowsOfAnyLengthComeWhole(isInterlaced: Bool) {
    // Sizes below and above the amount inflated at once, and the distance of the longest match.
    for (width, height) in [(1, 1), (1, 500), (2, 3), (341, 100), (10_922, 5), (10_923, 5), (21_846, 4), (30_000, 3)] {
      let rows = CompressedRows(width, height, isInterlaced: isInterlaced, seed: UInt64(width))
      let compressed = rows.compressed()
      let outcome = rows.read(compressed, endingAt: [compressed.count / 3, compressed.count / 2])
      #expect(outcome.isWhole, "\(width)x\(height)")
      #expect(outcome == rows.read(compressed, strictly: true), "\(width)x\(height)")
    }
  }

  @Test(arguments: 0...7)
  func aWindowOfAnySizeIsTaken(size: UInt8) throws {
    let rows = CompressedRows(9, 9)
    var compressed = rows.compressed()
    compressed.replaceSubrange(..<2, with: head(size << 4 | 8, 0))
    #expect(rows.read(compressed).isWhole)
    #expect(rows.read(compressed) == rows.read(compressed, strictly: true))
  }

  @Test func whatFollowsTheRowsDoesNotMatter() throws {
    let rows = CompressedRows(20, 10)
    let whole = rows.read(rows.compressed())
    let surplus = rows.compressed(adding: [1, 2, 3, 4, 5, 6])
    let followed = rows.compressed() + [9, 9, 9, 9, 9, 9, 9, 9, 9]
    // The checksum or the end of the last block is missing.
    let open = Array(rows.compressed().dropLast(4))
    for compressed in [surplus, followed, open] {
      #expect(rows.read(compressed) == whole)
      #expect(rows.read(compressed, endingAt: Array(1..<compressed.count)) == whole)
      let image = try decode(rows.file(compressed))
      #expect(image.traits == [])
      #expect(pixels(image) == whole.pixels)
    }
  }

  // MARK: Something is wrong

  @Test(arguments: [false, true])
  func damageAnywhereLeavesWhatWasBeforeIt(isInterlaced: Bool) throws {
    let rows = CompressedRows(21, 13, isInterlaced: isInterlaced, seed: 7)
    let compressed = rows.compressed()
    var incomplete = 0
    for place in compressed.indices {
      var damaged = compressed
      damaged[place] ^= 1 << UInt8(place % 8)
      if try !compare(rows, damaged).isComplete { incomplete += 1 }
    }
    #expect(incomplete > compressed.count / 4)
  }

  @Test(arguments: [0, 6])
  func ofAStreamThatIsCutTheRowsBeforeAreThere(level: Int) throws {
    let rows = CompressedRows(21, 13, seed: 3)
    let compressed = rows.compressed(level: level)
    var seen: Set<UInt64> = []
    for count in 1..<compressed.count { seen.insert(try compare(rows, Array(compressed.prefix(count))).progress) }
    #expect(seen == Set(0...13))
  }

  @Test func aWrongCheckSumOfTheStreamIsDamageOfAWholePicture() throws {
    let rows = CompressedRows(21, 13)
    var compressed = rows.compressed()
    compressed[compressed.count - 1] ^= 0x10
    let outcome = try compare(rows, compressed)
    #expect(outcome.isComplete && outcome.message == "incorrect data check")
  }

  @Test(arguments: [
    (0x88, 0, "invalid window size"), (0x77, 0, "unknown compression method"), (0x78, 0x20, "bad zlib data"),
  ])
  func aHeadThatNoPNGMayHaveIsDamage(method: UInt8, flags: UInt8, message: String) throws {
    let rows = CompressedRows(9, 9)
    let stream = Array(rows.compressed().dropFirst(2))
    // Four bytes name a dictionary.
    let compressed = head(method, flags) + (flags == 0 ? [] : [0, 0, 0, 1]) + stream
    #expect(rows.read(compressed, strictly: true).message == message)
    for ends in [[], Array(1..<compressed.count)] {
      let outcome = rows.read(compressed, endingAt: ends)
      #expect(!outcome.message.isEmpty && outcome.progress == 0)
    }
    let error = #expect(throws: ImageError.self) { try decode(rows.file(compressed)) }
    #expect(error?.message.contains("(\(message))") == true)
  }

  @Test func aHeadWhoseSumIsWrongIsDamage() throws {
    let rows = CompressedRows(9, 9)
    var compressed = rows.compressed()
    compressed[1] ^= 1
    #expect(!rows.read(compressed).message.isEmpty)
    #expect(try compare(rows, compressed).message == "incorrect header check")
  }

  @Test func nothingThatWasInMemoryComesOutOfDamage() throws {
    // Fixed codes need no table. The match reaches back four rows and more, before the first byte.
    let rows = CompressedRows(20, 100)
    let compressed: [UInt8] = head(0x78, 0) + [0x1B, 0x05] + [UInt8](repeating: 0, count: 100)
    let outcome = try compare(rows, compressed)
    #expect(outcome.progress == 0 && outcome.message == "invalid distance too far back")
  }

  // MARK: Help

  private func head(_ method: UInt8, _ flags: UInt8) -> [UInt8] {
    let rest = (Int(method) << 8 | Int(flags)) % 31
    return [method, flags + UInt8(rest == 0 ? 0 : 31 - rest)]
  }

  private func decode(_ file: [UInt8], thumbnail: PixelSize? = nil, damaged: DamagePolicy = .whole) throws -> Image {
    try coder.decode(ImageBytes(file), options: options(thumbnail, damaged), work: WorkContext())
  }

  private func options(_ thumbnail: PixelSize?, _ damaged: DamagePolicy) -> DecodeOptions {
    var options = DecodeOptions()
    options.thumbnailSize = thumbnail
    options.damaged = damaged
    return options
  }

  private func pixels(_ image: Image) -> [UInt8] {
    let row = image.size.width * 4
    return image.bitmap.withUnsafeBytes { bytes in
      (0..<image.size.height).flatMap {
        Array(bytes[$0 * image.bitmap.bytesPerRow..<$0 * image.bitmap.bytesPerRow + row])
      }
    }
  }

  /// Inflates a stream with zlib and requires the same result from the coder, at once and in pieces.
  private func compare(_ rows: CompressedRows, _ compressed: [UInt8]) throws -> CompressedRows.Outcome {
    let expected = rows.read(compressed, strictly: true)
    let file = rows.file(compressed)
    let atOnce = try? decode(file, damaged: .show)
    #expect((atOnce != nil) == (expected.progress > 0))
    if let atOnce {
      #expect(pixels(atOnce) == expected.pixels)
      #expect(atOnce.traits == (expected.isWhole ? [] : .partial))
    }
    let decoder = try coder.makeDecoder(
      prefix: Array(file.prefix(64)), options: options(nil, .show), work: WorkContext())
    for end in stride(from: 1, to: file.count, by: 41) { try decoder?.update(ImageBytes(Array(file[..<end]))) }
    #expect((try? decoder?.finish(ImageBytes(file)))?.bitmap == atOnce?.bitmap)
    return expected
  }
}
