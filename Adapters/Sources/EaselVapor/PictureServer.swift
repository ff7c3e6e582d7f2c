import Vapor

/// Vapor's own server, which also tells of its beginning.
struct PictureServer: Server {
  let base: HTTPServer
  let hasBegun: @Sendable (HTTPServer) -> Void

  var onShutdown: EventLoopFuture<Void> { base.onShutdown }

  func start(address: BindAddress?) async throws {
    try await base.start(address: address)
    hasBegun(base)
  }

  @available(*, noasync)
  func start(address: BindAddress?) throws {
    try base.start(address: address)
    hasBegun(base)
  }

  func shutdown() async { await base.shutdown() }

  @available(*, noasync)
  func shutdown() { base.shutdown() }
}
