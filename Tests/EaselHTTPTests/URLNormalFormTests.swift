import FoundationEssentials
import Testing

@testable import EaselHTTP

/// The one form of all URLs that name the same thing.
struct URLNormalFormTests {
  @Test(arguments: [
    ("http://host/a", "http://host/a"), ("HTTP://HOST/A", "http://host/A"), ("http://host", "http://host/"),
    ("http://host?x", "http://host/?x"), ("http://host#x", "http://host/"), ("http://host/a?b#c", "http://host/a?b"),
    ("http://host:80/a", "http://host/a"), ("http://host:/a", "http://host/a"), ("http://host:0080/a", "http://host/a"),
    ("https://host:443/a", "https://host/a"), ("https://host:80/a", "https://host:80/a"),
    ("http://host:443/a", "http://host:443/a"),
    ("http://host/%61%2e%7E%5f%2d", "http://host/a.~_-"), ("http://host/%2f%3a%c3%A9", "http://host/%2F%3A%C3%A9"),
    ("http://host/%zz%4", "http://host/%zz%4"), ("http://host/a%20b", "http://host/a%20b"),
    ("http://host/%2561", "http://host/%2561"), ("http://host/é", "http://host/%C3%A9"),
    ("http://host/x/../a", "http://host/a"), ("http://host/../../a", "http://host/a"),
    ("http://host/./a/.", "http://host/a/"), ("http://host/a/b/..", "http://host/a/"),
    ("http://host/a/%2E%2e/b", "http://host/b"), ("http://host/..", "http://host/"),
    ("http://host//a//b/", "http://host//a//b/"), ("http://host/a//../b", "http://host/a/b"),
    ("http://host/...", "http://host/..."), ("http://host/a?x=/../%61", "http://host/a?x=/../a"),
    ("http://host/a?", "http://host/a?"),
    ("http://Me:%50w@HOST/a", "http://Me:Pw@host/a"), ("http://[::1]:80/a", "http://[::1]/a"),
    ("http://[FE80::A]/a", "http://[fe80::a]/a"), ("http://[::1]/a", "http://[::1]/a"),
    ("http://h%4Fst/", "http://host/"),
  ])
  func theFormOfAURL(url: String, form: String) {
    #expect(URLNormalForm.text(of: url) == form)
    #expect(URLNormalForm.text(of: form) == form)
    #expect(!URLNormalForm.isPlain(url) || url == form)
  }

  @Test(arguments: ["http://host/a", "https://www.example.org/a/b.c?d=e/f&g=h~i", "http://host/"])
  func mostURLsAreKnownAtOnce(url: String) { #expect(URLNormalForm.isPlain(url) && URLNormalForm.text(of: url) == url) }

  @Test(arguments: [
    "file:///a/../b", "s3://Bucket/a/../b", "data:,%61", "local:///x", "http:host", "http", "", "//host/a",
  ])
  func otherSchemesHaveNone(url: String) { #expect(URLNormalForm.text(of: url) == nil) }

  @Test func endlessSpellingsTakeNoEndlessMemory() throws {
    let spellings = URLSpellings()
    let plain = try #require(URL(string: "http://host/a"))
    for number in 0..<10_000 { spellings.note(try #require(URL(string: "http://HOST/\(number)"))) }
    spellings.note(try #require(URL(string: "http://HOST/a")))
    spellings.note(plain)
    #expect(spellings.all(of: plain).map(\.absoluteString).sorted() == ["http://HOST/a", "http://host/a"])
    #expect(spellings.all(of: try #require(URL(string: "http://host/0"))).count == 1)
  }
}
