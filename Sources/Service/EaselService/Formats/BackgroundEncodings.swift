import EaselCore
import EaselManager
import EaselSupport

/// The pictures that are made while no client waits for them.
final class BackgroundEncodings: Sendable {
  struct Name: Hashable, Sendable {
    let key: CacheKey
    let recipe: EncodeRecipe
  }

  private struct State {
    var running: [Name: Task<Void, Never>?] = [:]
    /// The uptimes before which pictures that failed are not tried again.
    var pauses: [Name: Duration] = [:]
  }

  private let mostRunning: Int
  private let mostPauses: Int
  private let pause: Duration
  private let clock: any ImageClock
  private let state = Locked(State())

  init(mostRunning: Int = 64, mostPauses: Int = 4096, pause: Duration = .seconds(30), clock: any ImageClock) {
    self.mostRunning = mostRunning
    self.mostPauses = mostPauses
    self.pause = pause
    self.clock = clock
  }

  deinit { for task in state.withLock({ $0.running.values }) { task?.cancel() } }

  var runningCount: Int { state.withLock { $0.running.count } }

  /// Begins to make a picture, unless it is being made, has just failed, or too many others are being made.
  func make(_ name: Name, _ work: @escaping @Sendable () async throws -> Void) {
    let now = clock.uptime
    let begins = state.withLock { state in
      guard state.running.count < mostRunning, state.running[name] == nil, state.pauses[name] ?? .zero <= now else {
        return false
      }
      state.running[name] = .some(nil)
      return true
    }
    guard begins else { return }
    let task = Task.detached(priority: .utility) { [weak self] in
      var isMade = false
      do {
        try await work()
        isMade = true
      } catch {}
      self?.end(name, isMade: isMade)
    }
    state.withLock { state in
      if state.running[name] != nil { state.running[name] = task }
    }
  }

  private func end(_ name: Name, isMade: Bool) {
    let now = clock.uptime
    state.withLock { state in
      state.running[name] = nil
      guard !isMade else { return state.pauses[name] = nil }
      if state.pauses.count >= mostPauses { state.pauses = state.pauses.filter { $0.value > now } }
      // Without room, the picture is only tried again sooner.
      if state.pauses.count < mostPauses { state.pauses[name] = now + pause }
    }
  }
}
