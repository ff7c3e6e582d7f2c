import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The conditions under which a 304 confirms the cached bytes, and the handling of one that does not.
struct NotModifiedTests {
  private static let (one, two) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT")

  /// The fields of the cached answer, the fields of the 304, and whether the 304 confirms the bytes.
  private static let cases: [(stored: HTTPHeaders, answer: HTTPHeaders, isConfirmed: Bool)] = [
    (["ETag": "\"1\""], ["ETag": "\"1\""], true), (["ETag": "\"1\""], ["ETag": "\"2\""], false),
    (["ETag": "\"1\""], [:], true), (["ETag": "\"a\""], ["ETag": "\"A\""], false),
    (["ETag": "W/\"1\""], ["ETag": "W/\"1\""], true), (["ETag": "W/\"1\""], ["ETag": "W/\"2\""], false),
    (["ETag": "\"1\""], ["ETag": "W/\"1\""], true), (["ETag": "\"1\""], ["ETag": "W/\"2\""], false),
    (["ETag": "W/\"1\""], ["ETag": "\"1\""], false), (["ETag": "\"1\""], ["ETag": "\"1\", \"2\""], false),
    (["Last-Modified": one], ["Last-Modified": one], true), (["Last-Modified": one], ["Last-Modified": two], false),
    (["Last-Modified": one], ["Last-Modified": "Sunday, 06-Nov-94 08:49:37 GMT"], true),
    (["Last-Modified": one], ["Last-Modified": "soon"], true), (["Last-Modified": one], [:], true),
    (["Last-Modified": one], ["ETag": "\"1\""], false), (["Last-Modified": one], ["ETag": "W/\"1\""], true),
    (["Last-Modified": one], ["ETag": "W/\"1\"", "Last-Modified": two], false),
    (["ETag": "\"1\"", "Last-Modified": one], ["ETag": "\"1\"", "Last-Modified": two], true),
    (["ETag": "\"1\"", "Last-Modified": one], ["ETag": "\"2\"", "Last-Modified": one], false),
    (["ETag": "\"1\"", "Last-Modified": one], ["Last-Modified": two], false),
    (["ETag": "\"1\""], ["ETag": "1"], false), (["ETag": "\"K\""], ["ETag": "\"\u{212A}\""], false),
    (["Last-Modified": one], ["ETag": "1"], true), (["Last-Modified": one], ["ETag": "*"], true),
    (["Last-Modified": one], ["ETag": "1", "Last-Modified": two], false),
  ]

  private let url = URL(string: "http://host/a.toy")!
  private let newer = ToyImage(width: 16, height: 16, seed: 9)

  private func studio(
    _ stored: HTTPHeaders, then second: FakeLoader.Script, _ third: FakeLoader.Script
  ) async throws -> Studio {
    let studio = Studio { $0.cachePolicy = .http }
    var headers: HTTPHeaders = ["Cache-Control": "max-age=10, stale-if-error=600"]
    headers.merge(stored)
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers), second, third)
    try await studio.warm(url)
    studio.clock.advance(by: .seconds(100))
    return studio
  }

  private func fresh(_ tag: String = "\"9\"") -> FakeLoader.Script {
    .body(newer.bytes, headers: ["ETag": tag, "Cache-Control": "max-age=600"])
  }

  private func hasConditions(_ call: FakeLoader.Call) -> Bool { call.request.headers.hasConditions }

  @Test(arguments: cases.indices, [false, true])
  func anAnswerThatSpeaksOfAnotherIsNoConfirmation(_ index: Int, throughSink: Bool) async throws {
    let (stored, answer, isConfirmed) = Self.cases[index]
    let second = throughSink ? FakeLoader.Script.status(304, headers: answer) : .notModified(headers: answer)
    let studio = try await studio(stored, then: second, fresh())
    let result = try await studio.warm(url)
    let calls = studio.loader.calls(for: url)
    #expect(result.source == (isConfirmed ? .revalidated : .network))
    #expect(calls.map(hasConditions) == (isConfirmed ? [false, true] : [false, true, false]))
    #expect(try result.image.bitmap == (isConfirmed ? ToyImage.small : newer).expectedBitmap())
    let record = studio.disk.entries[result.key]?.record.response
    if !isConfirmed { #expect(record?.headers["ETag"] == "\"9\"") }
    // The old bytes never get the validators of other bytes.
    if isConfirmed, let tag = stored["ETag"] { #expect(record?.headers["ETag"]?.hasSuffix(tag.suffix(3)) == true) }
  }

  @Test func bytesAreLoadedWholeLikewise() async throws {
    let studio = try await studio(["ETag": "\"1\""], then: .notModified(headers: ["ETag": "\"2\""]), fresh())
    #expect(try await studio.manager.bytes(for: ImageRequest(url: url)).data() == newer.imageBytes.data())
    #expect(studio.loader.calls(for: url).map(hasConditions) == [false, true, false])
  }

  @Test(arguments: [false, true]) func theModifierChangesTheHeadOfAConfirmation(throughSink: Bool) async throws {
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=1"]
    let loader = FakeLoader()
    loader.script(
      url, .body(ToyImage.small.bytes, headers: headers),
      throughSink ? .status(304, headers: headers) : .notModified(headers: headers))
    let studio = Studio(loader: loader) {
      $0.cachePolicy = .http
      $0.responseModifier = .closure(cacheIdentity: .plain) { head in
        var head = head
        head.headers["Cache-Control"] = "max-age=100"
        return head
      }
    }
    try await studio.warm(url)
    studio.clock.advance(by: .seconds(100))
    #expect(try await studio.warm(url).source == .revalidated)
    studio.clock.advance(by: .seconds(99))
    #expect(try await studio.warm(url).source == .memory && studio.loader.callCount == 2)
  }

  @Test func theWholeIsAskedForOnce() async throws {
    let other = FakeLoader.Script.notModified(headers: ["ETag": "\"2\""])
    let studio = try await studio(["ETag": "\"1\""], then: other, other)
    #expect(await studio.failure(url)?.code == .notModified)
    #expect(studio.loader.callCount == 3)
  }

  @Test func aServerInTroubleThenLeavesWhatMayBeUsed() async throws {
    let studio = try await studio(
      ["ETag": "\"1\""], then: .notModified(headers: ["ETag": "\"2\""]), .failure(ImageError(.network, "Lost.")))
    let result = try await studio.result(url)
    #expect(result.source == .memory && result.revalidationError?.code == .network)
  }

  @Test func theObserverHearsOfNoConfirmationThatIsNone() async throws {
    let studio = try await studio(["ETag": "\"1\""], then: .notModified(headers: ["ETag": "\"2\""]), fresh())
    studio.observer.forgetEvents()
    _ = try await studio.result(url)
    let kinds = studio.observer.events.map(\.kind)
    #expect(!kinds.contains { if case .notModified = $0 { true } else { false } })
  }

  @Test func theCallersOwnConditionsGiveWayToThoseOfTheCache() async throws {
    let studio = try await studio(["Last-Modified": Self.one], then: .notModified(), fresh())
    let context: ImageContext = [.headers(["If-None-Match": "\"own\"", "if-modified-since": Self.two])]
    #expect(try await studio.result(url, [], context).source == .revalidated)
    let sent = studio.loader.calls(for: url).last?.request.headers
    #expect(sent?["If-None-Match"] == nil && sent?.values(of: "If-Modified-Since") == [Self.one])
  }

  /// A server that gets conditions of the modifier's own answers about another picture than the cached one.
  @Test(
    arguments: [
      ["If-None-Match": "\"own\""], ["if-modified-since": two], ["If-None-Match": "\"own\"", "If-Modified-Since": two],
    ] as [HTTPHeaders])
  func theModifiersOwnConditionsGiveWayToThoseOfTheCache(_ own: HTTPHeaders) async throws {
    for stored: HTTPHeaders in [["ETag": "\"1\""], ["Last-Modified": Self.one]] {
      let studio = Studio {
        $0.cachePolicy = .http
        $0.requestModifier = .headers(own)
      }
      var headers = stored
      headers["Cache-Control"] = "max-age=10"
      studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers), .notModified())
      try await studio.warm(url)
      studio.clock.advance(by: .seconds(100))
      #expect(try await studio.result(url).source == .revalidated)
      let sent = try #require(studio.loader.calls(for: url).last?.request.headers)
      #expect(sent["If-None-Match"] == stored["ETag"] && sent["If-Modified-Since"] == stored["Last-Modified"])
    }
  }

  @Test func noConditionOfTheModifiersOwnGoesWithTheRequestForTheWhole() async throws {
    let studio = Studio {
      $0.cachePolicy = .http
      $0.requestModifier = .headers(["If-Modified-Since": Self.two])
    }
    studio.loader.script(
      url, .body(ToyImage.small.bytes, headers: .stale()), .notModified(headers: ["ETag": "\"2\""]), fresh())
    try await studio.warm(url)
    #expect(try await studio.result(url).image.bitmap == newer.expectedBitmap())
    #expect(studio.loader.calls(for: url).map(hasConditions) == [true, true, false])
  }

  @Test func aModifierMayLeaveConditionsOut() async throws {
    let studio = Studio {
      $0.cachePolicy = .http
      $0.requestModifier = .closure(cacheIdentity: .plain) { request in
        var request = request
        request.headers = [:]
        return request
      }
    }
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: .stale()), fresh())
    try await studio.warm(url)
    #expect(try await studio.result(url).source == .network)
    #expect(studio.loader.calls(for: url).map(hasConditions) == [false, false])
  }

  @Test func aDateThatIsNoneAsksNothing() async throws {
    let studio = try await studio(["Last-Modified": "yesterday"], then: fresh(), fresh())
    _ = try await studio.result(url)
    #expect(studio.loader.calls(for: url).map(hasConditions) == [false, false])
  }

  @Test(arguments: [
    "*", "1", "'1'", "\"1", "1\"", "\"", "W/1", "w/\"1\"", "W/ \"1\"", "\"1\", \"2\"", "\"1\"2\"", "\"a b\"",
    "\"\u{7}\"", "\"\u{e9}\"", "\"\u{fffd}\"", "",
  ])
  func aTagThatIsNoneAsksNothing(tag: String) async throws {
    let studio = try await studio(["ETag": tag], then: fresh(), fresh())
    _ = try await studio.result(url)
    #expect(studio.loader.calls(for: url).map(hasConditions) == [false, false])
  }

  @Test func aNotModifiedMaySayThatTheAnswerVaries() async throws {
    let studio = Studio { $0.cachePolicy = .http }
    let german: ImageContext = [.headers(["Accept-Language": "de"])]
    studio.loader.script(
      url, .body(ToyImage.small.bytes, headers: .stale()),
      .notModified(headers: ["Vary": "Accept-Language", "Cache-Control": "max-age=600"]), fresh())
    try await studio.warm(url, [], german)
    #expect(try await studio.warm(url, [], german).source == .revalidated)
    #expect(try await studio.warm(url, [], german).source == .memory)
    #expect(try await studio.warm(url).source == .network)
  }

  @Test func aLoadWithConditionsOfItsOwnIsSharedWithNoneWithout() async throws {
    let studio = Studio()
    studio.loader.script(url, .notModified(), .body(ToyImage.small.bytes))
    studio.loader.suspend(url)
    let asking = studio.manager.load(url, context: [.headers(["if-none-match": "\"mine\""])])
    await studio.loader.waitUntilSuspended(url)
    let plain = studio.manager.load(url)
    #expect(studio.manager.resultRuns.count == 2)
    studio.loader.resume(url)
    #expect(try await plain.image.size == ToyImage.small.size)
    await #expect { try await asking.image } throws: { ($0 as? ImageError)?.code == .notModified }
  }
}
