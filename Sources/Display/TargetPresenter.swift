import EaselCore
import EaselManager

/// Shows the pictures of one load on one target, until the target asks for something newer.
struct TargetPresenter: Sendable {
  weak let target: (any ImageTarget)?
  let key: String
  let turn: UInt64
  let task: ImageTask
  let events: AsyncStream<ImageTask.Event>
  let options: ImageOptions
  let placeholder: Image?

  func run() async throws -> ImageResult {
    defer { target?.imageLoads.end(turn, for: key) }
    if !task.wasInMemory && !options.contains(.delayPlaceholder) { await show { await $0.show(placeholder, for: key) } }
    for await event in events { await show(event) }
    do {
      let result = try await task.result
      await show(result)
      return result
    } catch {
      if options.contains(.delayPlaceholder) { await show { await $0.show(placeholder, for: key) } }
      throw error
    }
  }

  private func show(_ event: ImageTask.Event) async {
    switch event {
    case .progress(let received, let expected):
      await show { await $0.showProgress(received: received, expected: expected, for: key) }
    case .preview(let image), .cached(let image):
      if !options.contains(.avoidAutoSet) { await show { await $0.show(image, for: key) } }
    }
  }

  private func show(_ result: ImageResult) async {
    guard !options.contains(.avoidAutoSet) else { return }
    let hasTransition = result.source != .memory || options.contains(.forceTransition)
    guard hasTransition else { return await show { await $0.show(result.image, for: key) } }
    if options.contains(.waitTransition) {
      await show { await $0.transition(to: result.image, for: key) }
    } else {
      guard let target else { return }
      await begin(transitionTo: result.image, on: target, isolation: target.imageExecutor)
    }
  }

  /// Begins a transition, and returns after its beginning and before its end.
  private func begin(
    transitionTo image: Image, on target: any ImageTarget, isolation: isolated any Actor
  ) async {
    guard target.imageLoads.isLatest(turn, for: key) else { return }
    await withUnsafeContinuation { (hasBegun: UnsafeContinuation<Void, Never>) in
      // Both tasks belong to the target's executor. This one goes on when the other one lets the executor go, which is
      // when the transition waits for the first time.
      Task {
        _ = isolation
        hasBegun.resume()
        // The target may have asked for something newer before this task had its turn.
        guard target.imageLoads.isLatest(turn, for: key) else { return }
        await target.transition(to: image, for: key)
      }
    }
  }

  private func show(_ body: nonisolated(nonsending) @Sendable (any ImageTarget) async -> Void) async {
    guard let target else { return }
    await show(on: target, isolation: target.imageExecutor, body)
  }

  /// Runs on the target's own executor, where nothing can happen between the check and `body`.
  private func show(
    on target: any ImageTarget, isolation: isolated any Actor,
    _ body: nonisolated(nonsending) @Sendable (any ImageTarget) async -> Void
  ) async {
    guard target.imageLoads.isLatest(turn, for: key) else { return }
    await body(target)
  }
}
