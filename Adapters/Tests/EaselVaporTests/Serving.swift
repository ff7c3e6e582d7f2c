import Vapor

/// Runs an application on a port of the system's choice while the body runs.
func withApplication(
  _ configure: (Application) throws -> Void, _ body: (_ port: Int, _ app: Application) async throws -> Void
) async throws {
  let app = try await Application.make(Environment(name: "testing", arguments: ["vapor", "serve"]))
  app.http.server.configuration.hostname = "127.0.0.1"
  app.http.server.configuration.port = 0
  app.logger.logLevel = .critical
  do {
    try configure(app)
    try await app.startup()
    try await body(app.http.server.shared.localAddress!.port!, app)
  } catch {
    if !app.didShutdown { try await app.asyncShutdown() }
    throw error
  }
  if !app.didShutdown { try await app.asyncShutdown() }
}
