import EaselCore
import EaselService
import Synchronization
import Vapor

/// Ends the server and a picture service in order when the program ends.
///
/// Vapor ends everything in its storage, its server and its client too, in no certain order, and before that it calls these
/// handlers. So pictures that are loaded with the client are answered while there is one.
final class OrderlyEnd: LifecycleHandler {
  private let pictures: ImageService
  private let notice: Duration
  private let limit: Duration
  private let clock: any ImageClock
  /// The server once it has begun; other commands of a program never begin it.
  private let server = Mutex<HTTPServer?>(nil)

  init(_ pictures: ImageService, notice: Duration, limit: Duration, clock: any ImageClock) {
    self.pictures = pictures
    self.notice = notice
    self.limit = limit
    self.clock = clock
  }

  /// Learns which server there is to end.
  func watch(_ begun: HTTPServer) { server.withLock { $0 = begun } }

  func shutdownAsync(_ application: Application) async {
    if let server = server.withLock({ $0 }) {
      pictures.beginDraining()
      try? await clock.sleep(for: notice)
      await server.shutdown()
    }
    await pictures.close(within: limit)
  }

  // Vapor calls it only in programs that wait with threads; what is being stored ends with them.
  func shutdown(_ application: Application) {
    pictures.beginDraining()
    server.withLock { $0 }?.shutdown()
  }
}
