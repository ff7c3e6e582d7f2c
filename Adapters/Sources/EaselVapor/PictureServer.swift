import EaselCore
import EaselService
import Vapor

/// Vapor's own server, which also knows its connections, and ends a picture service in order.
struct PictureServer: Server {
  let base: HTTPServer
  let connections: Connections
  let pictures: ImageService
  let notice: Duration
  let limit: Duration
  let clock: any ImageClock

  var onShutdown: EventLoopFuture<Void> { base.onShutdown }

  func start(address: BindAddress?) async throws {
    try await base.start(address: address)
    connections.watch(base)
  }

  @available(*, noasync)
  func start(address: BindAddress?) throws {
    try base.start(address: address)
    connections.watch(base)
  }

  func shutdown() async {
    pictures.beginDraining()
    try? await clock.sleep(for: notice)
    await base.shutdown()
    await pictures.close(within: limit)
  }

  // Vapor calls it only from programs that wait with threads; what is being stored ends with them.
  @available(*, noasync)
  func shutdown() {
    pictures.beginDraining()
    base.shutdown()
  }
}
