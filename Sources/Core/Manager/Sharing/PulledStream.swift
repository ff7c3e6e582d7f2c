/// Makes sequences whose reader fetches each element when it wants it, so that nothing is kept for one that is slow but
/// what its source keeps anyway.
enum PulledStream {
  /// The answer of the source to a reader.
  enum Next<Element: Sendable>: Sendable {
    case element(Element)
    case nothingYet
    case end
  }

  /// Makes a sequence of what `next` returns; it is asked again after each ring of the bell.
  static func make<Element: Sendable>(
    _ bell: Bell, _ next: @escaping @Sendable () -> Next<Element>
  ) -> AsyncStream<Element> {
    AsyncStream {
      while true {
        switch next() {
        case .element(let element): return element
        case .end: return nil
        case .nothingYet: await bell.wait()
        }
        if Task.isCancelled { return nil }
      }
    } onCancel: {
      bell.ring()
    }
  }
}
