import Easel
import EaselAsyncHTTPClient
import EaselLogging
import EaselMetrics
import EaselService
import EaselTracing
import EaselVapor
import Vapor

/// Takes uploads, keeps a clean picture of each, serves smaller ones under signed addresses, and purges what is removed.
///
/// The arguments are a folder for the pictures, a port, and perhaps a host whose pictures are served too.
@main
struct VaporPictures {
  static func main() async throws {
    // First in main: the sandbox starts the program a second time, as its worker.
    Sandbox.runIfWorker()
    let arguments = CommandLine.arguments
    guard arguments.count == 3 || arguments.count == 4, let port = Int(arguments[2]) else {
      return print("usage: VaporPictures FOLDER PORT [HOST]")
    }
    let album = try Album(folder: arguments[1])

    let app = try await Application.make(Environment(name: "production", arguments: ["VaporPictures", "serve"]))
    app.http.server.configuration.address = .hostname("127.0.0.1", port: port)
    let pictures = try pictureService(of: album, and: arguments.dropFirst(3).first, app)
    app.middleware.use(TracingMiddleware())
    app.serve(pictures)
    addUploads(to: app, pictures, album)
    addRemoval(to: app, pictures, album)
    app.get("hello") { _ in "hello" }

    // It returns when the program is told to end: balancers hear of it, the server answers all requests, stores finish.
    try await app.execute()
    try await app.asyncShutdown()
  }

  /// The picture service: what it may load, how it signs, and who is told of its work.
  static func pictureService(of album: Album, and host: String?, _ app: Application) throws -> ImageService {
    var manager = ImageManager.Configuration.server(cacheDirectory: album.folder + "/cache")
    manager.addObserver(.log(to: app.logger))
    manager.addObserver(.metrics())
    manager.trace()
    app.http.client.configuration.redirectConfiguration = .disallow
    app.http.client.configuration.allowConnections(only: .denyPrivate)
    var settings = HTTPClientLoader.Configuration()
    settings.mayFollow = { _, target in target.host() == host }
    manager.loader = HTTPClientLoader(app.http.client.shared, settings)
    var configuration = ImageService.Configuration(manager, signer: album.signer)
    configuration.sources = try SourceRules(allowing: host.map { ["https://\($0)"] } ?? [], folder: true)
    configuration.folder = try FolderLoader(folder: album.folder)
    configuration.negotiatedFormats = [.webp]
    configuration.pathPrefix = "/pictures"
    return ImageService(configuration)
  }

  /// Adds the route for uploads, which answers with signed paths.
  static func addUploads(to app: Application, _ pictures: ImageService, _ album: Album) {
    app.on(.POST, "uploads", body: .stream) { request in
      // Upright, in sRGB, without metadata, and no larger than anybody needs it.
      let largest = PixelSize(width: 2048, height: 2048)
      let clean = ImageVariant(.resize(within: largest), as: EncodeRecipe(.webp, quality: 0.9))
      let made = try await request.pictures(by: pictures, as: [clean])
      let name = try await album.add(made[0])
      let paths = [320, 1024].map { album.path(of: name, width: $0) }
      return Response(status: .created, body: .init(string: paths.joined(separator: "\n") + "\n"))
    }
  }

  /// Adds the route that removes a picture, after which no cache has anything of it; whoever may upload may call it.
  static func addRemoval(to app: Application, _ pictures: ImageService, _ album: Album) {
    app.delete("uploads", ":name") { request in
      let name = try request.parameters.require("name")
      guard try await album.remove(name) else { throw Abort(.notFound) }
      let report = await pictures.purge([.source(album.source(of: name))])
      // Other servers of a fleet may not have confirmed yet.
      return report.isComplete ? HTTPStatus.noContent : .accepted
    }
  }
}
