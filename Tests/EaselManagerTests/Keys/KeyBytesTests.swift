import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Texts in keys are compared byte by byte, and joined so that different lists of texts never look the same.
struct KeyBytesTests {
  private static let one = "caf\u{e9}"
  private static let two = "cafe\u{301}"

  private struct Renamed: Transformer {
    let cacheKey: String
    let base: TaggingTransformer

    func transform(_ image: Image, work: WorkContext) throws -> Image { try base.transform(image, work: work) }
  }

  @Test func stepsOfTwoUnicodeFormsMakeTwoPictures() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url)
    let tasks = [(Self.one, UInt8(1)), (Self.two, 2)].map { name, tag in
      let step = Renamed(cacheKey: name, base: TaggingTransformer(tag))
      return studio.manager.load(url, context: [.transformer([.custom(step), .custom(TaggingTransformer(9))])])
    }
    while studio.manager.resultRuns.waitingCount < 2 { await Task.yield() }
    studio.loader.resume(url)
    #expect(TaggingTransformer.tags(of: try await tasks[0].image) == [1, 9])
    #expect(TaggingTransformer.tags(of: try await tasks[1].image) == [2, 9])
  }

  @Test func fieldsOfTwoUnicodeFormsAreTwo() {
    #expect(HTTPHeaders([("X-Name", Self.one)]) != HTTPHeaders([("X-Name", Self.two)]))
    #expect(HTTPHeaders([("X-Name", Self.one)]) == HTTPHeaders([("X-Name", Self.one)]))
  }

  @Test func formatsOfTwoUnicodeFormsAreTwo() {
    #expect(ImageFormat(mimeType: "image/" + Self.one) != ImageFormat(mimeType: "image/" + Self.two))
    #expect(ImageFormat(mimeType: "IMAGE/PNG ; q=1") == .png)
  }

  @Test func failedURLsOfTwoUnicodeFormsAreTwo() {
    let failed = FailedURLs(lifetime: .seconds(60), capacity: 10, clock: ManualClock())
    failed.insert(CacheKey(original: Self.one), ImageError(.badImageData, "It is damaged."))
    #expect(failed.failure(of: CacheKey(original: Self.one)) != nil)
    #expect(failed.failure(of: CacheKey(original: Self.two)) == nil)
  }

  @Test func namesOfTwoUnicodeFormsFromAFilterAreTwo() async throws {
    let name = Locked(Self.one)
    let studio = Studio { $0.cacheKeyFilter = .closure { _ in name.withLock { $0 } } }
    let url = studio.place(.small)
    let first = try await studio.warm(url)
    name.withLock { $0 = Self.two }
    #expect(try await studio.result(url).key != first.key)
    #expect(studio.loader.callCount == 2)
  }

  // Names with the characters that surround names in a key; some are dangerous only together with their values.
  private enum Plain: ImageContext.Key {
    static let name = "a"
    static var impact: ImageContext.Impact<String> { .pixels { $0 } }
  }
  private enum Bracket: ImageContext.Key {
    static let name = "a(b"
    static var impact: ImageContext.Impact<String> { .pixels { $0 } }
  }
  private enum Brackets: ImageContext.Key {
    static let name = "a(b)-a"
    static var impact: ImageContext.Impact<String> { .pixels { $0 } }
  }
  private enum Comma: ImageContext.Key {
    static let name = "a,b"
    static var impact: ImageContext.Impact<String> { .pixels { $0 } }
  }
  private enum Control: ImageContext.Key {
    static let name = "a\u{0}("
    static var impact: ImageContext.Impact<String> { .pixels { $0 } }
  }
  private enum Percent: ImageContext.Key {
    static let name = "a%28b"
    static var impact: ImageContext.Impact<String> { .pixels { $0 } }
  }
  private enum Composed: ImageContext.Key {
    static let name = "\u{e9}"
    static var impact: ImageContext.Impact<String> { .pixels { $0 } }
  }
  private enum Decomposed: ImageContext.Key {
    static let name = "e\u{301}"
    static var impact: ImageContext.Impact<String> { .pixels { $0 } }
  }

  private static let values = ["", "b", "(b", "b)", "b(c", "c", "b)-a(c", "\u{0}", "b%29", ")"]

  private static func entries(_ value: String) -> [(name: String, entry: ImageContext.Entry)] {
    [
      (Plain.name, .setting(Plain.self, value)), (Bracket.name, .setting(Bracket.self, value)),
      (Brackets.name, .setting(Brackets.self, value)), (Comma.name, .setting(Comma.self, value)),
      (Control.name, .setting(Control.self, value)), (Percent.name, .setting(Percent.self, value)),
      (Composed.name, .setting(Composed.self, value)), (Decomposed.name, .setting(Decomposed.self, value)),
    ]
  }

  @Test func noTwoNamesWithTheirValuesGiveOneKey() throws {
    let studio = Studio()
    let url = studio.place(.small)
    var known: [CacheKey: [UInt8]] = [:]
    for value in Self.values {
      for (name, entry) in Self.entries(value) {
        let pair = Array(name.utf8) + [0xff] + Array(value.utf8)
        let request = ImageRequest(url: url, context: ImageContext(arrayLiteral: entry))
        let key = try #require(studio.manager.cacheKey(for: request))
        #expect(known.updateValue(pair, forKey: key) == nil, "\(name) with \(value) is \(key), which is another's.")
      }
    }
    #expect(Set(known.keys.map(\.diskName)).count == known.count)
  }

  @Test func theOrderOfAContextIsNoPartOfTheKey() {
    let studio = Studio()
    let url = studio.place(.small)
    let settings = Self.entries("x").map(\.entry)
    func key(_ entries: [ImageContext.Entry]) -> CacheKey? {
      var context = ImageContext()
      for entry in entries { context.merge(ImageContext(arrayLiteral: entry)) }
      return studio.manager.cacheKey(for: ImageRequest(url: url, context: context))
    }
    #expect(key(settings) == key(settings.reversed()))
  }
}
