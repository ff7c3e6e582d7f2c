/// A value behind a single reference.
///
/// Only the reference takes stack space, in thousands of waiting callers, or in every function that may throw the
/// value.
///
/// It is public, although this module is no product: the compiler puts no `package` code in line in other modules, and
/// would follow a key path step by step at run time.
@dynamicMemberLookup
public struct Boxed<Value: Sendable>: Sendable {
  @usableFromInline
  final class Box: Sendable {
    @usableFromInline let value: Value
    @inlinable init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// Boxes a value.
  @inlinable
  public init(_ value: Value) { box = Box(value) }

  /// The whole value.
  @inlinable public var parts: Value { box.value }

  /// Reads a member of the value.
  @inlinable
  public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { box.value[keyPath: path] }

  /// Reads or changes a member of the value; a change makes a new box.
  @inlinable
  public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
    get { box.value[keyPath: path] }
    set {
      var value = box.value
      value[keyPath: path] = newValue
      box = Box(value)
    }
  }
}
