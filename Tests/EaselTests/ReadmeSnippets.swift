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

  @Test func importAsALibrary() async throws {
    let manager = manager()
    let image = try await manager.image(for: url)
    #expect(image.size == PixelSize(width: 640, height: 480))
    #expect(manager.cachedImage(for: url) != nil)
  }

  @Test func registerACoder() throws {
    let registry = CoderRegistry([PNGCoder()]).adding(ToyCoder())
    #expect(registry.formats.contains(ToyImage.format) && registry.formats.contains(.png))
  }

  @Test func injectARequestModifier() async throws {
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
    #expect(manager.cacheKey(for: request)?.readable.contains("-Resize({320,0},0)-RoundCorners(") == true)
    #expect(manager.cachedImage(for: request)?.size == image.size)
  }
}
