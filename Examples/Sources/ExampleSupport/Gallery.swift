import Easel
import EaselTestSupport
import FoundationEssentials

/// A web server on this machine with invented pictures; it records all requests.
public final class Gallery: Sendable {
  /// The server.
  public let server: ScriptableServer

  /// Starts a server without pictures.
  public init() throws { server = try ScriptableServer() }

  /// The bytes of a landscape as a PNG.
  public static func png(_ number: Int, width: Int = 640, height: Int = 400) throws -> Data {
    let image = Image(try Bitmap.landscape(number, width: width, height: height))
    return try PNGCoder().encode(image, as: .png, options: EncodeOptions(), work: WorkContext()).data()
  }

  /// Serves bytes under a path.
  @discardableResult
  public func offer(_ bytes: Data, as type: String, at path: String) -> URL {
    server.setRoute(path, .file(ServerFile(Array(bytes), contentType: type, etag: "\"\(bytes.count)\"")))
    return server.url(path)
  }

  /// Serves landscapes and returns their URLs.
  public func offerLandscapes(_ numbers: Range<Int>) throws -> [URL] {
    try numbers.map { offer(try Self.png($0), as: "image/png", at: "/landscape-\($0).png") }
  }

  /// The number of requests so far.
  public var requestCount: Int { server.requests.count }
}
