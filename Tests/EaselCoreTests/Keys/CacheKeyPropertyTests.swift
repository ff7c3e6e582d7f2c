import EaselCore
import EaselTestStudio
import Testing

/// Compares keys of hostile parts with a model of identity that is simple enough to trust: lists of bytes.
struct CacheKeyPropertyTests {
  private struct Parts: Hashable {
    var original: [UInt8]
    var scope: [[UInt8]]
    var suffixes: [[UInt8]]
  }

  private static let fragments = [
    "", "", "a", "A", "-", "--", ".", "..", "@", "#", "?", "/", "%2F", "(", ")", ",", ":", "0:", "1:", "2:a", "1:a1:b",
    "12", "3", "\0", "\n", " ", "\u{e9}", "e\u{301}", "\u{212b}", "\u{e5}", "A\u{30a}", "\u{1F680}", "\u{fb01}", "fi",
    "Flip(1,0)", "-Flip(1,0)", "Thumbnail({1,2},1)", "Name(value)", "method", "POST", "instance", "http://foo.com",
    "http://foo/a.png", ".png", "?x=b.c", "#mark", "@01234567", "\u{0}1:", "1:\u{0}",
  ]

  private static func key(_ random: inout SeededRandom) -> (CacheKey, Parts) {
    // A short list of texts is cut at random places, so that many keys have the same texts in different roles.
    func text(_ random: inout SeededRandom) -> String {
      let first = random.element(of: fragments)
      return random.below(3) == 0 ? first + random.element(of: fragments) : first
    }
    let original = text(&random)
    let parts = (0..<random.below(3)).map { _ in CacheKey.Scope.Part(name: text(&random), value: text(&random)) }
    let origins: [CacheKey.Suffix.Origin] = [.size, .transformer, .setting, .custom]
    let suffixes = (0..<random.below(3)).map { _ in CacheKey.Suffix(text(&random), origin: random.element(of: origins))
    }
    let key = CacheKey(original: original, scope: CacheKey.Scope(parts: parts), suffixes: suffixes)
    return (key, identity(original, parts, suffixes))
  }

  private static func identity(_ original: String, _ parts: [CacheKey.Scope.Part], _ suffixes: [CacheKey.Suffix])
    -> Parts
  {
    func pair(_ part: CacheKey.Scope.Part) -> [UInt8] {
      // A byte that never occurs in UTF-8 separates name and value.
      Array(part.name.utf8) + [0xff] + Array(part.value.utf8)
    }
    return Parts(
      original: Array(original.utf8),
      scope: parts.map(pair).sorted { $0.lexicographicallyPrecedes($1) },
      suffixes: suffixes.map { [$0.origin.rawValue] + Array($0.text.utf8) })
  }

  @Test func noTwoDifferentKeysAreEqualOrShareADiskName() {
    var random = SeededRandom(seed: 1)
    var known: [Parts: CacheKey] = [:]
    var keys: Set<CacheKey> = []
    var names: Set<String> = []
    var repeated = 0
    for _ in 0..<repetitions(200_000, inDebug: 6_000) {
      let (key, parts) = Self.key(&random)
      if let same = known[parts] {
        repeated += 1
        #expect(same == key && same.precomputedHash == key.precomputedHash && same.diskName == key.diskName)
      } else {
        known[parts] = key
        if !keys.insert(key).inserted { Issue.record("equal to another key: \(parts)") }
        if !names.insert(key.diskName).inserted { Issue.record("shares its disk name: \(parts)") }
      }
    }
    #expect(repeated > 10, "the draw must meet some keys twice")
    #expect(known.count > 1_000)
  }

  @Test func textsMovedFromOnePartToTheNextMakeAnotherKey() {
    // All ways to divide the same five texts among the three parts.
    let texts = ["1:", "a", "e\u{301}", "-", "Flip(1,0)"]
    var keys: [Parts: CacheKey] = [:]
    for cut in 0...texts.count {
      for end in cut...texts.count {
        let original = texts[..<cut].joined()
        let parts = texts[cut..<end].map { CacheKey.Scope.Part(name: $0, value: "") }
        for swap in [false, true] {
          let suffixes = swap ? [CacheKey.Suffix(texts[end...].joined())] : texts[end...].map { CacheKey.Suffix($0) }
          keys[Self.identity(original, parts, suffixes)] =
            CacheKey(original: original, scope: CacheKey.Scope(parts: parts), suffixes: suffixes)
        }
      }
    }
    #expect(keys.count > 30)
    #expect(Set(keys.values).count == keys.count)
    #expect(Set(keys.values.map(\.diskName)).count == keys.count)
  }

  @Test func equalityIsByBytesForEveryPairOfFragments() {
    for left in Self.fragments {
      for right in Self.fragments {
        let same = Array(left.utf8) == Array(right.utf8)
        #expect((CacheKey(original: left) == CacheKey(original: right)) == same)
        #expect((CacheKey.Suffix(left) == CacheKey.Suffix(right)) == same)
        let parts = [left, right].map { CacheKey.Scope.Part(name: "n", value: $0) }
        #expect((parts[0] == parts[1]) == same)
        #expect((parts[0] < parts[1]) != (parts[1] < parts[0]) || same)
      }
    }
  }
}
