import CEaselPixels
import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselJPEG

struct EffortTests {
  private func file(
    _ bitmap: Bitmap, effort: Int, quality: Double = 0.8, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> ImageBytes {
    try Pictures.file(Image(bitmap)) {
      $0.quality = quality
      $0.settings[.jpegEffort] = effort
      change(&$0)
    }
  }

  /// The number of a frame's components, and the factors of the first.
  private func frame(_ bytes: [UInt8]) throws -> (marker: UInt8, factors: [UInt8]) {
    let start = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1]) })
    return (bytes[start + 1], (0..<Int(bytes[start + 9])).map { bytes[start + 11 + 3 * $0] })
  }

  /// Smooth light with coarse colours, as in most photographs.
  private func hills(_ width: Int, _ height: Int) throws -> Bitmap {
    try Bitmap(width, height, .opaqueRGBA8) { x, y in
      let light = 90 + (x * 5 + y * 3) % 60 + (x * 7 ^ y * 5) % 24
      return [min(255, light + x / 8 % 40), light, max(0, light - y / 8 % 40), 255]
    }
  }

  // MARK: Looks and bytes

  @Test(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"), arguments: [0.7, 0.8])
  func moreEffortIsASmallerFileThatLooksAsGood(quality: Double) throws {
    let corpus = try #require(Corpus.shared)
    let entry = try #require(corpus.entries(format: "jpeg").first { $0.path.hasSuffix("Dragonfly_by_Bolly.jpg") })
    let photo = try Pictures.decode(corpus.bytes(of: entry)) { $0.thumbnailSize = PixelSize(width: 500, height: 500) }
    let files = try [1, 2, 3].map { try file(photo.bitmap, effort: $0, quality: quality) }
    let scores = try files.map { try photo.bitmap.visualScore(of: Pictures.decode($0).bitmap) }
    #expect(scores[1] > scores[0] - 1.5 && scores[2] == scores[1], "\(scores)")
    #expect(files[1].count < files[0].count * 94 / 100 && files[2].count < files[1].count, "\(files.map(\.count))")
  }

  @Test(arguments: [2, 3])
  func theFinestQualityLosesNothingThatIsSeen(effort: Int) throws {
    let bitmap = try Bitmap.waves(160, 120)
    for (quality, least) in [(0.5, 32.0), (0.8, 35), (0.95, 40), (1, 46)] {
      let written = try file(bitmap, effort: effort, quality: quality) { $0.chromaSubsampling = .full }
      let noise = try Pictures.decode(written).bitmap.signalToNoise(against: bitmap)
      #expect(noise >= least, "\(noise) dB at \(quality)")
    }
  }

  @Test func moreQualityIsALargerFile() throws {
    let bitmap = try hills(160, 120)
    for effort in [2, 3] {
      let counts = try stride(from: 0, through: 100, by: 5).map { percent in
        try file(bitmap, effort: effort, quality: Double(percent) / 100).count
      }
      #expect(counts == counts.sorted(), "\(counts)")
    }
  }

  @Test func coloursHaveTheResolutionThatThePictureNeeds() throws {
    let coarse = try hills(128, 96)
    let fine = try Bitmap(128, 96, .opaqueRGBA8) { x, y in (x ^ y) & 1 == 0 ? [230, 40, 40, 255] : [40, 120, 60, 255] }
    for effort in [2, 3] {
      #expect(try frame(Pictures.array(file(coarse, effort: effort))).factors == [0x22, 0x11, 0x11])
      #expect(try frame(Pictures.array(file(fine, effort: effort))).factors == [0x11, 0x11, 0x11])
      let asked = try file(fine, effort: effort) { $0.chromaSubsampling = .quarter }
      #expect(try frame(Pictures.array(asked)).factors == [0x22, 0x11, 0x11])
      let half = try file(fine, effort: effort) { $0.chromaSubsampling = .halfWidth }
      #expect(try frame(Pictures.array(half)).factors == [0x21, 0x11, 0x11])
    }
    #expect(try frame(Pictures.array(file(fine, effort: 1))).factors == [0x22, 0x11, 0x11])
  }

  @Test func theMostEffortWritesPassesUnlessNoneAreWanted() throws {
    let bitmap = try hills(64, 48)
    #expect(try frame(Pictures.array(file(bitmap, effort: 3))).marker == 0xC2)
    #expect(try frame(Pictures.array(file(bitmap, effort: 2))).marker == 0xC0)
    #expect(try frame(Pictures.array(file(bitmap, effort: 2) { $0.progressive = true })).marker == 0xC2)
    let plain = try file(bitmap, effort: 3) { $0.progressive = false }
    #expect(try Pictures.array(plain) == Pictures.array(file(bitmap, effort: 2)))
  }

  // MARK: Every shape

  /// Sizes around those of blocks and of units of 16 pixels.
  private static let sizes = [(1, 1), (7, 9), (8, 8), (9, 17), (16, 1), (17, 16), (1, 40), (33, 24), (40, 33)]

  @Test(arguments: [2, 3])
  func everySizeAndFormReadsNearlyTheSame(effort: Int) throws {
    for (width, height) in Self.sizes {
      let colors = try Pictures.corners(width, height)
      let gray = try Bitmap(width, height, .opaqueRGBA8) { x, y in [x * 5 + y, x * 5 + y, x * 5 + y, 255] }
      for bitmap in [colors, gray] {
        for chroma in [EncodeOptions.ChromaSubsampling.full, .halfWidth, .quarter] {
          for restarts in [false, true] {
            let written = try file(bitmap, effort: effort, quality: 0.95) {
              $0.chromaSubsampling = chroma
              $0.settings[.jpegRestarts] = restarts
            }
            let read = try Pictures.decode(written)
            #expect(read.size == bitmap.size && !read.traits.contains(.partial))
            #expect(read.bitmap.signalToNoise(against: bitmap) > 24, "\(width)x\(height), \(chroma)")
          }
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3])
  func aRestartMarkerFollowsEachRowOfBlocks(effort: Int) throws {
    let bitmap = try hills(80, 100)
    let markers = { (bytes: [UInt8]) in
      zip(bytes, bytes.dropFirst()).filter { $0 == 0xFF && (0xD0...0xD7).contains($1) }.map { Int($1) - 0xD0 }
    }
    let without = try file(bitmap, effort: effort)
    let with = try file(bitmap, effort: effort) { $0.settings[.jpegRestarts] = true }
    #expect(try markers(Pictures.array(without)).isEmpty)
    let found = try markers(Pictures.array(with))
    // Seven rows of units of 16 pixels; passes have a marker behind each row, too.
    #expect(found.prefix(6) == [0, 1, 2, 3, 4, 5] && (effort == 3 ? found.count > 6 : found.count == 6))
    #expect(try Pictures.decode(with).bitmap.colors == Pictures.decode(without).bitmap.colors)
  }

  @Test func aLargePictureIsWrittenByTheLibraryAlone() {
    let usual = JPEGEffort(EncodeOptions())
    #expect(usual == .usual)
    #expect(usual.forPicture(of: PixelSize(width: 4000, height: 4000)) == .usual)
    #expect(usual.forPicture(of: PixelSize(width: 4000, height: 4001)) == .fast)
    #expect(JPEGEffort.smallest.forPicture(of: PixelSize(width: 65_500, height: 65_500)) == .fast)
    #expect(JPEGEffort.smallest.forPicture(of: PixelSize(width: 65_500, height: 1)) == .smallest)
  }

  @Test func theLeastEffortIsWhatTheLibraryWrites() throws {
    let bitmap = try hills(64, 48)
    let fast = try Pictures.array(file(bitmap, effort: 1))
    #expect(try fast == Pictures.array(file(bitmap, effort: -4)))
    #expect(try fast != Pictures.array(file(bitmap, effort: 2)))
    #expect(try Pictures.array(file(bitmap, effort: 9)) == Pictures.array(file(bitmap, effort: 3)))
    let usual = try Pictures.file(Image(bitmap)) { $0.quality = 0.8 }
    #expect(try Pictures.array(file(bitmap, effort: 2)) == Pictures.array(usual))
  }

  @Test func aLimitOfBytesIsMetAtEveryEffort() throws {
    let bitmap = try hills(160, 120)
    for effort in [1, 2, 3] {
      let whole = try file(bitmap, effort: effort, quality: 0.9).count
      let limited = try file(bitmap, effort: effort, quality: 0.9) { $0.maxFileBytes = whole * 2 / 3 }
      #expect(limited.count <= whole * 2 / 3 && limited.count > whole / 3)
      #expect(try Pictures.decode(limited).size == bitmap.size)
    }
  }

  @Test func aCancelledPictureIsNotWritten() throws {
    for effort in [1, 2, 3] {
      var options = EncodeOptions()
      options.settings[.jpegEffort] = effort
      let image = try Image(hills(64, 48))
      #expect(throws: (any Error).self) {
        try JPEGCoder().encode(image, as: .jpeg, options: options, work: WorkContext(isCancelled: true))
      }
    }
  }

  // MARK: Every processor, every reader

  /// The level is that of the whole process.
  @Test(.tags(.alone)) func everyProcessorWritesTheSameFile() throws {
    let bitmap = try hills(123, 77)
    var files: [[[UInt8]]] = []
    for level in [EASEL_LEVEL_SCALAR, EASEL_LEVEL_AVX2] {
      let usual = easel_pixels_limit_level(Int32(level))
      defer { _ = easel_pixels_limit_level(usual) }
      files.append(
        try [EncodeOptions.ChromaSubsampling.full, .halfWidth, .quarter].map { chroma in
          try Pictures.array(file(bitmap, effort: 2) { $0.chromaSubsampling = chroma })
        })
    }
    #expect(files[0] == files[1])
  }

  @Test(
    .tags(.alone), .enabled(if: Djpeg.isThere, "There is no djpeg here to read with."), arguments: [2, 3])
  func theReferenceProgramReadsEveryFile(effort: Int) throws {
    for (width, height) in Self.sizes {
      for chroma in [EncodeOptions.ChromaSubsampling.full, .halfWidth, .quarter] {
        let written = try file(Pictures.corners(width, height), effort: effort) {
          $0.chromaSubsampling = chroma
          $0.settings[.jpegRestarts] = width == 33
        }
        #expect(try Djpeg.colors(of: written) == Pictures.decode(written).bitmap.colors)
      }
    }
  }

  @Test(
    .tags(.alone), .enabled(if: Pillow.isThere, "$EASEL_PYTHON names no Python with Pillow to read with."),
    arguments: [2, 3])
  func pillowReadsEveryFile(effort: Int) throws {
    for (width, height) in Self.sizes {
      let written = try file(Pictures.corners(width, height), effort: effort)
      let script = """
        import sys, io
        from PIL import Image
        im = Image.open(io.BytesIO(sys.stdin.buffer.read()))
        im.load()
        print(im.size, im.mode)
        """
      #expect(try Pillow.run(script, input: Pictures.array(written)) == "(\(width), \(height)) RGB\n")
    }
  }
}
