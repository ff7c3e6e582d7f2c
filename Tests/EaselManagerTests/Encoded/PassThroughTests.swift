import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// A source that already is what is asked for goes out byte for byte, whatever the caches have.
struct PassThroughTests {
  private let original = ToyImage.small.bytes

  private func bytes(_ encoded: EncodedImage) throws -> [UInt8] { try Array(encoded.bytes.data()) }

  @Test func theBytesAreNeitherDecodedNorEncodedNorStoredTwice() async throws {
    let studio = Studio()
    let url = studio.place(.small, chunkSize: 50)
    let encoded = try await studio.warmEncoded(url, as: .toy)
    #expect(try bytes(encoded) == original && encoded.size == PixelSize(width: 8, height: 6))
    #expect(studio.coder.counts.encodes == 0 && studio.coder.decodeOptions.isEmpty)
    #expect(Set(studio.disk.entries.keys) == [CacheKey(original: url.absoluteString)])
    #expect(Set(studio.memory.entries.keys) == [encoded.key])
    studio.memory.removeAll()
    let again = try await studio.warmEncoded(url, as: .toy)
    #expect(try bytes(again) == original && again.source == .disk && again.entityTag == encoded.entityTag)
    #expect(studio.coder.decodeOptions.isEmpty && studio.loader.callCount == 1)
  }

  @Test func observersHearOfEachEventOnce() async throws {
    // The work gate waits for the transfer of what must be encoded.
    for recipe in [EncodeRecipe.toy, .print] {
      let studio = Studio { $0.workGate = OpenGate() }
      let url = studio.place(.small, chunkSize: 50)
      try await studio.warmEncoded(url, as: recipe)
      // Each layer stores, and tells so.
      let events = studio.observer.events.filter { $0.kind.name != "stored" }
        .map { "\($0.kind.name) in \($0.run ?? 0)" }
      #expect(events.count > 3 && Set(events).count == events.count, "\(events)")
    }
  }

  @Test func withoutAnOriginalOnDiskTheBytesAreStoredThere() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let encoded = try await studio.warmEncoded(url, as: .toy, [], [.originalStoreLayers([]), .storeLayers(.all)])
    #expect(studio.disk.entries[encoded.key] != nil || studio.disk.entries.count == 1)
  }

  @Test func aPictureInMemoryDoesNotChangeTheBytes() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    try await studio.warm(url)
    #expect(studio.manager.cachedImage(for: url) != nil)
    let encoded = try await studio.warmEncoded(url, as: .toy)
    #expect(try bytes(encoded) == original && studio.coder.counts.encodes == 0)
    #expect(encoded.source == .disk)
  }

  /// Requests that need other bytes, with the number of encodes.
  private static let others: [(String, EncodeRecipe, ImageOptions, ImageContext)] = [
    ("another format", .print, [], []),
    ("a smaller size", .toy, [], [.thumbnailSize(PixelSize(width: 4, height: 4))]),
    ("a transformer", .toy, [], [.transformer(.custom(TaggingTransformer(1)))]),
    (
      "a smaller box",
      EncodeRecipe(
        ToyImage.format, options: EncodeOptions(maxPixelSize: PixelSize(width: 7, height: 7))), [], []
    ),
    ("raw orientation", .toy, [], [.decodeOptions(DecodeOptions(appliesOrientation: false))]),
    ("a quality", EncodeRecipe(ToyImage.format, quality: 0.1), [], []),
    ("the usual quality", EncodeRecipe(ToyImage.format, quality: 0.8), [], []),
    ("no loss", asking { $0.lossless = true }, [], []),
    ("a loss", asking { $0.lossless = false }, [], []),
    ("several scans", asking { $0.progressive = true }, [], []),
    ("one scan", asking { $0.progressive = false }, [], []),
    ("all colours", asking { $0.chromaSubsampling = .full }, [], []),
    ("the usual colours", asking { $0.chromaSubsampling = .quarter }, [], []),
    ("an effort", asking { $0.compressionLevel = 6 }, [], []),
    ("a setting of a coder", asking { $0.settings[EncodeOptions.Setting<Int>("speed")] = 3 }, [], []),
  ]

  private static func asking(_ change: (inout EncodeOptions) -> Void) -> EncodeRecipe {
    var options = EncodeOptions()
    change(&options)
    return EncodeRecipe(ToyImage.format, options: options)
  }

  @Test(arguments: others.indices) func whatMustChangeIsEncoded(_ index: Int) async throws {
    let (name, recipe, options, context) = Self.others[index]
    let studio = Studio()
    var picture = ToyImage.small
    picture.orientation = .right
    let url = studio.place(picture)
    let encoded = try await studio.warmEncoded(url, as: recipe, options, context)
    #expect(studio.coder.counts.encodes == 1, "\(name)")
    #expect(try bytes(encoded) != picture.bytes, "\(name)")
  }

  @Test func whatLeavesThePictureAsItIsPassesToo() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let recipe = EncodeRecipe(
      ToyImage.format,
      options: EncodeOptions(maxPixelSize: PixelSize(width: 8, height: 8), maxFileBytes: 224))
    for context: ImageContext in [
      [], [.thumbnailSize(PixelSize(width: 100, height: 100))], [.transformer(.custom(Shrinking(to: 10)))],
    ] {
      let encoded = try await studio.warmEncoded(url, as: recipe, [], context)
      #expect(try bytes(encoded) == original)
    }
    #expect(studio.coder.counts.encodes == 0)
    _ = try await studio.warmEncoded(url, as: recipe, [], [.transformer(.custom(Shrinking(to: 7)))])
    #expect(studio.coder.counts.encodes == 1)
  }

  @Test func aDefaultQualityIsNotAskedFor() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let recipe = Self.asking { $0.defaultQuality = 0.3 }
    let passed = try await studio.warmEncoded(url, as: recipe)
    #expect(try bytes(passed) == original && passed.key.suffixes.map(\.text) == ["Encode(x-easel-toy,30)"])
    let made = try await studio.warmEncoded(url, as: EncodeRecipe(ToyImage.format, quality: 0.3))
    #expect(made.key.suffixes.map(\.text) == ["Encode(x-easel-toy,q30)"] && made.entityTag != passed.entityTag)
    #expect(studio.coder.counts.encodes == 1 && studio.loader.callCount == 1)
    // Each has its own entry, so that neither is taken for the other.
    #expect(try bytes(await studio.encoded(url, as: recipe)) == original && studio.coder.counts.encodes == 1)
  }

  @Test func aPictureThatChangesInAnyCaseHasOneKey() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let context: ImageContext = [.transformer(.custom(TaggingTransformer(1)))]
    let usual = try await studio.warmEncoded(url, as: Self.asking { $0.defaultQuality = 0.3 }, [], context)
    let asked = try await studio.warmEncoded(url, as: EncodeRecipe(ToyImage.format, quality: 0.3), [], context)
    #expect(usual.key.suffixes.last?.text == "Encode(x-easel-toy,30)" && asked.key == usual.key)
    let scans = try await studio.warmEncoded(
      url, as: Self.asking { ($0.progressive, $0.lossless) = (true, false) }, [], context)
    #expect(scans.key.suffixes.last?.text == "Encode(x-easel-toy,80,progressive)")
    #expect(studio.coder.counts.encodes == 2)
  }

  @Test func whatWasAskedForIsMadeOfAPictureInMemory() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    try await studio.warm(url)
    let decodes = studio.coder.decodeOptions.count
    let made = try await studio.warmEncoded(url, as: EncodeRecipe(ToyImage.format, quality: 0.8))
    #expect(made.source == .memory && studio.coder.counts.encodes == 1)
    #expect(studio.coder.decodeOptions.count == decodes)
  }

  @Test func whatWasAskedForIsMadeOfBytesAtHand() async throws {
    let studio = Studio()
    let picture = ToyImage.small.imageBytes
    for (recipe, encodes) in [(EncodeRecipe.toy, 0), (EncodeRecipe(ToyImage.format, quality: 0.8), 1)] {
      let made = try await studio.manager.encoded(from: picture, key: "mine", as: recipe)
      #expect(made.format == ToyImage.format && studio.coder.counts.encodes == encodes)
    }
    let asked = Self.asking { $0.progressive = true }
    let thread = Task.detached { [manager = studio.manager] in
      try manager.encodedByThisThread(from: picture, as: asked, context: []).size
    }
    #expect(try await thread.value == PixelSize(width: 8, height: 6) && studio.coder.counts.encodes == 2)
    await studio.settle()
  }

  @Test func onlyTheFormatForWhichItWasAskedIsMade() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    var recipe = EncodeRecipe(ToyImage.writtenFormat, ToyImage.format)
    recipe.keepsFormat = true
    recipe.formatOptions[ToyImage.writtenFormat] = EncodeOptions(quality: 0.5)
    let passed = try await studio.warmEncoded(url, as: recipe)
    #expect(try bytes(passed) == original)
    #expect(passed.key.suffixes.map(\.text) == ["Encode(original:x-easel-print,q50;x-easel-toy,80)"])
    recipe.formatOptions[ToyImage.format] = EncodeOptions(quality: 0.5)
    _ = try await studio.warmEncoded(url, as: recipe)
    #expect(studio.coder.counts.encodes == 1)
  }

  @Test func whatAFormatCannotExpressIsNotAskedFor() async throws {
    let coder = ToyCoder()
    let studio = Studio { $0.coder = CoderRegistry([PlainCoder(toy: coder)]) }
    let url = studio.place(.small)
    for recipe in [EncodeRecipe.toy, EncodeRecipe(ToyImage.format, quality: 0.1)] {
      let passed = try await studio.warmEncoded(url, as: recipe)
      #expect(try bytes(passed) == original && passed.key.suffixes.map(\.text) == ["Encode(x-easel-toy,100)"])
    }
    let made = try await studio.warmEncoded(url, as: Self.asking { $0.compressionLevel = 6 })
    #expect(made.key.suffixes.map(\.text) == ["Encode(x-easel-toy,100,level=6)"] && coder.counts.encodes == 1)
  }

  @Test func tooManyBytesAreEncoded() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    var options = EncodeOptions(maxFileBytes: 223)
    #expect(await studio.encodedFailure(url, as: EncodeRecipe(ToyImage.format, options: options)) != nil)
    options.maxPixelSize = PixelSize(width: 4, height: 4)
    let small = try await studio.encoded(url, as: EncodeRecipe(ToyImage.format, options: options))
    #expect(small.bytes.count <= 223 && small.size == PixelSize(width: 4, height: 3))
  }

  @Test func metadataThatNobodyCountedAreRemovedByEncoding() async throws {
    let studio = Studio(coder: ToyCoder(knowsMetadata: false))
    let url = studio.place(.small)
    _ = try await studio.encoded(url, as: .toy)
    #expect(studio.coder.counts.encodes == 1)
    let keeping = EncodeRecipe(ToyImage.format, options: EncodeOptions(keepsMetadata: true))
    #expect(try bytes(await studio.encoded(url, as: keeping)) == original)
    #expect(studio.coder.counts.encodes == 1)
    await studio.settle()
  }

  @Test func aMovingPicturePassesWhole() async throws {
    let studio = Studio()
    let url = studio.place(.moving)
    #expect(try bytes(await studio.encoded(url, as: .toy)) == ToyImage.moving.bytes)
    let first = try await studio.encoded(url, as: .toy, .firstFrameOnly)
    #expect(studio.coder.counts.encodes == 1 && first.bytes.count < ToyImage.moving.bytes.count)
    await studio.settle()
  }

  @Test func aDamagedFileIsNotPassed() async throws {
    let studio = Studio()
    let url = URL(string: "http://host/a.toy")!
    studio.loader.script(url, .body([1, 2, 3]))
    #expect(await studio.encodedFailure(url, as: .toy)?.code == .unsupportedFormat)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func aBodyInAnotherFormatIsDecodedWhileItArrives() async throws {
    let studio = Studio()
    let url = studio.place(.small, chunkSize: 70)
    // The request could be met by the bytes themselves, so the format must be known before decoding begins.
    studio.loader.suspend(url, at: .step(3))
    let context: ImageContext = [.transformer(.custom(Shrinking(to: 4)))]
    let task = Task { try await studio.encoded(url, as: .toy, [], context) }
    await studio.coder.wait { $0.decoders == 1 }
    studio.loader.resume(url, at: .step(3))
    #expect(try await task.value.size == PixelSize(width: 4, height: 3))
    await studio.settle()
  }

  @Test func aFormatThatIsKnownLateMayPassToo() async throws {
    let coder = LateCoder()
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    let url = studio.place(.small, chunkSize: 70)
    studio.loader.suspend(url, at: .step(2))
    let task = Task { try await studio.encoded(url, as: .toy) }
    await coder.shortPrefixes.wait { $0 > 0 }
    studio.loader.resume(url, at: .step(2))
    #expect(try await bytes(task.value) == original)
    #expect(coder.toy.counts.encodes == 0 && coder.toy.decodeOptions.isEmpty)
    await studio.settle()
  }

  @Test func aTransferThatFailsWhileItsBeginningIsReadFailsTheLoad() async throws {
    let studio = Studio()
    let url = URL(string: "http://host/a.toy")!
    studio.loader.script(
      url,
      FakeLoader.Script(
        [.head(ResponseHead(status: 200)), .chunk(Array(original.prefix(100)))],
        end: .failure(ImageError(.truncatedBody, "The connection broke."))))
    #expect(await studio.encodedFailure(url, as: .toy)?.code == .truncatedBody)
    #expect(studio.isAtRest)
  }
}

/// Shrinks a picture to a longest side by leaving out pixels.
private struct Shrinking: SizeDependentTransformer {
  let side: Int

  init(to side: Int) { self.side = side }

  var cacheKey: String { "Shrinking(\(side))" }

  func leavesUnchanged(_ size: PixelSize) -> Bool { max(size.width, size.height) <= side }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    if leavesUnchanged(image.size) { return image }
    let size = image.size.thumbnail(in: PixelSize(width: side, height: side))
    let options = EncodeOptions(maxPixelSize: size)
    let small = try ToyCoder().encode(image, as: ToyImage.format, options: options, work: work)
    return Image(try ToyCoder().decode(small, options: DecodeOptions(), work: work).bitmap)
  }
}

/// Lets everything in at once.
private struct OpenGate: WorkGate {
  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void { { _ in } }
}

/// Writes files on which nothing but the level has an effect.
private struct PlainCoder: EncodingCoder, MetadataCountingCoder {
  let toy: ToyCoder

  var identifier: String { toy.identifier }
  var formats: [ImageFormat] { toy.formats }

  func canDecode(prefix: [UInt8]) -> Bool { toy.canDecode(prefix: prefix) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try toy.probe(bytes, work: work) }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try toy.decode(bytes, options: options, work: work)
  }

  func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try toy.metadataBytes(of: bytes, work: work)
  }

  func canEncode(_ format: ImageFormat) -> Bool { toy.canEncode(format) }

  func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    var result = EncodeOptions(quality: 1)
    result.compressionLevel = options.compressionLevel
    return result
  }

  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes {
    try toy.encode(image, as: format, options: options, work: work)
  }
}

/// Knows its files by a hundred bytes only.
private struct LateCoder: EncodingCoder, MetadataCountingCoder {
  let toy = ToyCoder(identifier: "late")
  /// The number of times that fewer bytes were shown.
  let shortPrefixes = Watched(0)

  var identifier: String { toy.identifier }
  var formats: [ImageFormat] { toy.formats }

  func canDecode(prefix: [UInt8]) -> Bool {
    guard prefix.count >= 100 else {
      shortPrefixes.withLock { $0 += 1 }
      return false
    }
    return toy.canDecode(prefix: prefix)
  }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try toy.probe(bytes, work: work) }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try toy.decode(bytes, options: options, work: work)
  }

  func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try toy.metadataBytes(of: bytes, work: work)
  }

  func canEncode(_ format: ImageFormat) -> Bool { toy.canEncode(format) }

  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes {
    try toy.encode(image, as: format, options: options, work: work)
  }
}
