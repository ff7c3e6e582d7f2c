import EaselTestStudio
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Names and passwords in URLs, wherever people read them.
struct ShownURLTests {
  @Test(arguments: [
    ("", ""), ("a@b", "a@b"), ("http://host/a.png", "http://host/a.png"),
    ("http://alice:s3cret@host/", "http://***@host/"), ("http://token@host:81", "http://***@host:81"),
    ("http://@host/", "http://***@host/"), ("HTTPS://a:b@HOST?c@d", "HTTPS://***@HOST?c@d"),
    ("http://a:b@c:d@host/", "http://***@host/"), ("http://a:b%40c@host#x@y", "http://***@host#x@y"),
    ("http://alice:s3/cret@host/", "http://***@host/"), ("http://alice:s?cret@host", "http://***@host"),
    ("http://[::1]/a@2x.png", "http://[::1]/a@2x.png"), ("http://host:80/a@2x.png", "http://host:80/a@2x.png"),
    ("http://a:b@h/, http://c:d@i/", "http://***@h/, http://***@i/"),
    ("http://host/?q=a@b", "http://host/?q=a@b"), ("http://host/@2x/a@b.png", "http://host/@2x/a@b.png"),
    ("http://host?a@b", "http://host?a@b"), ("http://host\\@b", "http://host\\@b"),
    ("http://host/get?url=ftp://a:b@other/c", "http://host/get?url=ftp://***@other/c"),
    (
      "The redirect from http://a:b@x/ to http://c:d@y/ was refused.",
      "The redirect from http://***@x/ to http://***@y/ was refused."
    ),
    ("The server redirects to \"//a:b@host/x\".", "The server redirects to \"//***@host/x\"."),
    ("//a:b@host", "//***@host"), ("/home//me@work/a", "/home//me@work/a"), ("file:///a@b", "file:///a@b"),
    ("http://é:ü@host/", "http://***@host/"), ("Write to a@b or to https://c", "Write to a@b or to https://c"),
  ])
  func namesAndPasswordsAreNotShown(text: String, shown: String) { #expect(ShownURL.text(text) == shown) }

  private let url = "http://alice:s3cret@host/a.png"

  @Test func noErrorShowsThem() {
    struct Own: Error, CustomStringConvertible { let description = "http://alice:s3cret@host/ is down" }
    var error = ImageError(.network, "\(url) failed.", subject: url, cause: Own())
    #expect(error.message == "http://***@host/a.png failed." && error.subject == "http://***@host/a.png")
    #expect(!"\(error)".contains("s3cret") && !"\(error)".contains("alice") && "\(error)".contains("is down"))
    error.subject = url
    #expect(error.subject == "http://***@host/a.png")
    #expect(!"\(ImageError(.network, url, subject: url, causes: [error, Own()]))".contains("s3cret"))
    let wrapped = ImageError.wrapping(Own(), as: .network, "The load of \(url) failed.", subject: url)
    #expect(!"\(wrapped)".contains("s3cret"))
  }

  @Test func noReadableKeyShowsThem() {
    let key = CacheKey(original: url, suffixes: [CacheKey.Suffix("Flip(1,0)")])
    #expect(key.readable == "http://***@host/a-Flip(1,0).png" && "\(key)" == key.readable)
    #expect(key.original == url)
    let event = ImageEvent(.stored(key, .disk), key: key)
    #expect(!"\(event)".contains("s3cret"))
    #expect(CacheKey(original: "http://bob:other@host/a.png") != CacheKey(original: url))
  }

  /// Whatever ends a load: its error, the events and the subject have no password.
  @Test(arguments: [0, 1, 2, 3]) func noLoadShowsThem(kind: Int) async throws {
    let studio = Studio {
      if kind == 2 { $0.requestModifier = .closure { _ in nil } }
      if kind == 3 { $0.shouldLoad = { _ in false } }
    }
    let url = try #require(URL(string: url))
    studio.loader.script(
      url, kind == 0 ? .status(404) : .failure(ImageError(.network, "Lost \(url).", subject: url.absoluteString)))
    let failure = try #require(await studio.failure(url))
    #expect(!"\(failure)".contains("s3cret") && failure.subject == "http://***@host/a.png")
    // A head has the URL itself; all else is text.
    let events = studio.observer.events.filter { if case .response = $0.kind { false } else { true } }
    #expect(!events.isEmpty && !events.contains { "\($0)".contains("s3cret") })
  }
}
