import Easel
import EaselHelpers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

/// The snippets of the documentation must compile and do what the text says.
@Suite(.tags(.alone))
struct DocumentationSnippets {
  private let server: ScriptableServer
  private let url: URL
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

  init() throws {
    let picture = Image(try Self.stripes())
    let bytes = try PNGCoder().encode(picture, as: .png, options: EncodeOptions(), work: WorkContext()).data()
    server = try ScriptableServer(routes: ["/a.png": .file(ServerFile(Array(bytes), contentType: "image/png"))])
    url = server.url("/a.png")
  }

  private static func stripes() throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: 640, height: 480), format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for place in bytes.indices { bytes[place] = place % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: place / 96) }
    }
    return bitmap
  }

  private func makeConfiguration() -> ImageManager.Configuration { .standard(cacheDirectory: nil) }
  private func makeManager() -> ImageManager { ImageManager(makeConfiguration()) }
  private func show(_ image: Image) { #expect(!image.size.isEmpty) }

  @Test func theSharedManagerLoadsAPicture() async throws {
    let url = URL(
      string:
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )!
    let image = try await ImageManager.shared.image(for: url)
    #expect(image.size == PixelSize(width: 1, height: 1))
  }

  @Test func thumbnailsAndTransformersChangeTheSize() async throws {
    let manager = makeManager()
    let thumbnail = try await manager.image(
      for: url, options: [.retryFailed], context: [.thumbnailSize(PixelSize(width: 320, height: 320))])
    #expect(thumbnail.size == PixelSize(width: 320, height: 240))
    let card = try await manager.image(
      for: url, context: [.transformer(.resize(width: 320).then(.roundCorners(12)))])
    #expect(card.size == PixelSize(width: 320, height: 240))
  }

  @Test func picturesGoOutAsBytes() async throws {
    let manager = makeManager()
    let request = ImageRequest(url: url, context: [.transformer(.resize(within: PixelSize(width: 800, height: 800)))])
    let recipe = EncodeRecipe(.webp, .jpeg, options: EncodeOptions(quality: 0.75))
    let picture = try await manager.encoded(for: request, as: recipe)
    var fields = ["Content-Type": picture.format.mimeType, "ETag": picture.entityTag]
    if let lifetime = picture.record.response?.headers["Cache-Control"] { fields["Cache-Control"] = lifetime }
    let body = try picture.bytes.data()
    #expect(fields["Content-Type"] == "image/webp" && body.count == picture.bytes.count)
    #expect(picture.size == PixelSize(width: 640, height: 480))
    #expect(picture.key.suffixes.last?.text == "Encode(webp,q75,quality-scale:1)")
    var sent = 0
    func send(_ picture: EncodedImage) { sent += picture.bytes.count }
    if let picture = manager.cachedEncoded(for: request, as: recipe) { send(picture) }
    #expect(sent == body.count)
    var options = EncodeOptions(quality: 0.6, maxFileBytes: 60_000)
    options.settings[.effort] = 4
    let small = EncodeRecipe(.webp, options: options)
    #expect(try await manager.encoded(for: request, as: small).bytes.count <= 60_000)
  }

  @Test func partsOfDamagedPicturesAreShownOnRequest() async throws {
    let manager = makeManager()
    let whole = try PNGCoder().encode(
      Image(try Self.stripes()), as: .png, options: EncodeOptions(), work: WorkContext()
    ).data()
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).png")
    try whole.prefix(whole.count / 2).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let rest = try await manager.image(for: url, context: [.damaged(.show)])
    if rest.traits.contains(.partial) { print(rest.metadata.notes) }
    #expect(rest.traits.contains(.partial) && rest.metadata.notes.count == 1)
  }

  @Test func placeholdersComeFromThePicture() throws {
    let image = Image(try Self.stripes())
    let text = Data(try ThumbHash(of: image).bytes).base64EncodedString()
    if let data = Data(base64Encoded: text) { show(try ThumbHash(bytes: Array(data)).image()) }
    let colors = try Palette(of: image, count: 5).entries.map(\.color)
    let ground = try Palette.dominantColor(of: image)?.color ?? .white
    #expect(colors.count == 5 && ground.alpha == 255)
  }

  @Test func aLoadCanBeWatched() async throws {
    let manager = makeManager()
    let task = manager.load(url, options: [.progressive])
    for await event in task.events {
      switch event {
      case .progress(let received, let expected): print("\(received) of \(expected ?? 0) bytes")
      case .preview(let image): print("a part of \(image.size)")
      case .cached(let image): print("an older \(image.size)")
      }
    }
    let result = try await task.result
    #expect(result.source == .network)
  }

  @Test func memoryAnswersAtOnce() async throws {
    let manager = makeManager()
    let request = ImageRequest(url: url)
    #expect(manager.cachedImage(for: request) == nil)
    _ = try await manager.image(for: request)
    if let image = manager.cachedImage(for: request) { show(image) }
    #expect(manager.cachedImage(for: request) != nil)
  }

  @Test func bytesComeWithoutAPicture() async throws {
    let (manager, request) = (makeManager(), ImageRequest(url: url))
    let bytes = try await manager.bytes(for: request)
    let file = try bytes.data()
    #expect(file.starts(with: [0x89, 0x50, 0x4e, 0x47]))
  }

  @Test func aManagerOfOnesOwnKeepsToItsSettings() async throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var configuration = ImageManager.Configuration.standard(cacheDirectory: directory)
    configuration.limits.framePixels = 20_000_000
    configuration.cachePolicy = .http
    let manager = ImageManager(configuration)
    _ = try await manager.image(for: url, options: .waitStore)
    #expect(FileManager.default.fileExists(atPath: directory))
    await manager.close()
  }

  @Test func anObserverHearsOfEachStage() async throws {
    var configuration = makeConfiguration()
    configuration.observer = .closure { event in
      if case .loaded(let bytes, _) = event.kind { print("load \(event.load): \(bytes) bytes came") }
    }
    _ = try await ImageManager(configuration).image(for: url)
  }

  @Test func aTransformerOfOnesOwnWorksAlone() async throws {
    let pipeline = TransformerPipeline.resize(width: 200).then(.custom(Posterize(levels: 4)))
    let image = try await makeManager().image(for: url, context: [.transformer(pipeline)])
    let values = image.bitmap.withUnsafeBytes { Set($0) }
    #expect(values.isSubset(of: [0, 64, 128, 192, 255]))
  }

  @Test func aClosureTransforms() async throws {
    let mirror = TransformerPipeline.closure(key: "Mirror()") { image in
      var image = image
      image.bitmap = try image.bitmap.flipped(horizontally: true, vertically: false)
      return image
    }
    let (plain, mirrored) = (ImageRequest(url: url), ImageRequest(url: url, context: [.transformer(mirror)]))
    let manager = makeManager()
    let expected = try await manager.image(for: plain).bitmap.flipped(horizontally: true, vertically: false)
    #expect(try await manager.image(for: mirrored).bitmap == expected)
  }

  @Test func aCoderOfOnesOwnKeepsTheContract() async throws {
    var configuration = makeConfiguration()
    configuration.coder = configuration.coder.adding(FlagCoder())
    configuration.coder = configuration.coder.removing(identifier: "qoi")
    #expect(!configuration.coder.formats.contains(ImageFormat(mimeType: "image/qoi")))
    let flag = Array("FLAG".utf8) + [30, 20, 200, 10, 10]
    let image = try await ImageManager(configuration).image(from: Data(flag))
    #expect(image.size == PixelSize(width: 30, height: 20))
    var context = ImageContext()
    context[.flagStripes] = 3
    #expect(context[.flagStripes] == 3)
  }

  @Test func aLoaderOfOnesOwnKeepsTheContract() async throws {
    let assets = ["hello": Array("FLAG".utf8) + [2, 2, 1, 2, 3]]
    var configuration = makeConfiguration()
    configuration.coder = configuration.coder.adding(FlagCoder())
    configuration.loader = LoaderChain([CurlLoader(), AssetLoader(assets: assets)])
    let image = try await ImageManager(configuration).image(for: URL(string: "asset://hello"))
    #expect(image.size == PixelSize(width: 2, height: 2))
  }

  @Test func storesOfOnesOwnStandBehindACache() async throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    do {
      let cache = TieredCache(memory: PlainMemoryStore(), disk: SQLiteDiskStore(directory: directory))
      #expect(cache.memory != nil)
    }
    var configuration = makeConfiguration()
    configuration.cache = TieredCache(memory: LRUMemoryStore(), disk: FolderStore(folder: directory))
    let manager = ImageManager(configuration)
    _ = try await manager.image(for: url, options: .waitStore)
    let key = try #require(manager.cacheKey(for: ImageRequest(url: url)))
    #expect(try await manager.configuration.cache.contains(key, in: .disk) == .disk)
  }

  @Test func pluginsOfOnesOwnAreSetInOnePlace() async throws {
    let (user, counter) = ("ada", HitRate())
    var configuration = makeConfiguration()
    configuration.requestModifier = TokenInQuery(user: user) { "token" }
    configuration.responseModifier = RefusePlaceholders()
    configuration.cacheKeyFilter = NamesWithoutQuery()
    configuration.cacheSerializer = SmallCopies()
    configuration.optionsProcessor = AvatarsAreSmall()
    configuration.retryPolicy = OnceMoreWhenBusy()
    configuration.observer = counter
    configuration.workGate = NotTooManyPixels(most: 200_000_000)
    let manager = ImageManager(configuration)
    _ = try await manager.image(for: url)
    #expect(counter.share == 0)
    let decryptor = MaskDecryptor(mask: [1, 2, 3], maskName: "first")
    let request = ImageRequest(url: url, context: [.decryptor(decryptor)])
    #expect(manager.cacheKey(for: request)?.isStorable == true)
    let plain = ImageRequest(url: url, context: [.responseModifier(.requiringContentType("image/*"))])
    #expect(try await manager.image(for: plain).size == PixelSize(width: 640, height: 480))
    #expect(await RetryPolicyContract(.exponentialBackoff()).check() == [])
  }

  @Test func keysCanBeRead() async throws {
    let manager = makeManager()
    let request = ImageRequest(url: url, context: [.transformer(.resize(width: 320))])
    let key = manager.cacheKey(for: request)
    print(key?.readable ?? "not cached")
    #expect(key?.readable == "\(server.origin)/a-Resize({320,0},0,4,1).png")
  }

  @Test func layersCanBeChosen() async throws {
    let manager = makeManager()
    let image = try await manager.image(for: url, context: [.storeLayers(.memory)])
    show(image)
    #expect(manager.cachedImage(for: url) != nil)
  }

  @Test func policiesAndLimitsCanBeSet() async throws {
    var configuration = makeConfiguration()
    configuration.cachePolicy = .http
    configuration.limits.framePixels = 12_000_000
    configuration.limits.downloadBytes = 8 << 20
    configuration.limits.decodeTime = .seconds(5)
    _ = try await ImageManager(configuration).image(for: url)
    let disk = SQLiteDiskStore(directory: directory)
    disk.limits.sizeLimit = 512 << 20
    disk.limits.ageLimit = .seconds(30 * 24 * 3600)
    #expect(disk.limits.sizeLimit == 512 << 20)
    let memory = LRUMemoryStore(LRUMemoryStore.Configuration(costLimit: LRUMemoryStore.Budget.available / 10))
    configuration.cache = TieredCache(memory: memory, disk: disk)
    #expect(memory.configuration.costLimit == LRUMemoryStore.Budget.available / 10)
    configuration.retryPolicy = ExponentialBackoff(attempts: 5, longestRetryAfter: .seconds(300))
    #expect(configuration.retryPolicy is ExponentialBackoff)
  }

  @Test func aLoadCanBecomeMoreUrgent() async throws {
    let manager = makeManager()
    let request = ImageRequest(url: url)
    let task = manager.load(request)
    task.priority = .veryHigh
    #expect(task.priority == .veryHigh)
    _ = try await task.image
  }

  @Test func picturesCanBeRemoved() async throws {
    let manager = makeManager()
    _ = try await manager.image(for: url)
    try await manager.removeCachedImage(for: url)
    try await manager.clearCache(.memory)
    #expect(manager.cachedImage(for: url) == nil)
  }

  @Test func picturesCanBePrefetched() async throws {
    let (manager, urls) = (makeManager(), [url])
    let context: ImageContext = [.transformer(.resize(width: 20))]
    let batch = ImagePrefetcher(manager: manager, concurrency: 3).prefetch(urls, context: context)
    let outcome = await batch.outcome
    #expect(outcome.finished == 1)
    for await step in batch.progress { print("\(step.finished) of \(step.total)") }
    #expect(manager.cachedImage(for: url, context: context) != nil)
  }

  @Test func errorsCanBeToldApart() async {
    let (manager, url) = (makeManager(), server.url("/missing.png"))
    do {
      show(try await manager.image(for: url))
    } catch  where error.isCancellation {
      // The caller cancelled the load.
    } catch  where error.code == .badStatus {
      print("The server said \(error.status ?? 0).")
    } catch {
      print(error.message)
    }
    let error = await #expect(throws: ImageError.self) { try await manager.image(for: url) }
    #expect(error?.status == 404)
  }

  @Test func aProxyCanBeNamed() {
    var curl = CurlLoader.Configuration()
    curl.proxy = .url("http://proxy.example:3128")
    #expect(curl.proxy == .url("http://proxy.example:3128"))
  }

  @Test func riskyFormatsCanBeDecodedInASandbox() async throws {
    var configuration = makeConfiguration()
    configuration.coder = CoderRegistry.standard.sandboxingRiskyFormats(in: Sandbox())
    // A PNG does not need the sandbox, which cannot start here: the runner of tests is no worker.
    let manager = ImageManager(configuration)
    #expect(try await manager.image(for: url).size == PixelSize(width: 640, height: 480))
  }

  @Test func filesMayHaveFewColours() {
    var options = EncodeOptions()
    options.settings[.pngPalette] = PNGPalette(colors: 64)
    options.settings[.pngPalette] = PNGPalette(quality: 60...85)
    options.settings[.gifLoss] = 20
    #expect(options.settings[.pngPalette]?.description == "256/60-85" && options.settings[.gifLoss] == 20)
  }

  @Test func formatsOfHelpersAreThoseOfTheirCards() throws {
    var configuration = makeConfiguration()
    let helpers = Helpers(HelperCards())
    try helpers.start()
    configuration.coder = CoderRegistry.standard.adding(helpers)
    let coders = try #require(configuration.coder as? CoderRegistry).coders
    #expect(coders.count == CoderRegistry.standard.coders.count + helpers.coders.count)
  }

  @Test func allFormatsCanBeDecodedInASandbox() async {
    var configuration = makeConfiguration()
    configuration.sandbox = .all
    // There is no sandbox here either, and nothing is decoded without one.
    let manager = ImageManager(configuration)
    let error = await #expect(throws: ImageError.self) { try await manager.image(for: url) }
    #expect(error?.message.contains("Sandbox.runIfWorker()") == true)
  }

  @Test func privateAddressesCanBeDenied() async throws {
    var configuration = makeConfiguration()
    var curl = CurlLoader.Configuration()
    curl.addressPolicy = .denyPrivate
    configuration.loader = LoaderChain([CurlLoader(curl)])
    let manager = ImageManager(configuration)
    let error = await #expect(throws: ImageError.self) { try await manager.image(for: url) }
    #expect(error?.code == .forbiddenAddress)
    #expect(server.connectionCount == 0)
  }
}

extension EncodeOptions.Setting<Int> {
  static var effort: EncodeOptions.Setting<Int> { EncodeOptions.Setting("my-effort") }
}
