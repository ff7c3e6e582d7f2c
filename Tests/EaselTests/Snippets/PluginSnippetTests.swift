import Easel
import EaselTestSupport
import FoundationEssentials
import Synchronization
import Testing

/// Every plug-in in the documentation must keep its contract and do what the text says.
struct PluginSnippetTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  private let url = URL(string: "http://host/picture.png")!

  private static let flags = [(30, 20), (1, 1), (200, 100)].map { width, height in
    ImageSample(
      "\(width)x\(height)", bytes: Array("FLAG".utf8) + [UInt8(width), UInt8(height), 200, 10, 90],
      signature: [0..<4])
  }

  /// A picture as PNG, and with `.frames` a moving one.
  private func png(width: Int = 40, height: Int = 30) throws -> [UInt8] {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for place in 0..<width * 4 { bytes[y * bytesPerRow + place] = place % 4 == 3 ? 255 : UInt8(y * 4 + place / 4) }
      }
    }
    let file = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
    return Array(try file.data())
  }

  private func makeManager(
    _ loader: any ImageLoader, _ change: (inout ImageManager.Configuration) -> Void = { _ in }
  ) -> ImageManager {
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.loader = loader
    change(&configuration)
    return ImageManager(configuration)
  }

  // Documentation: testing a plug-in.
  @Test func theCoderKeepsItsContract() async {
    let bytes = Array("FLAG".utf8) + [30, 20, 200, 10, 90]
    let sample = ImageSample("a red flag", bytes: bytes, signature: [0..<4])
    let violations = await ImageCoderContract(FlagCoder(), samples: [sample]).check()
    #expect(violations == [])
  }

  // Documentation: testing a plug-in.
  @Test func theCoderDecodesTheRightPixels() async throws {
    let bytes = Array("FLAG".utf8) + [1, 1, 200, 10, 90]
    var pixel = try Bitmap(size: PixelSize(width: 1, height: 1), format: .opaqueRGBA8)
    pixel.withUnsafeMutableBytes { $0.copyBytes(from: [200, 10, 90, 255]) }
    let sample = ImageSample("one red pixel", bytes: bytes, pixels: pixel, signature: [0..<4])
    #expect(await ImageCoderContract(FlagCoder(), samples: [sample]).check() == [])
  }

  // Documentation: writing a work gate.
  @Test func theWorkGateKeepsItsContract() async {
    #expect(await WorkGateContract(NotTooManyPixels(most: 200_000_000)).check() == [])
    #expect(await WorkGateContract(NotTooManyPixels(most: 5000)).check() == [])
  }

  // Documentation: testing a plug-in.
  @Test func theTokenIsSentAndNotPartOfTheKey() async throws {
    let loader = FakeLoader()
    let signed = URL(string: "http://host/picture.png?token=1")!
    loader.script(signed, .failure(ImageError(.network, "The line was cut.")), .body(try png()))
    var configuration = ImageManager.Configuration(loader: loader, coder: CoderRegistry.standard, cache: TieredCache())
    configuration.requestModifier = TokenInQuery(user: "ada") { "1" }
    configuration.retryPolicy = FakeRetryPolicy(.retry(after: .zero))
    let image = try await ImageManager(configuration).image(for: url)
    #expect(image.size == PixelSize(width: 40, height: 30))
    #expect(loader.callCount(for: signed) == 2)
  }

  @Test(arguments: flags)
  func theCodersKeepTheirContract(flag: ImageSample) async {
    #expect(await ImageCoderContract(FlagCoder(), samples: [flag]).check() == [])
    #expect(await ImageCoderContract(WritingFlagCoder(), samples: [flag]).check() == [])
  }

  @Test func theLoaderKeepsItsContract() async {
    let bodies = ["one": [UInt8](repeating: 7, count: 1000), "two": [1, 2, 3]]
    let samples = bodies.map { ImageLoaderContract.Sample(URL(string: "asset://\($0.key)")!, body: $0.value) }
    let contract = ImageLoaderContract(
      AssetLoader(assets: bodies), samples: samples, failingURL: URL(string: "asset://missing")!)
    #expect(await contract.check() == [])
  }

  @Test func theTransformersKeepTheirContract() async {
    let contract = TransformerContract {
      [
        Posterize(levels: 4), Posterize(levels: 0),
        TransformerPipeline.resize(width: 200).then(.custom(Posterize(levels: 4))),
        TransformerPipeline.closure(key: "Mirror()") { image in
          var image = image
          image.bitmap = try image.bitmap.flipped(horizontally: true, vertically: false)
          return image
        },
      ]
    }
    #expect(await contract.check() == [])
  }

  @Test func theStoresKeepTheirContract() async {
    #expect(await MemoryStoreContract { PlainMemoryStore() }.check() == [])
    let directory = directory
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let count = Mutex(0)
    let contract = DiskStoreContract(reopen: { $0 }) {
      let number = count.withLock { count in
        count += 1
        return count
      }
      return FolderStore(folder: "\(directory)/\(number)")
    }
    #expect(await contract.check() == [])
    let cache = ImageCacheContract {
      TieredCache(memory: PlainMemoryStore(), disk: FolderStore(folder: "\(directory)/\(UUID().uuidString)"))
    }
    #expect(await cache.check() == [])
  }

  @Test func theRequestModifierKeepsItsContract() async {
    #expect(await RequestModifierContract(TokenInQuery(user: "ada") { "secret" }).check() == [])
  }

  @Test func theResponseModifierKeepsItsContract() async throws {
    #expect(await ResponseModifierContract(RefusePlaceholders()).check() == [])
    let loader = FakeLoader()
    loader.script(url, .body(try png(), headers: ["X-Placeholder": "1"]))
    var configuration = ImageManager.Configuration(loader: loader, coder: CoderRegistry.standard, cache: TieredCache())
    configuration.responseModifier = RefusePlaceholders()
    let manager = ImageManager(configuration)
    let error = await #expect(throws: ImageError.self) { try await manager.image(for: url) }
    #expect(error?.code == .invalidResponse)
    let context: ImageContext = [.responseModifier(.requiringContentType("image/*"))]
    let other = await #expect(throws: ImageError.self) { try await manager.image(for: url, context: context) }
    #expect(other != nil)
  }

  @Test func theDecryptorKeepsItsContract() async throws {
    let decryptor = MaskDecryptor(mask: [0x5a, 0xc3], maskName: "first")
    let picture = try png()
    let masked = picture.enumerated().map { $0.element ^ decryptor.mask[$0.offset % 2] }
    let contract = DecryptorContract(decryptor, samples: [(encrypted: masked, plain: picture)])
    #expect(await contract.check() == [])
    let loader = FakeLoader()
    loader.script(url, .body(masked))
    let manager = makeManager(loader)
    let image = try await manager.image(for: url, context: [.decryptor(decryptor)])
    #expect(image.size == PixelSize(width: 40, height: 30))
  }

  @Test func theFilterKeepsItsContract() async throws {
    let expected: [URL: String?] = [
      URL(string: "http://host/a.png?token=1#top")!: "http://host/a.png",
      URL(string: "http://host/private/a.png")!: nil,
    ]
    #expect(await CacheKeyFilterContract(NamesWithoutQuery(), expected: expected).check() == [])
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.cacheKeyFilter = NamesWithoutQuery()
    let request = ImageRequest("http://host/a.png?token=1")
    #expect(ImageManager(configuration).cacheKey(for: request)?.readable == "http://host/a.png")
  }

  @Test func theSerializerKeepsItsContract() async throws {
    let samples = [ImageSample("a slope", bytes: try png())]
    #expect(await CacheSerializerContract(SmallCopies(), coder: CoderRegistry.standard, samples: samples).check() == [])
    let loader = FakeLoader()
    loader.script(url, .body(try png()))
    let manager = makeManager(loader) { $0.cacheSerializer = SmallCopies() }
    _ = try await manager.image(for: url, context: [.transformer(.resize(width: 20))])
  }

  @Test func theProcessorKeepsItsContract() async {
    #expect(await OptionsProcessorContract(AvatarsAreSmall()).check() == [])
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.optionsProcessor = AvatarsAreSmall()
    let key = ImageManager(configuration).cacheKey(for: ImageRequest("http://host/avatars/ada.png"))
    #expect(key?.readable == "http://host/avatars/ada-Thumbnail({96,96},1,1).png")
  }

  @Test func theObserverKeepsItsContract() async throws {
    #expect(await ImageObserverContract(HitRate()).check() == [])
    let loader = FakeLoader()
    loader.script(url, .body(try png()))
    let rate = HitRate()
    let manager = makeManager(loader) { $0.observer = rate }
    for _ in 0..<2 { _ = try await manager.image(for: url) }
    #expect(rate.share == 0.5)
  }

  @Test func theRetryPolicyKeepsItsContract() async {
    #expect(await RetryPolicyContract(OnceMoreWhenBusy()).check() == [])
  }
}
