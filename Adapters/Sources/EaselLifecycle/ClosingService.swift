import EaselService
import ServiceLifecycle

/// Closes a picture service when the program shuts down: what is being stored gets stored.
///
/// A group ends its services in reverse order. So this one comes before the server, and closes when nobody asks any more.
public struct ClosingService: Service {
  private let pictures: ImageService
  private let limit: Duration

  /// Takes the service, and the longest time that closing may take.
  public init(_ pictures: ImageService, within limit: Duration = .seconds(10)) {
    self.pictures = pictures
    self.limit = limit
  }

  /// Waits for the end of the program, then closes the service.
  public func run() async throws {
    try? await gracefulShutdown()
    await pictures.close(within: limit)
  }
}
