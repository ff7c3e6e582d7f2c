import EaselTestSupport

@testable import EaselCore

/// Wraps a transformer and records a number when it begins.
struct NotingTransformer: Transformer {
  private let base: any Transformer
  private let number: Int
  private let notes: Watched<[Int]>

  init(_ base: any Transformer, _ number: Int, in notes: Watched<[Int]>) {
    self.base = base
    self.number = number
    self.notes = notes
  }

  var cacheKey: String { base.cacheKey }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    notes.withLock { $0.append(number) }
    return try base.transform(image, work: work)
  }
}
