import Easel
import EaselTestSupport
import FoundationEssentials
import Testing

/// The snippets of the README must compile and do what the text says.
struct ReadmeSnippets {
  private let loader = FakeLoader()
  private let url = URL(string: "http://host/picture.toy")!

  private func manager() -> ImageManager {
    loader.script(url, .body(ToyImage(width: 640, height: 480, seed: 1).bytes))
    let manager = ImageManager(
      ImageManager.Configuration(
        loader: LoaderChain([loader]),
        coder: CoderRegistry([PNGCoder(), ToyCoder()]),
        cache: TieredCache(memory: LRUMemoryStore())))
    return manager
  }

  @Test func threeLines() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let file = URL(filePath: "\(directory).webp")
    defer {
      try? FileManager.default.removeItem(atPath: directory)
      try? FileManager.default.removeItem(at: file)
    }
    let picture = Image(try Bitmap(size: PixelSize(width: 640, height: 480), format: .opaqueRGBA8))
    let bytes = try PNGCoder().encode(picture, as: .png, options: EncodeOptions(), work: WorkContext()).data()
    let url = try #require(URL(string: "data:image/png;base64,\(bytes.base64EncodedString())"))
    do {
      let manager = ImageManager(.server(cacheDirectory: directory))
      let card = try await manager.image(for: url, context: [.transformer(.resize(width: 320).then(.roundCorners(12)))])
      try await card.write(to: file)
      await manager.close()
    }
    let card = try await Image(contentsOf: file)
    #expect(card.format == .webp && card.size == PixelSize(width: 320, height: 240))
  }

  @Test func changeAnyPart() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var configuration = ImageManager.Configuration.server(cacheDirectory: directory)
    configuration.limits.framePixels = 20_000_000
    configuration.cachePolicy = .http
    configuration.coder = configuration.coder.adding(FlagCoder())  // a format of yours
    let flag = Array("FLAG".utf8) + [30, 20, 200, 10, 10]
    let image = try await ImageManager(configuration).image(from: Data(flag))
    #expect(image.size == PixelSize(width: 30, height: 20))
  }

  @Test func loadAPicture() async throws {
    let manager = manager()
    let image = try await manager.image(for: url)
    #expect(image.size == PixelSize(width: 640, height: 480))
    #expect(manager.cachedImage(for: url) != nil)
  }

  @Test func addACoder() throws {
    let registry = CoderRegistry([PNGCoder()]).adding(ToyCoder())
    #expect(registry.formats.contains(ToyImage.format) && registry.formats.contains(.png))
  }

  @Test func signARequest() async throws {
    let manager = manager()
    _ = try await manager.image(for: url, context: [.requestModifier(.headers(["X-Token": "secret"]))])
    #expect(loader.calls(for: url).first?.request.headers["X-Token"] == "secret")
  }

  @Test func keepHighRange() async throws {
    let manager = manager()
    let bright = try await manager.image(for: url, context: [.keepsHighRange(true)])
    #expect(bright.size == PixelSize(width: 640, height: 480))
    #expect(manager.cachedImage(for: url) == nil, "the key is another")
  }

  @Test func composeTransformers() async throws {
    let manager = manager()
    let image = try await manager.image(
      for: url, context: [.transformer(.resize(width: 320).then(.roundCorners(12)))])
    #expect(image.size == PixelSize(width: 320, height: 240))

    let request = ImageRequest(url: url, context: [.transformer([.resize(width: 320), .roundCorners(12)])])
    #expect(manager.cacheKey(for: request)?.readable.contains("-Resize({320,0},0,4,1)-RoundCorners(") == true)
    #expect(manager.cachedImage(for: request)?.size == image.size)
  }
}
