import Easel
import EaselService
import EaselSupport
import ExampleSupport
import FoundationEssentials

/// Serves pictures under a path of a server of our own.
@main
struct MountedService {
  static func main() async throws {
    // First in main: the sandbox starts the program a second time, as its worker.
    Sandbox.runIfWorker()
    let gallery = try Gallery()
    let landscape = try gallery.offerLandscapes(1..<2)[0]
    let signer = try URLSigner([URLSigner.Key(hexadecimal: "736563726574", salt: "68656c6c6f")])
    // The sources of this example are on this machine. Leave the policy at .denyPrivate when they are not.
    let service = try pictureService(signer, sources: [gallery.server.origin], addresses: .allowAll)
    let server = try SmallServer { request in
      guard request.target.hasPrefix("/pictures/") else { return page("The rest of the server is here.") }
      return await service.response(to: request)
    }
    defer { server.close() }

    let path = "/pictures" + signer.signed("/rs:fill:120:80/plain/\(landscape.absoluteString)")
    try show("a picture", server.get(path, ["Accept": "image/webp,*/*"]))
    try show("again", server.get(path, ["Accept": "image/webp,*/*"]))
    try show("for an old browser", server.get(path))
    try show("only its head", server.get(path, method: "HEAD"))
    try show("another size", server.get(path.replacing("120", with: "121")))
    try show("another page", server.get("/"))
    print("requests to the source: \(gallery.requestCount)")
    for line in service.metricsText.split(separator: "\n") where line.hasPrefix("easel_requests_total") { print(line) }
  }

  /// The service: its sources, its formats, and the beginning of its paths.
  static func pictureService(
    _ signer: URLSigner, sources: [String], addresses: AddressPolicy = .denyPrivate
  ) throws -> ImageService {
    let manager = ImageManager.Configuration.server(cacheDirectory: nil, addresses: addresses)
    var configuration = ImageService.Configuration(manager, signer: signer)
    configuration.sources = try SourceRules(allowing: sources)
    configuration.negotiatedFormats = [.webp]
    configuration.pathPrefix = "/pictures"
    return ImageService(configuration)
  }

  /// A page of the server's own.
  private static func page(_ text: String) -> ServiceResponse {
    let bytes = ImageBytes(Array(text.utf8))
    return ServiceResponse(
      status: 200, headers: ["Content-Type": "text/plain", "Content-Length": "\(bytes.count)"], body: [bytes])
  }

  private static func show(_ name: String, _ answer: ServiceResponse) throws {
    let type = answer.headers["Content-Type"] ?? "-"
    let bytes = try answer.body.first?.data() ?? Data()
    if let header = try? CoderRegistry.standard.probe(ImageBytes(bytes), work: WorkContext()) {
      print("\(name): \(answer.status) \(type) \(header.storedSize)")
    } else {
      let text = String(decoding: bytes, as: UTF8.self).split(separator: " (").first ?? ""
      print("\(name): \(answer.status) \(type) \(text)".trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}
