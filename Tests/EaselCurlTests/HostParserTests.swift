import Testing

@testable import EaselCurl

struct HostParserTests {
  @Test(arguments: [
    ("http://example.com/a.png", "example.com"), ("https://img-2.example.com:8443/a@b", "img-2.example.com:8443"),
    ("http://127.0.0.1:80", "127.0.0.1:80"), ("https://localhost", "localhost"), ("http://a?b@c", "a"),
    ("http://a#b@c", "a"), ("http://a:/b", "a"),
  ])
  func theServerOfAnOrdinaryURLIsFound(url: String, server: String) {
    #expect(HostParser.server(in: url) == server)
  }

  @Test(arguments: [
    "http://user@example.com/", "http://user:1@example.com/", "http://[::1]/", "http://Example.com/",
    "HTTP://example.com/", "http:///a", "http://", "http://ex%41mple.com/", "ftp://example.com/", "",
    "http:/example.com",
    "http://example.com:a/", "http://b\u{fc}cher.example/", "http://a_b/", "http://a\\b/",
  ])
  func whateverIsUnusualIsLeftToOthers(url: String) {
    #expect(HostParser.server(in: url) == nil)
  }
}
