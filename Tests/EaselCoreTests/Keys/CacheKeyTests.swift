import EaselCore
import Testing

struct CacheKeyTests {
  private let composed = "caf\u{e9}"
  private let decomposed = "cafe\u{301}"

  @Test func everythingMadeOfOneOriginalHasTheSameLowestBits() {
    let bits = (0..<100).map { number in
      let keys = [[], ["Flip(1,0)"], ["Blur(\(number))"]].map { suffixes in
        CacheKey(original: "http://foo/\(number)", suffixes: suffixes.map { CacheKey.Suffix($0) })
      }
      #expect(Set(keys.map { $0.precomputedHash & 0xFF }).count == 1)
      #expect(Set(keys.map(\.precomputedHash)).count == 3)
      return keys[0].precomputedHash & 0xFF
    }
    #expect(Set(bits).count > 50)
  }

  @Test func originalScopeAndSuffixesAreEachPartOfTheIdentity() {
    let base = CacheKey(original: "a")
    let others = [
      CacheKey(original: "b"),
      CacheKey(original: "a", scope: CacheKey.Scope(parts: [.init(name: "n", value: "v")])),
      CacheKey(original: "a", suffixes: [CacheKey.Suffix("S")]),
      CacheKey(original: "a", suffixes: [CacheKey.Suffix("S", origin: .custom)]),
      CacheKey(original: "a", suffixes: [CacheKey.Suffix("S"), CacheKey.Suffix("S")]),
    ]
    let all = [base] + others
    #expect(Set(all).count == all.count)
    #expect(Set(all.map(\.diskName)).count == all.count)
  }

  @Test func keysMadeApartFromEqualPartsAreEqual() {
    func make() -> CacheKey {
      let text = ["http://", "foo/a.png"].joined()
      let parts = [CacheKey.Scope.Part(name: "b", value: "2"), .init(name: "a", value: "1")]
      return CacheKey(original: text, scope: CacheKey.Scope(parts: parts), suffixes: [CacheKey.Suffix("Flip(1,0)")])
    }
    #expect(make() == make())
    #expect(make().precomputedHash == make().precomputedHash)
    #expect(make().diskName == make().diskName)
    #expect([make(): 1][make()] == 1)
  }

  @Test func theOrderOfSuffixesCountsAndThatOfScopePartsDoesNot() {
    let flip = CacheKey.Suffix("Flip(1,0)")
    let blur = CacheKey.Suffix("Blur(2)")
    #expect(CacheKey(original: "a", suffixes: [flip, blur]) != CacheKey(original: "a", suffixes: [blur, flip]))
    let one = CacheKey.Scope.Part(name: "x", value: "1")
    let two = CacheKey.Scope.Part(name: "y", value: "2")
    #expect(CacheKey.Scope(parts: [one, two]) == CacheKey.Scope(parts: [two, one]))
  }

  @Test func aSuffixThatContainsADashIsNotTwoSuffixes() {
    let one = CacheKey(original: "a.png", suffixes: [CacheKey.Suffix("A-B")])
    let two = CacheKey(original: "a.png", suffixes: [CacheKey.Suffix("A"), CacheKey.Suffix("B")])
    #expect(one.readable == two.readable)
    #expect(one != two)
    #expect(one.diskName != two.diskName)
  }

  @Test func anOriginalThatReadsLikeAVariantIsNotTheVariant() {
    let variant = CacheKey(original: "http://foo/a.png", suffixes: [CacheKey.Suffix("Flip(1,0)")])
    let plain = CacheKey(original: "http://foo/a-Flip(1,0).png")
    #expect(variant.readable == plain.readable)
    #expect(variant != plain)
    #expect(variant.diskName != plain.diskName)
  }

  @Test func textsThatLookAlikeButAreEncodedDifferentlyAreDifferentKeys() {
    #expect(composed == decomposed, "Swift calls them equal, which is why keys must not ask it")
    func pair(_ make: (String) -> CacheKey) -> (CacheKey, CacheKey) { (make(composed), make(decomposed)) }
    let pairs = [
      pair { CacheKey(original: $0) },
      pair { CacheKey(original: "a", scope: CacheKey.Scope(parts: [.init(name: "n", value: $0)])) },
      pair { CacheKey(original: "a", scope: CacheKey.Scope(parts: [.init(name: $0, value: "v")])) },
      pair { CacheKey(original: "a", suffixes: [CacheKey.Suffix($0)]) },
    ]
    for (left, right) in pairs {
      #expect(left != right)
      #expect(Set([left, right]).count == 2)
      #expect(left.diskName != right.diskName)
    }
  }

  @Test func scopePartsThatLookAlikeAreSortedTheSameWayWhateverTheirOrder() {
    let parts = [composed, decomposed, "cafe"].map { CacheKey.Scope.Part(name: $0, value: "v") }
    let forward = CacheKey(original: "a", scope: CacheKey.Scope(parts: parts))
    let backward = CacheKey(original: "a", scope: CacheKey.Scope(parts: parts.reversed()))
    #expect(forward == backward)
    #expect(forward.diskName == backward.diskName)
  }

  @Test func theOriginalKeyOfAVariantDropsTheSuffixesOnly() {
    let scope = CacheKey.Scope(parts: [.init(name: "n", value: "v")])
    let original = CacheKey(original: "a", scope: scope)
    let variant = CacheKey(original: "a", scope: scope, suffixes: [CacheKey.Suffix("S")])
    #expect(variant.originalKey == original)
    #expect(original.originalKey == original)
    #expect(variant.isVariant && !original.isVariant)
  }

  @Test(arguments: ["", "\0", "http://foo/\u{1F469}\u{200D}\u{1F680}.png", String(repeating: "x", count: 10_000)])
  func aDiskNameIsThirtyTwoHexDigitsWhateverTheKey(original: String) {
    let name = CacheKey(original: original, suffixes: [CacheKey.Suffix("/../\0")]).diskName
    #expect(name.utf8.count == 32)
    #expect(name.utf8.allSatisfy { Array("0123456789abcdef".utf8).contains($0) })
  }

  @Test func theDiskNameIsTheSameInEveryProcess() {
    let scope = CacheKey.Scope(parts: [.init(name: "method", value: "POST")])
    let key = CacheKey(original: "http://foo/a.png", scope: scope, suffixes: [CacheKey.Suffix("Flip(1,0)")])
    // SHA-256 of "16:http://foo/a.png1:6:method4:POST0:1:9:Flip(1,0)", computed with another tool.
    #expect(key.diskName == "9cccfcc8585663bb46922db49b40a405")
  }

  @Test func theDescriptionIsTheReadableForm() {
    let key = CacheKey(original: "image.png", suffixes: [CacheKey.Suffix("Flip(1,0)")])
    #expect("\(key)" == key.readable)
  }
}
