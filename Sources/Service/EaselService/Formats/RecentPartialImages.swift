import EaselCore
import EaselManager
import EaselSupport

/// The parts of damaged pictures that were made last, which no cache keeps.
///
/// A damaged picture would be decoded again for each request. Its part is kept for a short time only, because the source
/// may soon have the whole.
final class RecentPartialImages: Sendable {
  typealias Name = BackgroundEncodings.Name

  private struct Part {
    let image: EncodedImage
    let end: Duration
  }

  private struct State {
    var parts: [Name: Part] = [:]
    var bytes = 0
  }

  private let mostBytes: Int
  private let time: Duration
  private let clock: any ImageClock
  private let state = Locked(State())

  init(mostBytes: Int = 16 << 20, time: Duration, clock: any ImageClock) {
    (self.mostBytes, self.time, self.clock) = (mostBytes, time, clock)
  }

  /// The part of this name; nil after its time.
  subscript(name: Name) -> EncodedImage? {
    let now = clock.uptime
    return state.withLock { state in
      guard let part = state.parts[name] else { return nil }
      if part.end > now { return part.image }
      remove(name, &state)
      return nil
    }
  }

  func insert(_ image: EncodedImage, for name: Name) {
    let (now, cost) = (clock.uptime, image.bytes.memoryCost)
    guard time > .zero, cost <= mostBytes / 4 else { return }
    state.withLock { state in
      remove(name, &state)
      if state.bytes + cost > mostBytes {
        for (name, part) in state.parts where part.end <= now { remove(name, &state) }
      }
      // Without room, all go at once; they would not have stayed long.
      if state.bytes + cost > mostBytes { state = State() }
      state.parts[name] = Part(image: image, end: now + time)
      state.bytes += cost
    }
  }

  private func remove(_ name: Name, _ state: inout State) {
    guard let part = state.parts.removeValue(forKey: name) else { return }
    state.bytes -= part.image.bytes.memoryCost
  }

  var count: Int { state.withLock { $0.parts.count } }
}
