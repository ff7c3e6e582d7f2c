import EaselCore
import EaselService
import Vapor

extension Application {
  /// Serves the pictures of a service, from the beginning of the server to its end.
  ///
  /// Requests below the service's prefix get pictures, also before routes of the program, and work ends when its client
  /// leaves. When the program ends, balancers hear first that the server is not ready, for as long as `notice` says; then
  /// the server answers what it has been asked, and at last the service is closed.
  ///
  /// ```swift
  /// let app = try await Application.make(.detect())
  /// app.middleware.use(TracingMiddleware())
  /// app.serve(pictures)
  /// try await app.execute()
  /// try await app.asyncShutdown()
  /// ```
  public func serve(
    _ pictures: ImageService, notice: Duration = .seconds(5), closingWithin limit: Duration = .seconds(10)
  ) {
    serve(pictures, notice: notice, closingWithin: limit, clock: SystemClock())
  }

  func serve(_ pictures: ImageService, notice: Duration, closingWithin limit: Duration, clock: any ImageClock) {
    let connections = Connections()
    storage[Connections.Key.self] = connections
    middleware.use(PictureMiddleware(pictures))
    let end = OrderlyEnd(pictures, notice: notice, limit: limit, clock: clock)
    lifecycle.use(end)
    servers.use { app in
      PictureServer(base: app.http.server.shared) { server in
        connections.watch(server)
        end.watch(server)
      }
    }
  }
}
