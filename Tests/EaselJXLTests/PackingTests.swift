import EaselCore
import EaselJPEG
import EaselManager
import EaselTestCorpus
import EaselTestPixels
import EaselTiers
import FoundationEssentials
import Testing

@testable import EaselJXL

/// JPEGs inside JPEG XL.
struct PackingTests {
  private typealias T = JXLTesting

  private func jpeg(_ bitmap: Bitmap, progressive: Bool = false) throws -> ImageBytes {
    try T.jpeg(bitmap, progressive: progressive)
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

  @Test func whatRestoresAJPEGCountsAsMuchAsItsMetadata() throws {
    let packed = try T.coder.packed(jpeg: jpeg(.waves(64, 48)))
    #expect(try T.coder.metadataBytes(of: packed, work: WorkContext()) == 0)
    let remark = try T.coder.packed(jpeg: jpeg(.waves(64, 48)).with(segment: 0xFE, Array("a remark".utf8)))
    #expect(try T.coder.metadataBytes(of: remark, work: WorkContext()).map { $0 > 0 } == true)
    let tail = try T.coder.packed(jpeg: ImageBytes(jpeg(.waves(64, 48)).array + Array("a tail".utf8)))
    #expect(try T.coder.metadataBytes(of: tail, work: WorkContext()).map { $0 > 0 } == true)
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

  // MARK: Passing through

  /// The file that a manager makes of bytes at hand.
  private func converted(
    _ bytes: ImageBytes, to formats: [ImageFormat] = [.jpeg], keepsMetadata: Bool = false, _ context: ImageContext = []
  ) throws -> [UInt8] {
    let manager = ImageManager(
      .init(loader: LoaderChain([]), coder: CoderRegistry([JPEGCoder(), T.coder]), cache: TieredCache()))
    let recipe = EncodeRecipe(firstOf: formats, options: EncodeOptions(keepsMetadata: keepsMetadata))
    return try manager.encodedByThisThread(from: bytes, as: recipe, context: context).bytes.array
  }

  @Test func whereNothingChangesTheJPEGGoesOutAsItIs() throws {
    let jpeg = try jpeg(.waves(301, 203))
    let packed = try T.coder.packed(jpeg: jpeg)
    #expect(try converted(packed) == jpeg.array)
    #expect(try converted(packed, keepsMetadata: true) == jpeg.array)
    #expect(try converted(packed, [.thumbnailSize(PixelSize(width: 400, height: 400))]) == jpeg.array)
    // The file itself is asked for first, or the pixels change.
    for keepsMetadata in [true, false] {
      #expect(try converted(packed, to: [.jxl], keepsMetadata: keepsMetadata) == packed.array)
      #expect(try converted(packed, to: [.jxl, .jpeg], keepsMetadata: keepsMetadata) == packed.array)
    }
    let small = try converted(packed, [.thumbnailSize(PixelSize(width: 100, height: 100))])
    #expect(try JPEGCoder().probe(ImageBytes(small), work: WorkContext()).storedSize.width == 100)
    let plain = try converted(T.encode(Image(.waves(301, 203))))
    #expect(try plain != jpeg.array)
    #expect(plain.starts(with: [0xFF, 0xD8]))
  }

  @Test func aJPEGWithMetadataGoesOutOnlyWhereTheyMayStay() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 64, height: 48))
    metadata.xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    let jpeg = try JPEGCoder().encode(
      Image(.waves(64, 48), metadata: metadata), as: .jpeg, options: EncodeOptions(keepsMetadata: true),
      work: WorkContext())
    let packed = try T.coder.packed(jpeg: jpeg)
    #expect(try converted(packed, keepsMetadata: true) == jpeg.array)
    let without = try converted(packed)
    #expect(try without != jpeg.array)
    #expect(try JPEGCoder().metadataBytes(of: ImageBytes(without), work: WorkContext()) == 0)
  }

  @Test func aJPEGThatCannotBeRestoredIsLeftAlone() throws {
    let packed = try T.coder.packed(jpeg: jpeg(.noise(300, 300, .opaqueRGBA8)))
    let work = WorkContext(limits: Limits(downloadBytes: 1000))
    #expect(try T.coder.repacked(packed, as: .jpeg, withMetadata: true, work: work) == nil)
    #expect(try T.coder.repacked(packed, as: .png, withMetadata: true, work: WorkContext()) == nil)
    #expect(T.coder.repackedFormats(of: .jxl) == [.jpeg] && T.coder.repackedFormats(of: .jpeg) == [.jxl])
    #expect(T.coder.repackedFormats(of: .png) == [])
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
