import EaselCore
import EaselManager
import EaselSupport

/// Loads the pictures that a list shows next, in the direction in which it is scrolled.
///
/// ```swift
/// let urls = (1...100).map { URL(string: "https://example.com/\($0).jpg")! }
/// let prefetcher = PictureListPrefetcher(manager: manager) { index in
///   urls.indices.contains(index) ? ImageRequest(url: urls[index]) : nil
/// }
/// prefetcher.show(0..<12)
/// ```
///
/// The rows nearest to the visible ones come first. Loads of rows that are neither visible nor next are cancelled. A row that
/// becomes visible joins the load that runs for it.
public final class PictureListPrefetcher: Sendable {
  private struct State {
    var visible = 0..<0
    var isForward = true
    var batches: [Int: ImagePrefetcher.Batch] = [:]
  }

  private let prefetcher: ImagePrefetcher
  private let screens: Double
  private let layers: CacheLayers
  private let request: @Sendable (Int) -> ImageRequest?
  private let state = Locked(State())

  /// Creates a prefetcher for rows whose requests `request` tells; nil means that there is no such row.
  ///
  /// It loads as many rows ahead as are visible, times `screens`, at most `concurrency` at a time, and stores them in `layers`.
  /// The requests must be those of the rows themselves, so that these find the pictures.
  public init(
    manager: ImageManager, screens: Double = 1, concurrency: Int = 3, to layers: CacheLayers = .all,
    request: @escaping @Sendable (Int) -> ImageRequest?
  ) {
    prefetcher = ImagePrefetcher(manager: manager, concurrency: concurrency)
    self.screens = screens.isFinite ? max(0, screens) : 1
    self.layers = layers
    self.request = request
  }

  deinit { prefetcher.cancelAll() }

  /// Tells which rows are visible now.
  public func show(_ visible: Range<Int>) {
    let wanted = state.withLock { state in
      // Rows that stay where they are say nothing about the direction.
      let last = state.visible.lowerBound
      if visible.lowerBound != last { state.isForward = visible.lowerBound > last }
      state.visible = visible
      return rows(beside: visible, isForward: state.isForward)
    }
    // The requests are made by the user's code, which runs under no lock.
    let missing = state.withLock { state in wanted.filter { state.batches[$0] == nil } }
    let requests = missing.compactMap { row in request(row).map { (row: row, request: $0) } }
    let (outdated, added) = state.withLock { state in
      // Another call may have come meanwhile, whose rows count.
      let kept = Set(rows(beside: state.visible, isForward: state.isForward)).union(state.visible)
      let outdated = state.batches.filter { !kept.contains($0.key) }
      for row in outdated.keys { state.batches[row] = nil }
      return (outdated.values, requests.filter { kept.contains($0.row) && state.batches[$0.row] == nil })
    }
    for batch in outdated { batch.cancel() }
    for (row, request) in added {
      let batch = prefetcher.prefetch([Self.lowered(request)], to: layers)
      let last = state.withLock { $0.batches.updateValue(batch, forKey: row) }
      last?.cancel()
    }
  }

  /// Cancels all loads; the next call of ``show(_:)`` begins again.
  public func stop() {
    let batches = state.withLock { state in
      defer { state = State() }
      return Array(state.batches.values)
    }
    for batch in batches { batch.cancel() }
  }

  /// The rows to load, nearest first.
  private func rows(beside visible: Range<Int>, isForward: Bool) -> [Int] {
    let count = Int(min(Double(visible.count) * screens, 10_000).rounded(.up))
    if isForward { return Array(visible.upperBound..<visible.upperBound + count) }
    return (max(0, visible.lowerBound - count)..<max(0, visible.lowerBound)).reversed()
  }

  private static func lowered(_ request: ImageRequest) -> ImageRequest {
    var request = request
    request.options.insert(.lowPriority)
    return request
  }
}
