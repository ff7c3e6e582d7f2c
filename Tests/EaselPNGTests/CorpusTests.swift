import EaselCore
import EaselTestCorpus
import EaselTestPixels
import Testing

@testable import EaselPNG

/// Every PNG of the corpus gives what its manifest says.
@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let corpus = Corpus.shared!
  private let coder = PNGCoder()

  private var rawOptions: DecodeOptions {
    var options = DecodeOptions()
    options.appliesOrientation = false
    options.convertsColor = false
    return options
  }

  private func entries(_ expectations: CorpusEntry.Expectation...) -> [CorpusEntry] {
    corpus.entries(format: "png").filter { expectations.contains($0.expectation) }
  }

  @Test func everyFileThatMustDecodeGivesItsPixels() throws {
    let entries = entries(.decode)
    #expect(entries.count > 500)
    for entry in entries {
      do {
        let image = try coder.decode(corpus.bytes(of: entry), options: rawOptions, work: WorkContext())
        #expect(image.size == entry.size, "\(entry)")
        #expect(!image.traits.contains(.partial), "\(entry)")
        #expect(entry.hashes.contains(image.bitmap.corpusHash), "\(entry)")
        #expect(image.metadata.orientation == entry.orientation ?? .up, "\(entry)")
      } catch {
        Issue.record("\(entry): \(error)")
      }
    }
  }

  @Test func everyMovingFileGivesItsFrames() throws {
    let entries = entries(.decode).filter { ($0.frameCount ?? 0) > 1 }
    #expect(entries.count > 20)
    for entry in entries {
      do {
        let bytes = try corpus.bytes(of: entry)
        let header = try coder.probe(bytes, work: WorkContext())
        #expect(header.frameCount == entry.frameCount, "\(entry)")
        #expect(header.storedLoopCount == entry.loopCount, "\(entry)")
        let delays = header.storedDelays.map { $0 / .milliseconds(1) }
        #expect(zip(delays, entry.milliseconds).allSatisfy { abs($0 - $1) <= 1 }, "\(entry): \(delays)")
        let image = try coder.decode(bytes, options: rawOptions, work: WorkContext())
        let frames = try #require(image.frames, "\(entry)")
        #expect(frames.count == entry.frameCount, "\(entry)")
        #expect(frames.loopCount == entry.loopCount, "\(entry)")
        try compare(frames, with: entry)
      } catch {
        Issue.record("\(entry): \(error)")
      }
    }
  }

  private static let correctedGrids = [
    "apngkit--tRNS_alpha.apng":
      "1b2225272247505f20444d5c1c23262822292b2de3b42df7e1b32ef6232a2c2f"
      + "1b15061cefb218f9f7b817ff221b082200000000372a093857430d590e0b030e",
    "apngkit--over_previous.apng":
      "2f070031660e006a2a06002c000000006411056d534350a93d41519400040606"
      + "1f1d24452f5c7bb213587b94001b262800050707003e595d003f5a5e00060808",
    "wuffs--muybridge.apng":
      "d6d6d6ffd8d8d8ffc7c7c7ffddddddffb3b3b3ff878787ff808080ffa8a8a8ff"
      + "b1b1b1ff808080ff838383ffcfcfcfff9f9f9fffa9a9a9ffabababffb2b2b2ff",
    "pillow--blend_op_over_near_transparent.png": String(repeating: "00ff00ff", count: 16),
  ]

  private func compare(_ frames: any FrameSource, with entry: CorpusEntry) throws {
    var last: Bitmap?
    for index in 0..<frames.count {
      let frame = try frames.frame(at: index)
      last = frame
      guard entry.exact == "yes" || index == 0, index < entry.frameHashes.count else { continue }
      #expect(frame.corpusHash.hasPrefix(entry.frameHashes[index]), "\(entry), frame \(index)")
    }
    let grid = try #require(last).corpusGrid
    // Of these files the manifest has the view of a decoder that contradicts the format. What the format asks for was
    // composed by an independent script.
    let corrected = Self.correctedGrids.first { entry.path.hasSuffix($0.key) }?.value
    let expected = Array((corrected ?? entry["grid_last"]).utf8)
    for place in grid.indices {
      let digits = String(decoding: expected[2 * place..<2 * place + 2], as: UTF8.self)
      let difference = abs(Int(grid[place]) - Int(UInt8(digits, radix: 16)!))
      #expect(difference <= 4, "\(entry), last frame, value \(place)")
      if difference > 4 { break }
    }
  }

  @Test func everyDamagedFileIsAnErrorOrAPart() throws {
    for entry in entries(.partial, .any) {
      for allowsPartial in [false, true] {
        do {
          var options = rawOptions
          options.allowsPartial = allowsPartial
          let image = try coder.decode(corpus.bytes(of: entry), options: options, work: WorkContext())
          let mayBeWhole = entry.expectation == .any || image.frames == nil && entry.tags.contains("apng")
          #expect(mayBeWhole || image.traits.contains(.partial) && allowsPartial, "\(entry)")
        } catch let error as ImageError {
          #expect([.badImageData, .unsupportedFormat, .limitExceeded].contains(error.code), "\(entry): \(error)")
        }
      }
    }
  }

  @Test func everyFileWithoutAPictureIsRejected() throws {
    for entry in entries(.reject) {
      let error = #expect(throws: ImageError.self, "\(entry)") {
        try coder.decode(corpus.bytes(of: entry), options: rawOptions, work: WorkContext())
      }
      #expect(error?.code == .badImageData || error?.code == .limitExceeded, "\(entry): \(error as Any)")
      #expect(error?.message.hasPrefix("PNG: ") == true, "\(entry)")
    }
  }

  @Test func everyBombIsRefusedFromItsHeader() throws {
    for entry in entries(.limit) {
      let error = #expect(throws: ImageError.self, "\(entry)") {
        try coder.decode(corpus.bytes(of: entry), options: rawOptions, work: WorkContext())
      }
      // What contradicts itself besides may be refused for that.
      #expect(error?.code == .limitExceeded || error?.code == .badImageData, "\(entry): \(error as Any)")
    }
  }

  // MARK: Other ways to the same pixels

  private var shortEntries: [CorpusEntry] {
    let isLong = Corpus.isLongRun
    return corpus.entries(format: "png").enumerated().filter { isLong || $0.offset % 16 == 0 }.map(\.element)
  }

  private func inPieces(_ bytes: ImageBytes, of length: Int, _ options: DecodeOptions) throws -> Image? {
    let decoder = try coder.makeDecoder(prefix: bytes.prefix(64), options: options, work: WorkContext())
    guard let decoder else { return nil }
    let all = try bytes.withUnsafeBytes { Array($0) }
    let arrived = ReceivedBytes()
    for start in stride(from: 0, to: all.count, by: length) {
      let fits = all[start..<min(all.count, start + length)].withUnsafeBytes { arrived.append($0) }
      #expect(fits)
      try decoder.update(arrived.snapshot())
    }
    return try decoder.finish(bytes)
  }

  @Test(arguments: [1, 7, 4096])
  func inPiecesEveryFileGivesTheSame(length: Int) throws {
    for entry in shortEntries where entry.byteCount < (Corpus.isLongRun ? 1 << 30 : length * 1000) {
      let bytes = try corpus.bytes(of: entry)
      for allowsPartial in [false, true] {
        var options = DecodeOptions()
        options.allowsPartial = allowsPartial
        let whole = try? coder.decode(bytes, options: options, work: WorkContext())
        let pieces = try? inPieces(bytes, of: length, options)
        #expect(whole?.bitmap == pieces?.bitmap, "\(entry)")
        #expect(whole?.traits == pieces?.traits, "\(entry)")
        #expect(whole?.metadata == pieces?.metadata, "\(entry)")
      }
    }
  }

  @Test func fromAFileEveryPictureIsTheSame() throws {
    for entry in shortEntries {
      let file = try ImageBytes(contentsOfFile: corpus.path(of: entry))
      let read = try? coder.decode(file, options: DecodeOptions(), work: WorkContext())
      let whole = try? coder.decode(corpus.bytes(of: entry), options: DecodeOptions(), work: WorkContext())
      #expect(read?.bitmap == whole?.bitmap, "\(entry)")
    }
  }

  @Test(arguments: [false, true])
  func theFastPathGivesThePixelsOfLibpng(keeps16Bits: Bool) throws {
    var taken = 0
    for entry in entries(.decode) {
      let bytes = try corpus.bytes(of: entry)
      var scanner = PNGScanner(limits: Limits())
      try scanner.advance(over: bytes, isWhole: true, work: WorkContext())
      let file = try #require(scanner.file)
      var options = rawOptions
      options.keeps16Bits = keeps16Bits
      let picture = try PNGPicture(file, of: bytes, options: options, limits: Limits())
      let fast = try PNGFastPath.bitmap(
        file, from: #require(file.data), dataBytes: file.dataBytes, size: file.header.size, isWide: picture.isWide,
        of: bytes, work: WorkContext())
      guard let fast else { continue }
      taken += 1
      let reader = try picture.makeReader()
      try reader.advance(over: bytes, isWhole: true, work: WorkContext())
      #expect(reader.bitmap == fast, "\(entry)")
    }
    #expect(taken > 300)
  }

  @Test func cutAnywhereNoFileDoesHarm() throws {
    var random = SeededRandom(5)
    for entry in shortEntries where entry.byteCount < 40_000 {
      let all = try corpus.bytes(of: entry).withUnsafeBytes { Array($0) }
      for _ in 0..<(Corpus.isLongRun ? 50 : 5) {
        let length = Int.random(in: 0..<all.count, using: &random)
        var options = DecodeOptions()
        options.allowsPartial = true
        let image = try? coder.decode(ImageBytes(Array(all[..<length])), options: options, work: WorkContext())
        if let image, entry.expectation == .decode, !entry.tags.contains("trailing") {
          #expect(image.traits.contains(.partial), "\(entry), cut after \(length)")
        }
      }
    }
  }
}
