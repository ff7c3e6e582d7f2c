import EaselJPEG
import EaselMemory
import EaselPNG
import EaselSupport
import EaselTestSupport
import EaselTransformers
import EaselWebP
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselService
@testable import EaselTiers

/// A service over scripted sources and real coders, and the orders of its URLs.
final class ServiceStudio: Sendable {
  /// Gives the order that a test has placed at a path.
  final class Reader: URLGrammar {
    let name = "placed"
    let traits: URLGrammarTraits = .checksSignatures
    private let orders = Locked<[String: ImageOrder]>([:])

    func place(_ order: ImageOrder, at path: String) { orders.withLock { $0[path] = order } }

    func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
      guard let order = orders.withLock({ $0[String(address.path)] }) else { throw ServiceError(403, "Forbidden.") }
      return order
    }
  }

  static let source = URL(string: "https://host/a.jpg")!
  static let png: any ImageCoder = PNGCoder()

  let loader = FakeLoader()
  let observer = RecordingObserver()
  let clock = ManualClock()
  let reader = Reader()
  let memory = LRUMemoryStore()
  let service: ImageService

  init(_ configure: (inout ImageService.Configuration) -> Void = { _ in }) {
    var manager = ImageManager.Configuration(
      loader: LoaderChain([loader]), coder: CoderRegistry([WebPCoder(), PNGCoder(), JPEGCoder()]),
      cache: TieredCache(memory: memory, disk: nil))
    manager.clock = clock
    manager.observer = observer
    var configuration = ImageService.Configuration(manager, reader: reader)
    configure(&configuration)
    service = ImageService(configuration)
  }

  /// Places an order for the usual source at `/p`.
  func order(at path: String = "/p", _ change: (inout ImageOrder) -> Void = { _ in }) {
    var order = ImageOrder(source: Self.source.absoluteString)
    change(&order)
    reader.place(order, at: path)
  }

  func get(_ path: String = "/p", _ headers: HTTPHeaders = [:], method: String = "GET") async -> ServiceResponse {
    await service.response(to: ServiceRequest(method: method, target: path, headers: headers))
  }

  /// The answer of a service that must not have to wait.
  func atOnce(_ path: String = "/p", _ headers: HTTPHeaders = [:]) -> ServiceResponse? {
    service.immediateResponse(to: ServiceRequest(target: path, headers: headers))
  }

  /// The number of pieces of shared work in which an event of this name happened.
  func count(_ name: String) -> Int {
    Set(observer.events.filter { $0.kind.name == name }.map { $0.run ?? 0 }).count
  }

  /// Lets the source answer with a picture.
  func place(
    _ picture: [UInt8]? = nil, at url: URL = source, headers: HTTPHeaders = [:], chunkSize: Int? = nil
  ) throws {
    let bytes = try picture ?? Self.picture(.jpeg)
    loader.script(url, .body(bytes, headers: headers, chunkSize: chunkSize))
  }

  /// A picture of 64 by 48 pixels, with some that are transparent if wanted.
  static func picture(_ format: ImageFormat, hasAlpha: Bool = false, seed: UInt8 = 7) throws -> [UInt8] {
    var bitmap = try Bitmap(
      size: PixelSize(width: 64, height: 48), format: hasAlpha ? .rgba8 : .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        bytes[index] = index % 4 == 3 && !hasAlpha ? 255 : UInt8(truncatingIfNeeded: index / 64 &* Int(seed))
      }
    }
    let coder = CoderRegistry([WebPCoder(), PNGCoder(), JPEGCoder()])
    return try Array(coder.encode(Image(bitmap), as: format, options: EncodeOptions(), work: WorkContext()).data())
  }
}

extension ServiceResponse {
  var bytes: [UInt8] { body.flatMap { (try? Array($0.data())) ?? [] } }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The header of the picture in the body.
  func header() throws -> ImageHeader {
    try CoderRegistry([WebPCoder(), PNGCoder(), JPEGCoder()]).probe(ImageBytes(bytes), work: WorkContext())
  }
}
