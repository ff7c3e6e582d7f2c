/// A value behind a single reference.
///
/// Only the reference takes stack space, in thousands of waiting callers or in every function that may throw the value.
///
/// It is public, although this module is no product: the compiler puts no `package` code into another module, and
/// a key path that is not known when compiling is followed step by step.
@dynamicMemberLookup
public struct Boxed<Value: Sendable>: Sendable {
  @usableFromInline
  final class Box: Sendable {
    @usableFromInline let value: Value
    @inlinable init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// Puts a value into a box.
  @inlinable
  public init(_ value: Value) { box = Box(value) }

  /// The whole value.
  @inlinable public var parts: Value { box.value }

  /// A member of the value.
  @inlinable
  public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { box.value[keyPath: path] }

  /// A member of the value, whose change makes a new box.
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
