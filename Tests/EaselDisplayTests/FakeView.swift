import EaselSupport
import EaselTestSupport

@testable import EaselCore
@testable import EaselDisplay

/// A view that is an actor, to which its state belongs by default, and records its calls.
actor FakeView: ImageTarget {
  enum Call: Equatable, Sendable {
    case show(PixelSize?)
    case transition(PixelSize)
    case progress(Int, Int?)
  }

  nonisolated let imageLoads = TargetLoads()
  nonisolated let calls = Watched<[Call]>([])
  nonisolated let transitionGate = AsyncGate()
  /// The sizes of the pictures to which transitions have begun.
  nonisolated let begun = Locked<[PixelSize]>([])

  init() { transitionGate.open() }

  func show(_ image: Image?, for key: String) { record(.show(image?.size)) }

  func transition(to image: Image, for key: String) async {
    begun.withLock { $0.append(image.size) }
    try? await transitionGate.pass()
    record(.transition(image.size))
  }

  func showProgress(received: Int, expected: Int?, for key: String) { record(.progress(received, expected)) }

  private func record(_ call: Call) {
    // Fails the test when the manager calls outside the view's own executor.
    preconditionIsolated()
    calls.withLock { $0.append(call) }
  }

  /// The calls without progress.
  nonisolated var shown: [Call] {
    calls.withLock { $0 }.filter { if case .progress = $0 { false } else { true } }
  }

  nonisolated func wait(for call: Call) async { await calls.wait { $0.contains(call) } }
}

/// A view without transitions, whose state belongs to the main actor by default.
@MainActor
final class PlainView: ImageTarget {
  nonisolated let imageLoads = TargetLoads()
  nonisolated let shown = Watched<[PixelSize?]>([])

  nonisolated init() {}

  func show(_ image: Image?, for key: String) { shown.withLock { $0.append(image?.size) } }
}
