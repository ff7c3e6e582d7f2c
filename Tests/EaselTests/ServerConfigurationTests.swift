import EaselEverything
import EaselTestSupport
import FoundationEssentials
import Testing

/// The configuration of a server refuses what strangers must not get.
struct ServerConfigurationTests {
  private let manager = ImageManager(.server(cacheDirectory: nil, coder: .everything))

  private func code(of url: String, from manager: ImageManager) async -> ImageError.Code? {
    let error = await #expect(throws: ImageError.self) { try await manager.image(for: URL(string: url)) }
    return error?.code
  }

  @Test(arguments: [
    "http://127.0.0.1/a.png", "http://10.0.0.1/a.png", "https://192.168.1.1/a.png", "http://169.254.169.254/latest/",
    "http://0x7f000001/a.png", "http://0/a.png",
  ])
  func privateAddressesAreRefused(url: String) async {
    #expect(await code(of: url, from: manager) == .forbiddenAddress)
  }

  @Test func anotherNetworkKeepsThePolicyUnlessTheAddressesSayOtherwise() async {
    var network = CurlLoader.Configuration()
    network.headers["User-Agent"] = "mine"
    let strict = ImageManager(.server(cacheDirectory: nil, network: network))
    #expect(await code(of: "http://127.0.0.1/a.png", from: strict) == .forbiddenAddress)
    let custom = AddressPolicy.custom { address, port in !address.isLoopback && port == 443 }
    let other = ImageManager(.server(cacheDirectory: nil, addresses: custom, network: network))
    #expect(await code(of: "http://127.0.0.1/a.png", from: other) == .forbiddenAddress)
  }

  @Test(arguments: ["file:///etc/hostname", "file:///usr/share/pixmaps/debian-logo.png", "ftp://example.com/a.png"])
  func onlyTheWebAndDataAreLoaded(url: String) async {
    #expect(await code(of: url, from: manager) == .unsupportedURL)
  }

  @Test func picturesInURLsAreShown() async throws {
    let bytes = try PNGCoder().encode(
      Image(try Bitmap(width: 3, height: 2)), as: .png, options: EncodeOptions(), work: WorkContext()
    ).data()
    let image = try await manager.image(for: URL(string: "data:image/png;base64,\(bytes.base64EncodedString())"))
    #expect(image.size == PixelSize(width: 3, height: 2))
  }

  @Test(arguments: [(7100, 7100), (65_500, 65_500), (20_000, 3000)])
  func hugePicturesAreRefusedByTheirHeaders(width: Int, height: Int) async {
    let error = await #expect(throws: ImageError.self) {
      try await manager.image(from: Data(Self.header(width: width, height: height)))
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("Limits.framePixels") == true)
  }

  @Test func thePhotosOfPhonesPass() throws {
    let limits = manager.configuration.limits
    try limits.check(frame: PixelSize(width: 8064, height: 6048), claimedBy: "A photo")
    #expect(limits == .server && limits.downloadBytes < Limits().downloadBytes)
    #expect(limits.decodeTime < Limits().decodeTime)
  }

  @Test func longBodiesAndHugeResultsAreRefused() async throws {
    let loader = FakeLoader()
    let url = URL(string: "http://host/a.png")!
    let head = ResponseHead(status: 200, expectedLength: (32 << 20) + 1)
    loader.script(url, FakeLoader.Script([.head(head)]))
    var configuration = ImageManager.Configuration.server(cacheDirectory: nil)
    configuration.loader = loader
    let manager = ImageManager(configuration)
    #expect(await code(of: url.absoluteString, from: manager) == .limitExceeded)
    let limits = manager.configuration.limits
    let result = #expect(throws: ImageError.self) {
      try limits.check(result: PixelSize(width: 9000, height: 9), madeBy: "Resize")
    }
    #expect(result?.message.contains("Limits.resultSide") == true)
  }

  @Test func riskyFormatsDecodeInTheSandboxAndOthersHere() throws {
    let coder = try #require(manager.configuration.coder as? CoderRegistry)
    for format in [ImageFormat.avif, .heic, .jxl, .jp2, .j2c, .tiff, .svg] {
      #expect(coder.coder(decoding: format) is Sandbox.Coder, "\(format)")
    }
    for format in [ImageFormat.png, .jpeg, .gif, .webp, .bmp, .radiance] {
      #expect(coder.coder(decoding: format) is Sandbox.Coder == false, "\(format)")
    }
    let without = ImageManager.Configuration.server(cacheDirectory: nil, coder: .everything, sandbox: nil).coder
    #expect(try #require(without as? CoderRegistry).coders.contains { $0 is Sandbox.Coder } == false)
  }

  @Test func aConfigurationNamesWhatItsSandboxDecodes() throws {
    var configuration = ImageManager.Configuration.server(cacheDirectory: nil, coder: .everything)
    #expect(configuration.sandbox == .risky)
    let outside: [Sandbox.Scope: [ImageFormat]] = [
      .all: [], .risky: [.png, .jpeg, .webp, .bmp], .off: [.png, .jpeg, .webp, .bmp, .avif, .tiff],
    ]
    for scope in Sandbox.Scope.allCases {
      configuration.sandbox = scope
      #expect(configuration.sandbox == scope)
      let coders = try #require(configuration.coder as? CoderRegistry)
      for format in [ImageFormat.png, .jpeg, .webp, .bmp, .avif, .tiff, .svg] {
        let isOutside = coders.coder(decoding: format) is Sandbox.Coder == false
        #expect(isOutside == outside[scope]?.contains(format), "\(scope) \(format)")
      }
    }
    var free = ImageManager.Configuration.server(cacheDirectory: nil, sandbox: nil)
    #expect(free.sandbox == .off)
    free.sandbox = .all
    #expect(free.sandbox == .all)
  }

  /// The tests are no worker, so there can be no sandbox, and nothing is decoded without one.
  @Test func withoutItsSandboxARiskyPictureIsAnErrorThatSaysWhatIsMissing() async throws {
    let avif = try AVIFCoder().encode(
      Image(try Bitmap(width: 8, height: 8, format: .opaqueRGBA8)), as: .avif, options: EncodeOptions(),
      work: WorkContext())
    let error = await #expect(throws: ImageError.self) { try await manager.image(from: avif) }
    #expect(error?.code == .decoderCrashed && error?.message.contains("Sandbox.runIfWorker()") == true)
    let open = ImageManager(.server(cacheDirectory: nil, coder: .everything, sandbox: nil))
    #expect(try await open.image(from: avif).size == PixelSize(width: 8, height: 8))
  }

  @Test func theDiskCacheIsInTheDirectoryAndEverythingCanBeChanged() throws {
    let directory = "/tmp/easel-server-\(UUID().uuidString)"
    var limits = Limits.server
    limits.framePixels = 12_000_000
    var configuration = ImageManager.Configuration.server(cacheDirectory: directory, limits: limits)
    #expect(((configuration.cache as? TieredCache)?.disk as? SQLiteDiskStore)?.directory == directory)
    #expect(configuration.limits.framePixels == 12_000_000)
    configuration.limits.framePixels = 5
    #expect(ImageManager(configuration).configuration.limits.framePixels == 5)
    // Nothing is opened before the first load.
    #expect(!FileManager.default.fileExists(atPath: directory))
    #expect((ImageManager.Configuration.server(cacheDirectory: nil).cache as? TieredCache)?.disk == nil)
  }

  @Test(arguments: [
    "Sources/Easel/Easel.docc/AddToAServer.md", "Sources/Easel/Easel.docc/ThumbnailsOfUploads.md",
    "Sources/Easel/Easel.docc/MountingTheService.md", "Examples/Sources/MountedService/MountedService.swift",
    "Examples/Sources/ThumbnailService/UploadService.swift",
  ])
  func guidesAndExamplesOfServersUseIt(path: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent(path)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(".server(") && !text.contains(".standard("))
  }

  /// Compiled and never called: the runner of tests must not become a worker.
  private func documentedMain(directory: String) -> ImageManager {
    // First in main, before anything starts a thread:
    Sandbox.runIfWorker()
    let manager = ImageManager(.server(cacheDirectory: directory))
    return manager
  }

  /// The signature and the header of a PNG without pixels.
  private static func header(width: Int, height: Int) -> [UInt8] {
    func word(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    var chunk = Array("IHDR".utf8)
    for number in [width, height] { chunk += word(number) }
    chunk += [8, 6, 0, 0, 0]
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    bytes += word(13)
    bytes += chunk
    bytes += word(Int(checkSum(chunk)))
    return bytes
  }

  private static func checkSum(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = sum & 1 == 1
        sum >>= 1
        if isOdd { sum ^= 0xEDB8_8320 }
      }
    }
    return ~sum
  }
}
