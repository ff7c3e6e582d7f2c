import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Short forms of common requests.
extension Studio {
  /// The result of a load.
  package func result(_ url: URL, _ options: ImageOptions = [], _ context: ImageContext = []) async throws
    -> ImageResult
  {
    try await manager.result(for: ImageRequest(url: url, options: options, context: context))
  }

  /// The error of a load, which must fail.
  package func failure(
    _ url: URL?, _ options: ImageOptions = [], _ context: ImageContext = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> ImageError? {
    await #expect(throws: ImageError.self, sourceLocation: sourceLocation) {
      try await manager.image(for: url, options: options, context: context)
    }
  }

  /// Loads a picture and waits until it is stored everywhere.
  @discardableResult
  package func warm(_ url: URL, _ options: ImageOptions = [], _ context: ImageContext = []) async throws -> ImageResult
  {
    let result = try await result(url, options, context)
    await settle()
    return result
  }

  /// Clears the recorded calls of the stores.
  package func forgetCalls() {
    memory.forgetCalls()
    disk.forgetCalls()
    observer.forgetEvents()
  }

  /// Collects all events of a task.
  package func events(of task: ImageTask) -> Task<[ImageTask.Event], Never> {
    let events = task.events
    return Task { await events.reduce(into: []) { $0.append($1) } }
  }
}

extension ImageTask.Event {
  /// The numbers of a progress event; nil for other events.
  package var progress: [Int?]? {
    if case .progress(let received, let expected) = self { [received, expected] } else { nil }
  }

  /// The picture of a preview event; nil for other events.
  package var preview: Image? { if case .preview(let image) = self { image } else { nil } }

  /// The picture of a `cached` event; nil for other events.
  package var cached: Image? { if case .cached(let image) = self { image } else { nil } }
}

extension HTTPHeaders {
  /// Response fields with an entity tag and a lifetime.
  package static func stale(after seconds: Int = 0, tag: String = "\"one\"", _ more: String = "") -> HTTPHeaders {
    ["ETag": tag, "Cache-Control": "max-age=\(seconds)" + (more.isEmpty ? "" : ", " + more)]
  }
}
