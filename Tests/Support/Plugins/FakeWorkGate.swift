import EaselCore

/// A work gate with a number of places that notes the work which comes.
public final class FakeWorkGate: WorkGate {
  private struct State {
    var free: Int
    var works: [PixelWork] = []
    var isFinished: [Bool] = []
    var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    var next = 0
    var cancelled: Set<Int> = []
  }

  private let state: Watched<State>

  /// Creates a gate that lets this much work in at the same time.
  public init(places: Int = 1 << 20) { state = Watched(State(free: places)) }

  /// The work that came, in order.
  public var works: [PixelWork] { state.withLock { $0.works } }

  /// For each work that left, true if it ran to its end.
  public var isFinished: [Bool] { state.withLock { $0.isFinished } }

  /// Suspends until this much work has come.
  public func wait(forWorks count: Int) async { await state.wait { $0.works.count >= count } }

  /// Waits for a place.
  public func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
    let number = state.withLock { state in
      state.works.append(work)
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if state.free > 0 {
            state.free -= 1
            return .success(())
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
        guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.waiting.remove(at: index).continuation
      }
      waiting?.resume(throwing: CancellationError())
    }
    return { [self] isFinished in leave(isFinished) }
  }

  private func leave(_ isFinished: Bool) {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      state.isFinished.append(isFinished)
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume()
  }
}
