import Easel
import EaselService
import EaselTestSupport
import FoundationEssentials

/// A picture service over a loader that tests command, and an observer that remembers.
public struct AdapterStudio: Sendable {
  /// The address of the original.
  public static let source = URL(string: "http://pictures.test/a.png")!
  /// The path of a small picture of it.
  public static let path = "/pictures/unsafe/rs:fit:8:8/plain/http://pictures.test/a.png"

  /// The loader, which has the original.
  public let loader = FakeLoader()
  /// The observer of all loads.
  public let observer = RecordingObserver()
  /// The service, at `/pictures`.
  public let pictures: ImageService

  /// Makes a service; its manager can be changed.
  public init(
    sources: [String] = ["http://pictures.test"], _ configure: (inout ImageManager.Configuration) -> Void = { _ in }
  ) throws {
    var manager = ImageManager.Configuration.server(cacheDirectory: nil)
    manager.loader = loader
    manager.observer = observer
    configure(&manager)
    var configuration = ImageService.Configuration(manager, signer: nil)
    configuration.sources = try SourceRules(allowing: sources)
    configuration.pathPrefix = "/pictures"
    // Work that ends sooner was ended by its client.
    configuration.requestTime = .seconds(600)
    pictures = ImageService(configuration)
    loader.script(Self.source, .body(try Self.png()))
  }

  /// A gray picture as a PNG.
  public static func png(width: Int = 32, height: Int = 24) throws -> [UInt8] {
    try encoded(Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8))
  }

  /// A picture as a PNG that cannot be packed.
  public static func noise(width: Int, height: Int) throws -> [UInt8] {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    var random = SeededRandom(seed: 1)
    bitmap.withUnsafeMutableBytes { bytes in
      for place in bytes.indices where place % 4 != 3 { bytes[place] = UInt8.random(in: 0...255, using: &random) }
    }
    return try encoded(bitmap)
  }

  private static func encoded(_ bitmap: Bitmap) throws -> [UInt8] {
    let bytes = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
    return Array(try bytes.data())
  }

  /// Suspends until a load has failed because it was cancelled.
  public func waitForCancellation() async {
    await observer.wait { event in
      if case .failed(let error) = event.kind { error.isCancellation } else { false }
    }
  }
}
