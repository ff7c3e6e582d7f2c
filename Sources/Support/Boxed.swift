/// A value behind a single reference.
///
/// Only the reference takes stack space, in thousands of waiting callers or in every function that may throw the value.
@dynamicMemberLookup
package struct Boxed<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  package init(_ value: Value) { box = Box(value) }

  /// The whole value.
  package var parts: Value { box.value }

  package subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { box.value[keyPath: path] }

  package subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
    get { box.value[keyPath: path] }
    set {
      var value = box.value
      value[keyPath: path] = newValue
      box = Box(value)
    }
  }
}
