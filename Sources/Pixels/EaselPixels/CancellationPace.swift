import EaselCore

/// Checks for cancellation about once a millisecond, which it estimates by counting pixels.
package struct CancellationPace {
  private let work: WorkContext
  private var pixels = 0

  package init(_ work: WorkContext) { self.work = work }

  package mutating func step(pixels count: Int) throws(ImageError) {
    pixels += count
    guard pixels >= Self.pixelsBetweenChecks else { return }
    pixels = 0
    try work.checkCancellation()
  }

  package static let pixelsBetweenChecks = 250_000

  /// The number of rows or columns of `length` pixels that take about a millisecond.
  package static func lines(of length: Int) -> Int { max(1, pixelsBetweenChecks / max(1, length)) }
}
