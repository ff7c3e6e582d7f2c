import Glibc

/// How the texts of keys are compared: by their bytes.
///
/// Swift's own comparison takes an é of one scalar and one of two for the same, while URLs, disks and servers do not.
package enum KeyText {
  package static func isSame(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8, right.utf8)
    guard left.count == right.count else { return false }
    let fast = left.withContiguousStorageIfAvailable { left in
      right.withContiguousStorageIfAvailable { right in
        left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
      }
    }
    return (fast ?? nil) ?? left.elementsEqual(right)
  }

  /// Whether both are there and the same, or neither is there.
  package static func isSame(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return isSame(left, right)
  }

  static func precedes(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
}
