import EaselCore
import EaselManager
import EaselSupport
import FoundationEssentials

/// The pictures that took too long, at which nobody works again for a while.
///
/// A picture can be small and take all the time that it may, each time that somebody asks for it.
final class SlowImages: Sendable {
  enum Name: Hashable, Sendable {
    /// A source, the frame of it that is wanted, of which a late one takes longer than the first, and its last purge.
    case source(URL, frame: Int, purge: String? = nil)
    /// One result.
    case result(CacheKey, EncodeRecipe)
  }

  private let pause: Duration
  private let clock: any ImageClock
  private let pictures: Locked<ExpiringTable<Name, Void>>

  init(capacity: Int = 4096, pause: Duration = .seconds(60), clock: any ImageClock) {
    self.pause = pause
    self.clock = clock
    pictures = Locked(ExpiringTable(capacity: max(1, capacity)))
  }

  /// True if the picture took too long a short time ago.
  func contains(_ name: Name) -> Bool {
    let now = clock.uptime
    return pictures.withLock { $0.value(of: name, at: now) } != nil
  }

  /// Notes a picture that took too long.
  func insert(_ name: Name) {
    let now = clock.uptime
    pictures.withLock { $0.insert((), for: name, until: now + pause, at: now) }
  }

  var count: Int { pictures.withLock { $0.count } }

  /// Does work, unless its source or its result took too long a short time ago.
  ///
  /// `known` is asked then for what a cache has.
  func run<Value: Sendable>(
    _ source: Name, _ result: Name? = nil, known: () async -> Value? = { nil },
    _ work: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    let slow: WorkTimeout? = contains(source) ? .reading : result.map(contains) == true ? .making : nil
    if let slow {
      if let known = await known() { return known }
      throw ImageError(
        .limitExceeded, "The picture took too long a short time ago, and is not tried again for a while.", cause: slow)
    }
    do throws(ImageError) {
      return try await work()
    } catch {
      // At a picture that the manager blocks, nobody worked now.
      if error.code != .blockedURL {
        switch error.slowWork {
        case .reading: insert(source)
        case .making: if let result { insert(result) }
        case nil: break
        }
      }
      throw error
    }
  }
}
