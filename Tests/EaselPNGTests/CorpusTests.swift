import EaselCore
import EaselTestCorpus
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

  private func compare(_ frames: any FrameSource, with entry: CorpusEntry) throws {
    var last: Bitmap?
    for index in 0..<frames.count {
      let frame = try frames.frame(at: index)
      last = frame
      guard entry.exact == "yes" || index == 0, index < entry.frameHashes.count else { continue }
      #expect(frame.corpusHash.hasPrefix(entry.frameHashes[index]), "\(entry), frame \(index)")
    }
    let grid = try #require(last).corpusGrid
    let expected = entry["grid_last"].utf8.map { $0 }
    for place in grid.indices {
      let digits = String(decoding: expected[2 * place..<2 * place + 2], as: UTF8.self)
      let difference = abs(Int(grid[place]) - Int(UInt8(digits, radix: 16)!))
      #expect(difference <= 2, "\(entry), last frame, value \(place)")
      if difference > 2 { break }
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
}
