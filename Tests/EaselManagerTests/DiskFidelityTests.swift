import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// A disk hit equals the first load in every property of the picture.
struct DiskFidelityTests {
  let url = URL(string: "http://host/a.toy")!
  private let box: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]

  private func check(_ made: ImageResult, is first: ImageResult, _ name: String) throws {
    let (image, other) = (made.image, first.image)
    #expect(image.bitmap == other.bitmap, "\(name): bitmap")
    #expect(image.format == other.format, "\(name): format")
    #expect(image.metadata == other.metadata, "\(name): metadata")
    #expect(image.traits == other.traits, "\(name): traits")
    #expect(image.scaleFactor == other.scaleFactor, "\(name): scaleFactor")
    #expect(image.size == other.size && image.isAnimated == other.isAnimated, "\(name): size")
    #expect(made.key == first.key, "\(name): key")
    #expect(try made.bytes?.data() == first.bytes?.data(), "\(name): bytes")
    guard let frames = image.frames, let others = other.frames else { return }
    #expect(frames.count == others.count && frames.loopCount == others.loopCount, "\(name): plays")
    #expect(frames.canvasSize == others.canvasSize, "\(name): canvas")
    for index in 0..<min(frames.count, others.count) {
      #expect(frames.duration(at: index) == others.duration(at: index), "\(name): duration \(index)")
      #expect(try frames.frame(at: index) == others.frame(at: index), "\(name): frame \(index)")
    }
  }

  /// Loads from the loader, from memory and from disk, and compares the three results.
  private func compare(
    _ studio: Studio, _ name: String, _ options: ImageOptions = [], _ context: ImageContext = []
  ) async throws {
    let first = try await studio.warm(url, options, context)
    #expect(first.source == .network)
    let second = try await studio.result(url, options, context)
    #expect(second.source == .memory)
    try check(second, is: first, name + " from memory")
    studio.memory.removeAll()
    let third = try await studio.result(url, options, context)
    #expect(third.source == .disk)
    try check(third, is: first, name + " from disk")
    let fourth = try await studio.result(url, options, context)
    #expect(fourth.source == .memory)
    try check(fourth, is: first, name + " from memory again")
  }

  @Test(arguments: [false, true]) func aPictureOfTheNetworkIsTheSameFromEveryLayer(_ moves: Bool) async throws {
    var picture = ToyImage(width: 8, height: 6, seed: 9, frameCount: moves ? 3 : 1, orientation: .right)
    picture.loopCount = moves ? 5 : 0
    let bare: ImageContext = [.transformer(.closure(key: "Bare()") { Image($0.bitmap) })]
    let cases: [(String, ImageOptions, ImageContext)] = [
      ("plain", [], []), ("thumbnail", [], box), ("transformed", .transformAnimated, bare),
      ("scaled down", .scaleDownLarge, [.scaleDownLimitBytes(64)]), ("at another scale", [], [.scaleFactor(2)]),
    ]
    for (name, options, context) in cases {
      let studio = Studio()
      studio.place(picture)
      try await compare(studio, name, options, context)
    }
  }

  @Test func aReadyPictureIsTheSameFromEveryLayer() async throws {
    var image = Image(
      try ToyImage(width: 8, height: 6, seed: 2).expectedBitmap(), format: .gif,
      metadata: ImageMetadata(
        storedSize: PixelSize(width: 80, height: 60), orientation: .left,
        density: ImageMetadata.Density(horizontal: 300, vertical: 72)), traits: .thumbnail)
    image.scaleFactor = 3
    for (name, context) in [
      ("plain", []), ("transformed", [.transformer(.closure(key: "Bare()") { Image($0.bitmap) })]),
    ]
      as [(String, ImageContext)]
    {
      let studio = Studio()
      studio.loader.script(url, .image(image))
      try await compare(studio, name, [], context)
    }
  }

  @Test func whatASerializerWroteKeepsWhatIsSaidOfThePicture() async throws {
    let studio = Studio {
      $0.cacheSerializer = .closure { image, _ in
        try ToyCoder().encode(image, as: ToyImage.format, options: EncodeOptions(), work: WorkContext())
      }
    }
    studio.place(ToyImage(width: 8, height: 6, seed: 9, orientation: .right))
    try await compare(studio, "serialized", [], box)
  }

  @Test func aSerializerThatKeepsWhatCameChangesNothing() async throws {
    let studio = Studio { $0.cacheSerializer = .closure { _, received in received } }
    studio.place(ToyImage(width: 8, height: 6, seed: 9, orientation: .right))
    try await compare(studio, "passed through")
    #expect(studio.disk.entries.values.allSatisfy { $0.record.picture == nil })
  }

  @Test func theTypeOfAnEntryIsThatOfItsBytes() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: ["Content-Type": "image/jpeg"]))
    let small = try await studio.warm(url, [], box)
    for key in [small.key, small.key.originalKey] {
      #expect(studio.disk.entries[key]?.record.mimeType == ToyImage.format.mimeType)
    }
    let other = URL(string: "http://host/b.txt")!
    studio.loader.script(other, .body([1, 2, 3], headers: ["Content-Type": "text/plain"]))
    _ = try await studio.manager.bytes(for: ImageRequest(url: other))
    await studio.settle()
    // Bytes of an unknown format get the server's MIME type.
    #expect(studio.disk.entries[CacheKey(original: other.absoluteString)]?.record.mimeType == "text/plain")
  }
}
