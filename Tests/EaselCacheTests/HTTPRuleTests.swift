import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// RFC 9111 for a private cache, end to end: manager, memory and disk.
struct HTTPRuleTests {
  /// The requested picture, and whether the process restarts between the two loads.
  enum Way: CaseIterable, Sendable {
    case plain, variant, plainAfterRestart, variantAfterRestart, variantOfKeptOriginal

    /// The context of the first load.
    var firstContext: ImageContext { self == .variant || self == .variantAfterRestart ? Self.small : [] }
    /// The context of the second load.
    var context: ImageContext { self == .plain || self == .plainAfterRestart ? [] : Self.small }
    var restarts: Bool { self == .plainAfterRestart || self == .variantAfterRestart }
    /// The source of a picture that needed no request.
    var source: ImageEvent.Source { self == .plain || self == .variant ? .memory : .disk }

    private static let small: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
  }

  private let url = URL(string: "http://host/a.toy")!
  private let older = ToyImage(width: 8, height: 6, seed: 7)
  private let newer = ToyImage(width: 16, height: 16, seed: 9)

  @Test(arguments: HTTPRule.all.indices, Way.allCases)
  func rule(_ index: Int, _ way: Way) async throws {
    let rule = HTTPRule.all[index]
    let house = try await prepared(rule, way)
    let (result, error) = await secondLoad(in: house, rule, way)
    let calls = house.loader.calls(for: url)
    func expectAnswer(_ picture: ToyImage, _ source: ImageEvent.Source) async throws {
      #expect(result?.source == source, "\(rule.name)")
      #expect(try await result?.image.bitmap == self.bitmap(picture, way), "\(rule.name)")
    }
    func expectQuestion(_ conditions: HTTPHeaders) {
      #expect(calls.count == 2, "\(rule.name)")
      let asked = calls.last?.request.headers
      for name in ["If-None-Match", "If-Modified-Since"] { #expect(asked?[name] == conditions[name], "\(rule.name)") }
    }
    switch rule.outcome {
    case .kept:
      try await expectAnswer(older, way.source)
      #expect(calls.count == 1, "\(rule.name)")
    case .confirmed(let conditions):
      try await expectAnswer(older, .revalidated)
      expectQuestion(conditions)
    case .replaced(let conditions):
      try await expectAnswer(newer, .network)
      expectQuestion(conditions)
    case .keptAndAskedAside(let conditions):
      try await expectAnswer(older, way.source)
      #expect(result?.revalidationError == nil)
      expectQuestion(conditions)
    case .keptAfterFailure:
      try await expectAnswer(older, way.source)
      #expect(result?.revalidationError != nil && calls.count == 2, "\(rule.name)")
    case .failed(let code):
      #expect(error?.code == code && calls.count == 2, "\(rule.name): \(error as Any)")
    case .loadedAgain:
      try await expectAnswer(newer, .network)
      expectQuestion([:])
    }
  }

  /// A setup after the first load and the time that the rule states.
  private func prepared(_ rule: HTTPRule, _ way: Way) async throws -> CachingHouse {
    let house = try CachingHouse { $0.cachePolicy = .http }
    let second = rule.second ?? .body(newer.bytes, headers: ["Cache-Control": "max-age=1000"])
    house.loader.script(url, .body(older.bytes, headers: rule.first), second)
    var context = way.firstContext
    if !rule.asking.isEmpty { context[.headers] = rule.asking }
    let date = house.clock.date
    // An answer is dated by its arrival.
    house.clock.jump(to: date.addingTimeInterval(-rule.delay))
    try await house.load(url, context, answeredAfter: .seconds(rule.delay))
    if case .loadedAgain = rule.outcome {
      #expect(try house.memory.count == 0 && house.disk.count() == 0, "\(rule.name)")
    } else {
      #expect(try house.memory.count == 1 && house.disk.count() == (context[.thumbnailSize] == nil ? 1 : 2))
    }
    if rule.after < 0 {
      house.clock.jump(to: house.clock.date.addingTimeInterval(rule.after))
    } else {
      house.clock.advance(by: .seconds(rule.after))
    }
    if way == .variantOfKeptOriginal { house.memory.removeAll() }
    return way.restarts ? await house.reopened() : house
  }

  private func secondLoad(
    in house: CachingHouse, _ rule: HTTPRule, _ way: Way
  ) async -> (result: ImageResult?, error: ImageError?) {
    var context = way.context
    if !rule.askingAgain.isEmpty { context[.headers] = rule.askingAgain }
    do {
      return (try await house.load(url, [], context), nil)
    } catch {
      return (nil, error as? ImageError)
    }
  }

  /// The pixels of a picture made without any cache.
  private func bitmap(_ picture: ToyImage, _ way: Way) async throws -> Bitmap {
    let manager = ImageManager(
      .init(loader: FakeLoader(), coder: CoderRegistry([ToyCoder()]), cache: TieredCache()))
    return try await manager.result(from: picture.imageBytes, context: way.context).image.bitmap
  }
}
