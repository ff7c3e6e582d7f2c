import Synchronization

/// Computes the digest of a key, by which an entry names the key that it was stored under.
///
/// It is the same in every process and version, because stores keep it. It protects from mistakes of stores and not
/// from people who may write into them.
package struct KeyDigest {
  private var state: UInt64 = 0x4b65_7944_6967_6573

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      add(utf8.count)
      state = ContentGeneration.mix(UnsafeRawBufferPointer(utf8), into: state)
    }
  }

  mutating func add(_ number: Int) { state = (state ^ UInt64(truncatingIfNeeded: number)) &* 0x9e37_79b9_7f4a_7c15 }

  /// The digest, which is never 0.
  var value: UInt64 { ContentGeneration.named(state) }
}

extension CacheKey {
  /// The digest of original, scope and suffixes, computed when it is first asked for.
  // Each hit in memory asks for it.
  @inline(__always)
  package var digest: UInt64 {
    let known = parts.digest.load(ordering: .relaxed)
    return known != 0 ? known : computedDigest()
  }

  @inline(never)
  private func computedDigest() -> UInt64 {
    var digest = KeyDigest()
    digest.add(original)
    scope.add(to: &digest)
    for suffix in suffixes {
      digest.add(Int(suffix.origin.rawValue))
      digest.add(suffix.text)
    }
    parts.digest.store(digest.value, ordering: .relaxed)
    return digest.value
  }
}

extension CacheEntry {
  /// False when the entry was stored under another key.
  ///
  /// Entries of stores that keep no digest, and those of earlier versions, belong to the key under which they are found.
  @inline(__always)
  package func belongs(to key: CacheKey) -> Bool { keyDigest == 0 || keyDigest == key.digest }

  /// The entry with a record that names this key.
  package func bound(to key: CacheKey) -> CacheEntry {
    guard keyDigest != key.digest else { return self }
    var record = record
    record.keyDigest = key.digest
    return with(record)
  }
}
