import EaselService
import ServiceLifecycle

/// Makes a picture service say that it is not ready when the program shuts down, and gives balancers time to notice.
///
/// A group ends its services in reverse order. So this one comes after the server, and the server takes connections until
/// balancers send no more:
///
/// ```swift
/// let group = ServiceGroup(services: [ClosingService(pictures), server, ReadinessService(pictures)], logger: logger)
/// ```
public struct ReadinessService: Service {
  private let pictures: ImageService
  private let notice: Duration
  private let clock: any Clock<Duration>

  /// Takes the service, and the time in which balancers ask for `/ready` at least once.
  public init(_ pictures: ImageService, notice: Duration = .seconds(5), clock: any Clock<Duration> = ContinuousClock())
  {
    self.pictures = pictures
    self.notice = notice
    self.clock = clock
  }

  /// Waits for the end of the program, then for the notice.
  public func run() async throws {
    try await gracefulShutdown()
    pictures.beginDraining()
    try await clock.sleep(for: notice)
  }
}
