import EaselCore
import EaselJPEG
import EaselTestCorpus
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJXL

/// JPEGs inside JPEG XL.
struct PackingTests {
  private typealias T = JXLTesting

  private func jpeg(_ bitmap: Bitmap, progressive: Bool = false) throws -> ImageBytes {
    let options = EncodeOptions(quality: 0.8, progressive: progressive)
    return try JPEGCoder().encode(Image(bitmap), as: .jpeg, options: options, work: WorkContext())
  }

  @Test(arguments: [false, true])
  func aPackedJPEGComesBackByteForByte(progressive: Bool) throws {
    let jpeg = try jpeg(.waves(301, 203), progressive: progressive)
    let packed = try T.coder.packed(jpeg: jpeg)
    #expect(packed.count < jpeg.count)
    #expect(try T.coder.jpeg(in: packed)?.array == jpeg.array)
    let shown = try T.decode(packed)
    let expected = try JPEGCoder().decode(jpeg, options: DecodeOptions(), work: WorkContext())
    #expect(shown.bitmap.signalToNoise(against: expected.bitmap) > 35)
  }

  @Test func whatRestoresAJPEGCountsAsMetadata() throws {
    let packed = try T.coder.packed(jpeg: jpeg(.waves(64, 48)))
    #expect(try T.coder.metadataBytes(of: packed, work: WorkContext()).map { $0 > 0 } == true)
  }

  @Test func otherPicturesHoldNoJPEG() throws {
    #expect(try T.coder.jpeg(in: T.encode(Image(Bitmap.waves(64, 48)))) == nil)
    #expect(try T.coder.jpeg(in: T.encode(Image(Bitmap.noise(24, 18, .rgba8)), T.lossless)) == nil)
    #expect(try T.coder.jpeg(in: T.encode(T.moving().image)) == nil)
  }

  @Test func otherBytesAreNotPacked() throws {
    for bytes in [[], [1, 2, 3], [0xFF, 0xD8, 0xFF, 0xD9]] as [[UInt8]] {
      let error = #expect(throws: ImageError.self) { try T.coder.packed(jpeg: ImageBytes(bytes)) }
      #expect(error?.code == .encodeFailed && error?.message.hasPrefix("JXL: ") == true)
    }
  }

  @Test func limitsBindTheJPEG() throws {
    let jpeg = try jpeg(.noise(300, 300, .opaqueRGBA8))
    let packed = try T.coder.packed(jpeg: jpeg)
    let work = WorkContext(limits: Limits(downloadBytes: 1000))
    let error = #expect(throws: ImageError.self) { try T.coder.jpeg(in: packed, work: work) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func damageIsAnError() throws {
    let packed = try T.coder.packed(jpeg: jpeg(.waves(64, 48))).array
    for count in stride(from: 0, to: packed.count, by: 7) {
      #expect(throws: ImageError.self) { try T.coder.jpeg(in: ImageBytes(Array(packed[..<count]))) }
    }
    for place in packed.indices {
      var damaged = packed
      damaged[place] ^= 0x41
      _ = try? T.coder.jpeg(in: ImageBytes(damaged))
    }
  }

  @Test func cancelledWorkStops() throws {
    let jpeg = try jpeg(.waves(64, 48))
    let error = #expect(throws: ImageError.self) {
      try T.coder.packed(jpeg: jpeg, work: WorkContext(isCancelled: true))
    }
    #expect(error?.isCancellation == true)
  }

  @Test(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
  func theJPEGsOfTheCorpusAreThoseOfOtherPrograms() throws {
    let corpus = try #require(Corpus.otherFormats)
    let holders = corpus.entries.filter { $0.path.hasSuffix(".jxl") && $0.tags.contains("jbrd") }
    #expect(holders.count >= 4)
    for entry in holders {
      let jpeg = try #require(try T.coder.jpeg(in: corpus.bytes(of: entry)), "\(entry)")
      let header = try JPEGCoder().probe(jpeg, work: WorkContext())
      let sizes = [header.storedSize, header.storedSize.transposed]
      #expect(sizes.contains { $0 == entry.size }, "\(entry)")
    }
  }
}
