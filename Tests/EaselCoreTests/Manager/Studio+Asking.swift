import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore

/// Short forms of common requests.
extension Studio {
  /// The result of a load.
  func result(_ url: URL, _ options: ImageOptions = [], _ context: ImageContext = []) async throws -> ImageResult {
    try await manager.result(for: ImageRequest(url: url, options: options, context: context))
  }

  /// The error of a load, which must fail.
  func failure(
    _ url: URL?, _ options: ImageOptions = [], _ context: ImageContext = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> ImageError? {
    await #expect(throws: ImageError.self, sourceLocation: sourceLocation) {
      try await manager.image(for: url, options: options, context: context)
    }
  }

  /// Loads a picture and waits until it is stored everywhere.
  @discardableResult
  func warm(_ url: URL, _ options: ImageOptions = [], _ context: ImageContext = []) async throws -> ImageResult {
    let result = try await result(url, options, context)
    await settle()
    return result
  }

  /// Clears the recorded calls of the stores.
  func forgetCalls() {
    memory.forgetCalls()
    disk.forgetCalls()
    observer.forgetEvents()
  }

  /// Collects all events of a task.
  func events(of task: ImageTask) -> Task<[ImageTask.Event], Never> {
    let events = task.events
    return Task { await events.reduce(into: []) { $0.append($1) } }
  }
}

extension ImageTask.Event {
  /// The numbers of a progress event; nil for other events.
  var progress: [Int?]? {
    if case .progress(let received, let expected) = self { [received, expected] } else { nil }
  }

  /// The picture of a preview event; nil for other events.
  var preview: Image? { if case .preview(let image) = self { image } else { nil } }

  /// The picture of a `cached` event; nil for other events.
  var cached: Image? { if case .cached(let image) = self { image } else { nil } }
}

extension HTTPHeaders {
  /// Response fields with an entity tag and a lifetime.
  static func stale(after seconds: Int = 0, tag: String = "\"one\"", _ more: String = "") -> HTTPHeaders {
    ["ETag": tag, "Cache-Control": "max-age=\(seconds)" + (more.isEmpty ? "" : ", " + more)]
  }
}
