/// Keys or requests in the order of the lookups.
///
/// A real caller has its key ready. Elements of an array would be retained for each lookup, which costs as much as the
/// answer, and would be scattered in memory. Noncopyable elements are not retained. The class is unchecked because it
/// never changes.
final class AtHand<Value: Sendable>: @unchecked Sendable {
  private struct Element: ~Copyable {
    let value: Value

    @inline(__always)
    borrowing func with<Result>(_ body: (borrowing Value) -> Result) -> Result { body(value) }
  }

  private let elements: UnsafeMutablePointer<Element>
  private let count: Int

  init(_ values: [Value]) {
    count = values.count
    elements = .allocate(capacity: count)
    for (index, value) in values.enumerated() { elements.advanced(by: index).initialize(to: Element(value: value)) }
  }

  deinit {
    elements.deinitialize(count: count)
    elements.deallocate()
  }

  @inline(__always)
  func with<Result>(_ index: Int, _ body: (borrowing Value) -> Result) -> Result { elements[index].with(body) }
}
