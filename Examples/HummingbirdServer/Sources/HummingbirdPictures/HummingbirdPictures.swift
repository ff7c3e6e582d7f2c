import Easel
import EaselHummingbird
import EaselLifecycle
import EaselLogging
import EaselMetrics
import EaselService
import EaselTracing
import Hummingbird
import Logging
import ServiceLifecycle

/// Takes uploads, keeps a clean picture of each, serves smaller ones under signed addresses, and purges what is removed.
///
/// The arguments are a folder for the pictures and a port.
@main
struct HummingbirdPictures {
  static func main() async throws {
    // First in main: the sandbox starts the program a second time, as its worker.
    Sandbox.runIfWorker()
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let port = Int(arguments[2]) else {
      return print("usage: HummingbirdPictures FOLDER PORT")
    }
    let logger = Logger(label: "pictures")
    let album = try Album(folder: arguments[1])
    let pictures = try pictureService(of: album, logger)

    let router = Router(context: PictureRequestContext.self)
    router.add(middleware: TracingMiddleware())
    router.add(middleware: PictureMiddleware(pictures))
    addUploads(to: router, pictures, album)
    addRemoval(to: router, pictures, album)
    router.get("/hello") { _, _ in "hello" }

    let app = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
    // They end from the last to the first: balancers are told, the server answers all requests, stores finish.
    let group = ServiceGroup(
      services: [ClosingService(pictures), app, ReadinessService(pictures)],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
  }

  /// The picture service: what it may load, how it signs, and who is told of its work.
  static func pictureService(of album: Album, _ logger: Logger) throws -> ImageService {
    var manager = ImageManager.Configuration.server(cacheDirectory: album.folder + "/cache")
    manager.addObserver(.log(to: logger))
    manager.addObserver(.metrics())
    manager.trace()
    var configuration = ImageService.Configuration(manager, signer: album.signer)
    configuration.sources = try SourceRules(allowing: [], folder: true)
    configuration.folder = try FolderLoader(folder: album.folder)
    configuration.negotiatedFormats = [.webp]
    configuration.pathPrefix = "/pictures"
    return ImageService(configuration)
  }

  /// Adds the route for uploads, which answers with signed paths.
  static func addUploads(to router: Router<PictureRequestContext>, _ pictures: ImageService, _ album: Album) {
    router.post("/uploads") { request, context in
      // Upright, in sRGB, without metadata, and no larger than anybody needs it.
      let largest = PixelSize(width: 2048, height: 2048)
      let clean = ImageVariant(.resize(within: largest), as: EncodeRecipe(.webp, quality: 0.9))
      let made = try await request.pictures(by: pictures, in: context, as: [clean])
      let name = try await album.add(made[0])
      let paths = [320, 1024].map { album.path(of: name, width: $0) }
      return Response(
        status: .created, headers: [.contentType: "text/plain"],
        body: .init(byteBuffer: ByteBuffer(string: paths.joined(separator: "\n") + "\n")))
    }
  }
  /// Adds the route that removes a picture, after which no cache has anything of it; whoever may upload may call it.
  static func addRemoval(to router: Router<PictureRequestContext>, _ pictures: ImageService, _ album: Album) {
    router.delete("/uploads/:name") { _, context in
      let name = try context.parameters.require("name")
      guard try await album.remove(name) else { throw HTTPError(.notFound) }
      let report = await pictures.purge([.source(album.source(of: name))])
      // Other servers of a fleet may not have confirmed yet.
      return report.isComplete ? HTTPResponse.Status.noContent : .accepted
    }
  }
}
