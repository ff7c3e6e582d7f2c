import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Answers that vary with fields that the loader or a modifier adds, or whose Vary field is written in unusual ways.
struct VaryTests {
  private let url = URL(string: "http://host/a.toy")!
  private let newer = ToyImage(width: 16, height: 16, seed: 9)

  private func studio(
    varyingWith vary: String..., configure: (inout ImageManager.Configuration) -> Void = { _ in }
  ) -> Studio {
    let studio = Studio {
      $0.cachePolicy = .http
      configure(&$0)
    }
    var headers: HTTPHeaders = [
      "Cache-Control": "max-age=600", "ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    for line in vary { headers.add("Vary", line) }
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers), .body(newer.bytes, headers: headers))
    return studio
  }

  @Test(arguments: ["Cookie", "accept-encoding\t,\tcookie"], [[], .refreshCached] as [ImageOptions])
  func theJarMayHaveAnotherUserTheNextTime(_ vary: String, _ options: ImageOptions) async throws {
    let studio = studio(varyingWith: vary)
    try await studio.warm(url, .handleCookies)
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    let second = try await studio.warm(url, options.union(.handleCookies))
    #expect(second.source == .network)
    #expect(studio.loader.calls(for: url).allSatisfy { !$0.request.headers.hasConditions })
    #expect(studio.manager.cachedImage(for: url, options: .handleCookies) == nil)
  }

  @Test func whatAnotherPolicyStoredOfTheJarIsNotUsedEither() async throws {
    let studio = studio(varyingWith: "Cookie")
    try await studio.warm(url, .handleCookies, [.cachePolicy(.forever)])
    #expect(studio.memory.entries.count == 1)
    #expect(try await studio.warm(url, .handleCookies).source == .network)
  }

  @Test func whatTheLoaderAddedIsNotForetold() async throws {
    let studio = Studio { $0.cachePolicy = .http }
    var head = ResponseHead(
      status: 200, headers: ["Vary": "X-Session", "Cache-Control": "max-age=600"],
      expectedLength: ToyImage.small.bytes.count)
    head.sentFields = ["x-session": "secret"]
    studio.loader.script(url, FakeLoader.Script([.head(head), .chunk(ToyImage.small.bytes)]))
    for _ in 0..<2 { #expect(try await studio.warm(url).source == .network) }
    let kept = studio.disk.entries.values.compactMap(\.record.response?.varyingFields)
    #expect(kept.count == 1 && !kept.contains { $0.fields.contains { $0.value == "secret" } })
  }

  @Test func withoutTheJarACookieIsPartOfTheKey() async throws {
    let studio = studio(varyingWith: "Cookie")
    let alice: ImageContext = [.headers(["Cookie": "user=alice"])]
    let bob: ImageContext = [.headers(["Cookie": "user=bob"])]
    try await studio.warm(url, [], alice)
    #expect(try await studio.warm(url, [], alice).source == .memory)
    #expect(try await studio.warm(url, [], bob).source == .network)
    #expect(try await studio.warm(url, [], alice).source == .memory)
    // Fields that identify users are hashed in the key and must not be stored readably beside it.
    let stored = studio.disk.entries.values.compactMap(\.record.response?.varyingFields)
    #expect(stored.count == 2 && stored.allSatisfy(\.isEmpty))
  }

  @Test(arguments: [
    ["foo\t,\tAccept-Language"], [",, ,Accept-Language,"], ["foo", "Accept-Language"], ["ACCEPT-LANGUAGE"],
    ["foo,Accept-Language\t"], ["", "Accept-Language"],
  ])
  func namesAreFoundHoweverTheyAreWritten(_ lines: [String]) async throws {
    let studio = Studio { $0.cachePolicy = .http }
    var headers: HTTPHeaders = ["Cache-Control": "max-age=600"]
    for line in lines { headers.add("Vary", line) }
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers))
    try await studio.warm(url, [], [.headers(["Accept-Language": "de"])])
    #expect(try await studio.warm(url, [], [.headers(["Accept-Language": "de"])]).source == .memory)
    #expect(try await studio.warm(url, [], [.headers(["Accept-Language": "en"])]).source == .network)
  }

  @Test(arguments: [["*"], ["foo, *"], ["*\t,foo"], ["foo", "*"], ["foo bar"], ["\"foo\""], ["fo\u{e9}"]])
  func whatCannotBeComparedIsNotStored(_ lines: [String]) async throws {
    let studio = Studio { $0.cachePolicy = .http }
    var headers: HTTPHeaders = ["Cache-Control": "max-age=600"]
    for line in lines { headers.add("Vary", line) }
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers))
    for _ in 0..<2 { #expect(try await studio.warm(url).source == .network) }
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  /// A modifier that sends another language each time.
  private static func wandering(_ identity: CacheIdentity) -> any RequestModifier {
    let languages = Locked(["de", "en", "fr"])
    return .closure(cacheIdentity: identity) { request in
      var request = request
      request.headers["Accept-Language"] = languages.withLock { $0.removeFirst() }
      return request
    }
  }

  @Test func whatANamelessModifierSendsIsNotForetold() async throws {
    let studio = studio(varyingWith: "Accept-Language") { $0.requestModifier = Self.wandering(.instance) }
    try await studio.warm(url)
    #expect(try await studio.warm(url).source == .network)
    // The modifier does not affect answers that vary with another field.
    let other = self.studio(varyingWith: "Accept-Encoding") { $0.requestModifier = Self.wandering(.instance) }
    try await other.warm(url)
    #expect(try await other.warm(url).source == .memory)
  }

  @Test func whatAModifierTakesAwayIsNotForetoldEither() async throws {
    let modifier: any RequestModifier = .closure { request in
      var request = request
      request.headers["Authorization"] = nil
      return request
    }
    let studio = studio(varyingWith: "Authorization") { $0.requestModifier = modifier }
    let context: ImageContext = [.headers(["Authorization": "a"])]
    try await studio.warm(url, [], context)
    #expect(try await studio.warm(url, [], context).source == .network)
  }

  @Test func aModifierWithAnIdentityKeepsItsWord() async throws {
    let modifiers: [any RequestModifier] = [Self.wandering(.named("languages")), .headers(["Accept-Language": "de"])]
    for modifier in modifiers {
      let studio = studio(varyingWith: "Accept-Language") { $0.requestModifier = modifier }
      try await studio.warm(url)
      #expect(try await studio.warm(url).source == .memory)
    }
  }
}
