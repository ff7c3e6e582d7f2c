import Testing

@testable import EaselCore
@testable import EaselService

/// URLs as the image component of Next.js writes them, and what its own server refuses.
struct NextTests {
  private func order(_ target: String, _ grammar: NextGrammar = NextGrammar()) throws -> ImageOrder {
    try grammar.order(at: GrammarAddress(target))
  }

  @Test(arguments: [
    ("?url=%2Ftest.jpg&w=640&q=75", "local:///test.jpg", 640), ("?w=3840&q=75&url=/a/b.png", "local:///a/b.png", 3840),
    ("?url=https%3A%2F%2Fexample.com%2Fa.jpg%3Fv%3D1%26w%3D2&w=16&q=75", "https://example.com/a.jpg?v=1&w=2", 16),
    ("?url=http://example.com/a%2520b.jpg&w=1080&q=75", "http://example.com/a%20b.jpg", 1080),
    ("?url=%2Fa%2520b.jpg%3Fv%3D3&w=64&q=75&dpl=abc", "local:///a b.jpg", 64),
    ("?url=/%C3%A4%C3%B6%C3%BC.png&w=256&q=75", "local:///äöü.png", 256),
  ])
  func urlsOfTheComponent(_ target: String, _ source: String, _ width: Int) throws {
    let order = try order(target)
    #expect(order.source == source && order.recipe.width == width && order.quality == 0.75)
    // Pictures are never enlarged, and the format is that which the client accepts.
    #expect(!order.recipe.enlarges && order.format == nil)
  }

  /// The cases of its own tests, with the name of what is wrong.
  @Test(arguments: [
    ("?w=100&q=1", "url"), ("?url=%2Ftest.png&q=1", "w is missing"), ("?url=%2Ftest.png&w=640", "q is missing"),
    ("?url=%2Ftest.png&w=0&q=75", "w, the width"), ("?url=%2Ftest.png&w=foo&q=75", "'foo'"),
    ("?url=%2Ftest.png&w=640&q=foo", "'foo'"), ("?url=%2Ftest.png&w=640&q=0", "q, the quality"),
    ("?url=%2Ftest.png&w=640&q=-1", "'-1'"), ("?url=%2Ftest.png&w=640&q=101", "q, the quality"),
    ("?url=%2Ftest.png&w=640&q=3.14", "'3.14'"), ("?url=%2Ftest.png&w=640&q=1", "q, the quality, of 1"),
    ("?url=%2Ftest.png&w=1000&q=75", "w, the width, of 1000"), ("?url=%2Ftest.png&w=640.5&q=75", "'640.5'"),
    ("?url=%2Ftest.png&w=-640&q=75", "'-640'"), ("?url=%2Ftest.png&w=640.0&q=75", "'640.0'"),
    ("?url=ftp%3A%2F%2Fexample.com%2Fa.png&w=64&q=75", "url"), ("?url=test.png&w=64&q=75", "url"),
    ("?url=%2F%2Fexample.com%2Fa.png&w=64&q=75", "scheme"),
    ("?url=foo&url=bar&w=64&q=75", "url may be given only once"),
    ("?url=%2Fa.png&w=64&w=128&q=75", "w may be given only once"), ("?url=%2Fa.png&w=64&q=75&q=50", "q may be given"),
    ("?url=%2F_next%2Fimage%3Furl%3D%252Fa.png%26w%3D64%26q%3D75&w=64&q=75", "leads to this server"),
    ("?url=data%3Aimage%2Fpng%3Bbase64%2CAAAA&w=64&q=75", "url"), ("?url=%2Fa.png&w=64&q=75&x=1", "'x'"),
    ("?url=%2Fa%zz&w=64&q=75", "percent"), ("", "url is missing"), ("?url=&w=64&q=75", "url is missing"),
  ])
  func aMistakeIsNamed(_ target: String, _ name: String) {
    let error = #expect(throws: ServiceError.self) { try order(target) }
    #expect(error?.status == 400 && error?.message.contains(name) == true, "\(error?.message ?? "")")
  }

  @Test func aLongSourceIsRefused() {
    let error = #expect(throws: ServiceError.self) {
      try order("?url=%2F" + String(repeating: "a", count: 3072) + "&w=64&q=75")
    }
    #expect(error?.status == 400 && error?.message.contains("3072") == true)
  }

  @Test func nothingIsServedBelow() {
    let error = #expect(throws: ServiceError.self) { try order("/a?url=%2Fa.png&w=64&q=75") }
    #expect(error?.status == 404)
  }

  @Test func listsAreThoseOfTheServer() throws {
    let grammar = NextGrammar(widths: [100], qualities: [50, 60])
    #expect(try order("?url=%2Fa.png&w=100&q=60", grammar).quality == 0.6)
    for target in ["?url=%2Fa.png&w=640&q=60", "?url=%2Fa.png&w=100&q=75"] {
      #expect(throws: ServiceError.self) { try order(target, grammar) }
    }
  }
}
