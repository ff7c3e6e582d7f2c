import EaselCore
import Testing

struct CacheKeyReadableTests {
  @Test(arguments: [
    ("image.png", "image-S.png"),
    ("image", "image-S"),
    (".image", ".image-S"),
    ("http://foo/image.png?foo=bar#mark", "http://foo/image-S.png?foo=bar#mark"),
    ("http://foo/a?x=b.c", "http://foo/a-S?x=b.c"),
    ("http://foo/a%2Fb.png", "http://foo/a%2Fb-S.png"),
    ("http://foo.com", "http://foo.com-S"),
  ])
  func theSuffixStandsWhereTheTableSays(original: String, readable: String) {
    #expect(CacheKey(original: original, suffixes: [CacheKey.Suffix("S")]).readable == readable)
  }

  @Test(arguments: [
    ("", "-S"),
    ("?x", "-S?x"),
    ("#x.png", "-S#x.png"),
    ("a.", "a.-S"),
    (".", ".-S"),
    ("..", "..-S"),
    ("a..png", "a.-S.png"),
    ("archive.tar.gz", "archive.tar-S.gz"),
    ("http://foo.com/", "http://foo.com/-S"),
    ("http://foo.com?x=a.b", "http://foo.com-S?x=a.b"),
    ("http://foo.com#a.b", "http://foo.com-S#a.b"),
    ("http://foo.com/dir.d/file", "http://foo.com/dir.d/file-S"),
    ("http://foo.com/dir.d/", "http://foo.com/dir.d/-S"),
    ("http://foo/a#b?c.d/e.png", "http://foo/a-S#b?c.d/e.png"),
    ("http://foo/a?b#c.d/e.png", "http://foo/a-S?b#c.d/e.png"),
    ("http://u:p@foo.com:80/a.png", "http://***@foo.com:80/a-S.png"),
    ("file:///home/me/a.png", "file:///home/me/a-S.png"),
    ("file://", "file://-S"),
    ("dir.d/file", "dir.d/file-S"),
    ("http://foo/a-Flip(1,0).png", "http://foo/a-Flip(1,0)-S.png"),
    ("http://foo/.hidden", "http://foo/.hidden-S"),
    ("http://foo/a b\u{301}.png", "http://foo/a b\u{301}-S.png"),
    ("http://foo/\u{1F680}.\u{1F680}", "http://foo/\u{1F680}-S.\u{1F680}"),
    ("a\0b.png", "a\0b-S.png"),
    ("://a.b/c.d", "://a.b/c-S.d"),
    ("data:abc", "data:abc-S"),
  ])
  func hostileOriginalsGetTheSuffixByTheSameRule(original: String, readable: String) {
    let made = CacheKey(original: original, suffixes: [CacheKey.Suffix("S")]).readable
    #expect(Array(made.utf8) == Array(readable.utf8))
  }

  @Test func flippedAndTurnedByAnEighthReadsAsPromised() throws {
    let turn = "Rotate(\(try KeyNumber.text(Double.pi / 4)),\(KeyNumber.text(true)))"
    let key = CacheKey(original: "image.png", suffixes: [CacheKey.Suffix("Flip(1,0)"), CacheKey.Suffix(turn)])
    #expect(key.readable == "image-Flip(1,0)-Rotate(0.7853981633974483,1).png")
  }

  @Test func withoutSuffixesItIsTheOriginal() {
    #expect(CacheKey(original: "http://foo/a.png?x#y").readable == "http://foo/a.png?x#y")
  }

  @Test func suffixesStandVerbatim() {
    let key = CacheKey(
      original: "http://foo/a%20b.png", suffixes: [CacheKey.Suffix("A b/?#%20"), CacheKey.Suffix("\u{e9}")])
    #expect(key.readable == "http://foo/a%20b-A b/?#%20-\u{e9}.png")
  }

  @Test func aScopeAddsEightHexDigitsAtTheVeryEnd() throws {
    let scope = CacheKey.Scope(parts: [.init(name: "method", value: "POST")])
    let readable = CacheKey(original: "http://foo/a.png?q=1#m", scope: scope, suffixes: [CacheKey.Suffix("S")]).readable
    let digits = readable.dropFirst("http://foo/a-S.png?q=1#m@".count)
    #expect(readable.hasPrefix("http://foo/a-S.png?q=1#m@"))
    #expect(digits.count == 8)
    #expect(digits.utf8.allSatisfy { Array("0123456789abcdef".utf8).contains($0) })
  }

  @Test func differentScopesHaveDifferentDigits() {
    let scopes = (0..<200).map { CacheKey.Scope(parts: [.init(name: "n", value: "\($0)")]) }
    #expect(Set(scopes.map { CacheKey(original: "a", scope: $0).readable }).count == scopes.count)
    let split = [("ab", "c"), ("a", "bc")].map { CacheKey.Scope(parts: [.init(name: $0.0, value: $0.1)]) }
    #expect(CacheKey(original: "a", scope: split[0]).readable != CacheKey(original: "a", scope: split[1]).readable)
  }
}
