import EaselEverything
import EaselTestSupport
import FoundationEssentials
import Testing

/// What the module EaselEverything adds to Easel.
struct EverythingTests {
  @Test func everythingHasTheStandardCodersAndTheOthers() {
    let standard = CoderRegistry.standard.coders.map(\.identifier)
    let all = CoderRegistry.everything.coders.map(\.identifier)
    #expect(Set(standard) == ["png", "jpeg", "gif", "webp", "bmp", "ico", "pnm", "qoi", "radiance"])
    #expect(Set(all) == Set(standard).union(["avif", "heif", "jpeg2000", "jxl", "tiff", "svg"]))
    #expect(all.count == Set(all).count)
    // In the same order, so that no file changes its format; SVG is asked last.
    #expect(all.filter(standard.contains) == standard && all.first == "svg")
  }

  @Test func aConfigurationTakesTheCodersThatItIsGiven() async throws {
    let tiff = try TIFFCoder().encode(
      Image(try Bitmap(width: 8, height: 6)), as: .tiff, options: EncodeOptions(), work: WorkContext())
    let all = ImageManager(.standard(cacheDirectory: nil, coder: .everything))
    #expect(try await all.image(from: tiff).size == PixelSize(width: 8, height: 6))
    let some = ImageManager(.standard(cacheDirectory: nil, coder: CoderRegistry.standard.adding(TIFFCoder())))
    #expect(try await some.image(from: tiff).size == PixelSize(width: 8, height: 6))
    let error = await #expect(throws: ImageError.self) {
      try await ImageManager(.standard(cacheDirectory: nil)).image(from: tiff)
    }
    #expect(error?.code == .unsupportedFormat)
  }

  @Test func theStoresAndLoadersOfFleetsComeAlong() {
    // Types of EaselRedis, EaselMemcached and EaselS3, which this file does not import.
    let names = ["\(RedisStore.self)", "\(MemcachedStore.self)", "\(S3Loader.self)"]
    #expect(names == ["RedisStore", "MemcachedStore", "S3Loader"])
  }

  /// Compiled and never called: the tests of the shared manager configure it.
  private func documentedCalls() throws -> [ImageManager] {
    var managers: [ImageManager] = []
    do {
      let manager = ImageManager(.standard(coder: .everything))
      managers.append(manager)
    }
    do {
      let manager = ImageManager(.standard(coder: CoderRegistry.standard.adding(AVIFCoder())))
      managers.append(manager)
    }
    try ImageManager.configureShared(.standard(coder: .everything))
    return managers
  }
}
