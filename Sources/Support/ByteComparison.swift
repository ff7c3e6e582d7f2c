import Glibc

/// Compares the texts of keys by their bytes.
///
/// Swift's own comparison treats an é of one scalar and one of two as equal, but URLs, disks and servers do not.
package enum ByteComparison {
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

  /// True when both texts are equal or both are nil.
  package static func isSame(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return isSame(left, right)
  }

  package static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
