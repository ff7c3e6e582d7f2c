import EaselCore
import EaselSupport

/// Queries several caches at the same time, and ends with the first hit.
///
/// Its tasks are unstructured: a caller would have to wait for all child tasks, and some notice their cancellation
/// late.
final class CacheRace: Sendable {
  private struct State {
    var continuation: UnsafeContinuation<CacheEntry.Hit?, any Error>?
    var tasks: [Task<Void, Never>] = []
    var pending: Int
    var errors: [any Error] = []
    var isOver = false

    /// Ends the race; returns the caller to resume and the tasks to cancel, or nothing when the race is already over.
    mutating func end() -> (UnsafeContinuation<CacheEntry.Hit?, any Error>?, [Task<Void, Never>]) {
      isOver = true
      defer {
        continuation = nil
        tasks = []
      }
      return (continuation, tasks)
    }
  }

  private let caches: [any ImageCache]
  private let subject: String
  private let state: Locked<State>

  init(_ caches: [any ImageCache], subject: String) {
    self.caches = caches
    self.subject = subject
    state = Locked(State(pending: caches.count))
  }

  func run(_ query: @escaping @Sendable (any ImageCache) async throws -> CacheEntry.Hit?) async throws -> CacheEntry
    .Hit?
  {
    guard !caches.isEmpty else { return nil }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.continuation = continuation }
          return state.isOver
        }
        if isOver { return continuation.resume(throwing: ImageError.cancelled(subject: subject)) }
        for cache in caches { start(cache, query) }
      }
    } onCancel: {
      finish(.failure(ImageError.cancelled(subject: subject)))
    }
  }

  private func start(
    _ cache: any ImageCache, _ query: @escaping @Sendable (any ImageCache) async throws -> CacheEntry.Hit?
  ) {
    let task = Task {
      do { answer(try await query(cache)) } catch { fail(error) }
    }
    let isOver = state.withLock { state in
      if !state.isOver { state.tasks.append(task) }
      return state.isOver
    }
    if isOver { task.cancel() }
  }

  private func answer(_ hit: CacheEntry.Hit?) {
    if let hit { return finish(.success(hit)) }
    finishIfLast()
  }

  private func fail(_ error: any Error) {
    state.withLock { $0.errors.append(error) }
    finishIfLast()
  }

  private func finishIfLast() {
    let errors: [any Error]? = state.withLock { state in
      state.pending -= 1
      return state.pending == 0 ? state.errors : nil
    }
    guard let errors else { return }
    var failures = CacheFailures(subject: subject)
    for error in errors { failures.note(error) }
    finish(Result { try failures.throwIfAny(of: caches.count) }.map { nil })
  }

  private func finish(_ result: Result<CacheEntry.Hit?, any Error>) {
    let (continuation, tasks) = state.withLock { $0.end() }
    for task in tasks { task.cancel() }
    continuation?.resume(with: result)
  }
}

/// Collects the errors of the caches in a group, so that no error hides another.
struct CacheFailures {
  private let subject: String?
  private var errors: [any Error] = []

  init(subject: String?) { self.subject = subject }

  mutating func note(_ error: any Error) { errors.append(error) }

  /// Notes an error.
  ///
  /// If the caller was cancelled, this throws at once, because nobody waits for the other caches.
  mutating func add(_ error: any Error) throws {
    if Task.isCancelled { throw ImageError.cancelled(subject: subject) }
    note(error)
  }

  func throwIfAny(of count: Int) throws {
    guard let first = errors.first else { return }
    if Task.isCancelled { throw ImageError.cancelled(subject: subject) }
    let message = "\(errors.count) of \(count) caches failed; the others did the work."
    if count == 1 { throw ImageError.wrapping(first, as: .cacheFailed, "The cache failed.", subject: subject) }
    throw ImageError(.cacheFailed, message, subject: subject, causes: errors)
  }
}
