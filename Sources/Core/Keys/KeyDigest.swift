import Synchronization

/// Computes the digest of a key; an entry states the digest of the key that it was stored under.
///
/// The digest is the same in every process and version, because stores keep it. It detects mistakes of stores, but does
/// not protect from people who can write into a store.
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
  /// The digest of original, scope and suffixes, computed when it is first needed.
  // Inlined, because each hit in memory needs the digest.
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
  /// An entry without a digest, from an earlier version or a store that keeps none, belongs to the key that found it.
  @inline(__always)
  package func belongs(to key: CacheKey) -> Bool { keyDigest == 0 || keyDigest == key.digest }

  /// Returns the entry with a record that states the digest of this key.
  package func bound(to key: CacheKey) -> CacheEntry {
    guard keyDigest != key.digest else { return self }
    var record = record
    record.keyDigest = key.digest
    return with(record)
  }
}
