import EaselEverything
import EaselTestSupport
import Foundation
import Testing

/// First guesses, written before reading anything, compile and do what they say.
struct FirstGuessTests {
  private let url = URL(string: "http://host/picture.png")!
  private let loader = FakeLoader()
  private let manager: ImageManager

  init() throws {
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.loader = loader
    manager = ImageManager(configuration)
    loader.script(url, .body(Array(try Self.png(width: 64, height: 48)), headers: ["Content-Type": "image/png"]))
  }

  private static func png(width: Int, height: Int) throws -> Data {
    let image = Image(try Bitmap(width: width, height: height))
    return try PNGCoder().encode(image, as: .png, options: EncodeOptions(), work: WorkContext()).data()
  }

  @Test func aManagerNeedsNoConfiguration() async throws {
    let picture = try #require(
      URL(string: "data:image/png;base64,\(try Self.png(width: 3, height: 2).base64EncodedString())"))
    let image = try await ImageManager().image(for: picture, context: [.queryLayers([]), .storeLayers([])])
    #expect(image.size == PixelSize(width: 3, height: 2))
  }

  @Test func aPictureAtAURLIsEncodedAsAFormat() async throws {
    let picture = try await manager.encoded(for: url, as: .webp)
    #expect(picture.format == .webp && picture.size == PixelSize(width: 64, height: 48))
    let small = try await manager.encoded(for: url, as: .jpeg, context: [.transformer(.resize(width: 16))])
    #expect(small.format == .jpeg && small.size == PixelSize(width: 16, height: 12))
    let error = await #expect(throws: ImageError.self) { try await manager.encoded(for: nil as URL?, as: .png) }
    #expect(error?.code == .invalidURL)
  }

  @Test(arguments: [
    (EncodeRecipe.png, ImageFormat.png), (.jpeg, .jpeg), (.gif, .gif), (.webp, .webp), (.avif, .avif), (.jxl, .jxl),
  ])
  func aFormatIsARecipe(recipe: EncodeRecipe, format: ImageFormat) {
    #expect(recipe == EncodeRecipe(format))
    #expect(CoderRegistry.everything.canEncode(format))
  }

  @Test func aCatchNamesACode() async throws {
    do {
      _ = try await manager.image(for: url, options: .fromCacheOnly)
      Issue.record("The picture is in no cache.")
    } catch ImageError.notInCache {
      #expect(loader.callCount == 0)
    }
  }

  @Test func severalVariantsAreMadeOfOneBody() async throws {
    let request = ImageRequest(url: url)
    let pictures = try await manager.variants(
      of: request,
      as: [
        ImageVariant(.resize(width: 16), as: .webp), ImageVariant(.resize(width: 32), as: .webp),
        ImageVariant(as: .jpeg),
      ])
    #expect(pictures.map(\.size.width) == [16, 32, 64])
    #expect(pictures.map(\.format) == [.webp, .webp, .jpeg])
    #expect(loader.callCount == 1)
  }

  @Test func observersAreJoined() async throws {
    let (first, second) = (RecordingObserver(), RecordingObserver())
    var configuration = manager.configuration
    configuration.observer = .all(first, second)
    _ = try await ImageManager(configuration).image(for: url)
    await first.wait(for: "succeeded")
    await second.wait(for: "succeeded")
    #expect(first.names == second.names && first.names.first == "started")
    let none: any ImageObserver = .all()
    none.observe(ImageEvent(.started))
  }

  @Test func aViewNamesNoExecutor() async throws {
    let view = View()
    _ = try await view.setImage(url, from: manager).result
    #expect(await view.shown.last == PixelSize(width: 64, height: 48))
  }

  @MainActor private final class View: ImageTarget {
    nonisolated let imageLoads = TargetLoads()
    private(set) var shown: [PixelSize?] = []
    func show(_ image: Image?, for key: String) { shown.append(image?.size) }
  }
}

/// Pictures are read from files and written to files in one call.
struct PictureFileTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("easel-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  @Test(arguments: ["a.png", "a.jpg", "a.JPEG", "a.webp", "a.gif", "a.bmp", "a.tiff", "a b%41.png"])
  func aPictureIsWrittenInTheFormatOfItsName(name: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent(name)
    let image = Image(try Bitmap(width: 7, height: 5))
    try await image.write(to: url, coder: .everything)
    let read = try await Image(contentsOf: url, coder: .everything)
    #expect(read.size == image.size)
    #expect(try CoderRegistry.everything.format(of: ImageBytes(contentsOfFile: url.path)) == read.format)
  }

  @Test func theStandardCodersAreThoseOfTheModule() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let image = Image(try Bitmap(width: 7, height: 5))
    let (webp, tiff) = (folder.appendingPathComponent("a.webp"), folder.appendingPathComponent("a.tiff"))
    try await image.write(to: webp)
    #expect(try await Image(contentsOf: webp).format == .webp)
    let unwritten = await #expect(throws: ImageError.self) { try await image.write(to: tiff) }
    #expect(unwritten?.code == .encodeFailed)
    try await image.write(to: tiff, coder: .everything)
    let unread = await #expect(throws: ImageError.self) { try await Image(contentsOf: tiff) }
    #expect(unread?.code == .unsupportedFormat)
    #expect(try ImageFormat(of: ImageBytes(contentsOfFile: webp.path)) == .webp)
    #expect(try ImageFormat(of: ImageBytes(contentsOfFile: tiff.path)) == nil)
  }

  @Test func aFileBecomesOneOfAnotherFormat() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, target) = (folder.appendingPathComponent("cat.png"), folder.appendingPathComponent("cat.webp"))
    try await Image(try Bitmap(width: 6, height: 4)).write(to: source)
    let image = try await Image(contentsOf: source)
    try await image.write(to: target)
    #expect(try await Image(contentsOf: target).format == .webp)
  }

  @Test func aFileIsReplacedAndReadAnew() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("picture")
    await #expect(throws: ImageError.self) { try await Image(contentsOf: url) }
    try Data("no picture".utf8).write(to: url)
    let error = await #expect(throws: ImageError.self) { try await Image(contentsOf: url) }
    #expect(error?.code == .unsupportedFormat)
    for side in 1...2 {
      try await Image(try Bitmap(width: side, height: side)).write(to: url, as: .png)
      #expect(try await Image(contentsOf: url).size == PixelSize(width: side, height: side))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["picture"])
  }

  @Test func whatCannotBeDoneIsSaid() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let image = Image(try Bitmap(width: 1, height: 1))
    func failure(_ name: String, as format: ImageFormat? = nil) async -> ImageError? {
      await #expect(throws: ImageError.self) {
        try await image.write(to: folder.appendingPathComponent(name), as: format)
      }
    }
    let nameless = await failure("picture")
    #expect(nameless?.code == .encodeFailed && nameless?.message.contains("write(to:as:)") == true)
    #expect(await failure("picture.heic")?.code == .encodeFailed)
    let missing = await failure("no/such/folder/a.png")
    #expect(missing?.code == .invalidURL && missing?.causes.isEmpty == false)
    let web = try #require(URL(string: "https://example.com/a.png"))
    let foreign = await #expect(throws: ImageError.self) { try await Image(contentsOf: web) }
    #expect(foreign?.code == .unsupportedURL && foreign?.message.contains("ImageManager.shared") == true)
    await #expect(throws: ImageError.self) { try await image.write(to: web) }
  }
}
