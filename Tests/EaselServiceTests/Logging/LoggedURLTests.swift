import Testing

@testable import EaselObserving
@testable import EaselService

struct LoggedURLTests {
  @Test(arguments: [
    ("https://example.com/a/b.jpg", "example.com", "https://example.com/a/b.jpg"),
    ("HTTPS://Example.COM", "example.com", "https://example.com"),
    ("http://h:8080/a?x=1#y", "h:8080", "http://h:8080/a"), ("http://h?x=1", "h", "http://h"),
    ("http://user@h/a", "h", "http://h/a"), ("http://user:p@ss@h/a", "h", "http://h/a"),
    ("http://user:p/w@h/a", "http", "http:*"),
    ("http://user:12/w@h/a", "http", "http:*"), ("http://h:x/a", "http", "http:*"),
    ("http://h:123456/a", "http", "http:*"),
    ("http://[zz]/a", "http", "http:*"), ("http://a b/c", "http", "http:*"),
    ("http://b\u{FC}cher.example/a", "b\u{FC}cher.example", "http://b\u{FC}cher.example/a"),
    ("http://h/a;jsessionid=1", "h", "http://h/a"),
    ("http://[2001:db8::1]:80/a", "[2001:db8::1]:80", "http://[2001:db8::1]:80/a"),
    ("local:///pictures/a.jpg", "local", "local:///pictures/a.jpg"),
    ("s3://bucket/key.png", "bucket", "s3://bucket/key.png"),
    ("data:image/png;base64,AAAA", "data", "data:*"), ("http://h\\@evil/a", "h", "http://h\\@evil/a"),
    ("file:a", "file", "file:*"),
    ("http://", "http", "http://"), ("http://@/x", "http", "http:///x"),
    ("https://h/https://u:p@i/x", "h", "https://h/*"), ("https://h/a@2x.png", "h", "https://h/a@2x.png"),
  ])
  func onlyHarmlessPartsAreLeft(_ source: String, _ host: String, _ text: String) throws {
    let logged = try #require(LoggedURL(source))
    #expect(logged.host == host)
    #expect(logged.text == text)
  }

  @Test(arguments: ["", "no scheme", "://x", "ht tp://x", "/a/b", "ä://x", "averyveryverylongscheme://x"])
  func otherTextsHaveNoHost(_ source: String) { #expect(LoggedURL(source) == nil) }

  @Test func noCredentialsAreEverLeft() {
    for source in [
      "https://alice:secret@h/", "https://alice:se/cret@h/", "https://alice:se?cret@h/", "https://:secret@h/",
      "https://h/a?k=secret", "https://h/a#secret", "https://h?secret", "https://alice:x@secret@h/",
      "s3://AKIA:secret@bucket/k", "data:secret", "https://h/https://alice:secret@i/a",
    ] {
      let logged = LoggedURL(source)
      #expect(logged?.text.contains("cret") == false, "\(source)")
      #expect(logged?.host.contains("secret") == false, "\(source)")
    }
  }

  @Test(arguments: [
    ("/AbCd-_09/rs:fit:300:200/plain/http://h/a.jpg", "/*/rs:fit:300:200/*"),
    ("/unsafe/w:100/q:80/aHR0cDovL2V4YW1w/bGUuY29t.png", "/unsafe/w:100/q:80/*"),
    ("/insecure/raw/plain/local:///a", "/insecure/raw/*"), ("/sig", "/*"), ("/", "/"), ("", "/"),
    ("/sig/enc/abcdef", "/*/*"), ("/sig/pr:sharp/aHR0c", "/*/pr:sharp/*"), ("/sig/w:100?x=secret", "/*/w:100"),
    ("/sig/wmu:aHR0cDovL2V4YW1wbGUuY29tL3NlY3JldA/w:5/plain/x", "/*/wmu:*/w:5/*"), ("/sig/fn:a%20b/x.png", "/*/fn:*/*"),
    ("/info/sig/plain/http://h/a", "/info/*/*"), ("//sig//w:1//plain/x", "/*/w:1/*"), ("/sig/w:1#frag", "/*/w:1"),
    ("/sig/300x200/smart/filters:watermark(http://u:p@h/x)/h/a.jpg", "/*/300x200/smart/*"),
    ("/sig/fit-in/-300x-200/example.com/a.jpg", "/*/fit-in/-300x-200/*"), ("/sig/ca:Ä/x", "/*/ca:*/x"),
  ])
  func pathsShowOnlyOptions(_ target: String, _ text: String) {
    #expect(LoggedPath.text(target, .picture) == text)
  }

  @Test func pathsOfTheServerItselfAreWhole() {
    #expect(LoggedPath.text("/health?verbose", .health) == "/health")
    #expect(LoggedPath.text("/health", .health) == "/health")
    #expect(LoggedPath.text("/SECRETSIGNATURE/x.y", .other) == "/*/*")
  }
}
