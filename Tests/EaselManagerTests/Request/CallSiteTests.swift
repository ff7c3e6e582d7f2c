import EaselSupport
import EaselTestStudio
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

extension TransformerPipeline {
  fileprivate static func resize(width: Int) -> TransformerPipeline { .custom(Stub.Named("Resize(\(width))")) }
  fileprivate static func roundCorners(_ radius: Int) -> TransformerPipeline {
    .custom(Stub.Named("RoundCorners(\(radius))"))
  }
}

private enum MyKey: ImageContext.Key {
  static let name = "My"
  static var impact: ImageContext.Impact<Int> { .pixels { "\($0)" } }
}

/// Documented call sites must compile and keep their meaning.
struct CallSiteTests {
  @Test func aPipelineIsAnArrayLiteral() {
    var context = ImageContext()
    context[.transformer] = [.resize(width: 320), .roundCorners(12)]
    #expect(context[.transformer]?.cacheKey == "Resize(320)-RoundCorners(12)")
    #expect(context[.transformer]?.members.count == 2)
  }

  @Test func aContextIsAnArrayLiteral() {
    let context: ImageContext = [
      .transformer(.resize(width: 320).then(.roundCorners(12))), .requestModifier(.headers(["X-A": "b"])),
    ]
    #expect(context[.transformer]?.cacheKey == "Resize(320)-RoundCorners(12)")
    #expect(context[.requestModifier]?.cacheIdentity.name?.hasPrefix("headers-") == true)
  }

  @Test func headersThatDifferAreOthersAndNoneCanBeReadInTheirIdentity() throws {
    func identity(_ headers: HTTPHeaders) throws -> String {
      try #require((.headers(headers) as any RequestModifier).cacheIdentity.name)
    }
    let token = try identity(["X-Token": "secret"])
    #expect(!token.contains("secret"))
    #expect(try token == identity(["x-token": "secret"]))
    #expect(try token != identity(["X-Token": "secres"]))
    #expect(try identity(["A": "b", "C": "d"]) != identity(["A": "b\u{1}C\u{1}d"]))
  }

  @Test func aPluginsKeyIsASubscript() {
    var context = ImageContext()
    context[MyKey.self] = 3
    #expect(context[MyKey.self] == 3)
    let literal: ImageContext = [.setting(MyKey.self, 4)]
    #expect(literal[MyKey.self] == 4)
  }

  @Test func pipelinesNestWithoutLeavingATrace() {
    let nested = TransformerPipeline([
      TransformerPipeline.resize(width: 1),
      TransformerPipeline([TransformerPipeline.roundCorners(2), Stub.Named("X")]),
    ])
    let chained = Stub.Named("A").then(.resize(width: 1)).then([.roundCorners(2), .identity])
    #expect(nested.members.map(\.cacheKey) == ["Resize(1)", "RoundCorners(2)", "X"])
    #expect(chained.members.map(\.cacheKey) == ["A", "Resize(1)", "RoundCorners(2)"])
    #expect(TransformerPipeline.identity.isIdentity && ([] as TransformerPipeline).cacheKey == "")
  }

  @Test func closuresOfWhatDecidesBytesCarryTheirIdentity() async throws {
    var context: ImageContext = [
      .requestModifier(.closure(cacheIdentity: .named("signed")) { $0 }),
      .responseModifier(.closure { head in head.status == 500 ? nil : head }),
      .decryptor(.closure(cacheIdentity: .plain) { $0 }),
    ]
    #expect(context[.requestModifier]?.cacheIdentity == .named("signed"))
    #expect(context[.responseModifier]?.cacheIdentity == .instance)
    #expect(context[.decryptor]?.cacheIdentity == .plain)

    let request = LoadRequest(url: try #require(URL(string: "http://foo/a.png")))
    context[.requestModifier] = .closure { request in
      var request = request
      request.method = "PUT"
      return request
    }
    #expect(try await context[.requestModifier]?.modify(request)?.method == "PUT")
    let head = try #require(context[.responseModifier])
    #expect(try await head.modify(ResponseHead(status: 500), for: request) == nil)
    #expect(try await head.modify(ResponseHead(status: 200), for: request)?.status == 200)
    let body = try await context[.decryptor]?.decrypt(ImageBytes([1, 2]), head: ResponseHead())
    #expect(try body?.prefix(9) == [1, 2])
  }

  @Test func closuresOfTheOthersAreCalledWithWhatTheyDecideOn() throws {
    let url = try #require(URL(string: "http://foo/a.png"))
    let seen = Locked<[String]>([])
    let context: ImageContext = [
      .cacheKeyFilter(.closure { $0.lastPathComponent }),
      .cacheSerializer(.closure { _, received in received }),
      .retryPolicy(
        .closure { error, attempt in attempt < 2 && error.code == .network ? .retry(after: .seconds(1)) : .giveUp }),
      .observer(.closure { event in seen.withLock { $0.append("\(event.load)") } }),
    ]
    #expect(context[.cacheKeyFilter]?.original(for: url) == "a.png")

    let image = Image(try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8))
    let received = ImageBytes([7])
    let work = WorkContext()
    #expect(try context[.cacheSerializer]?.serialize(image, received: received, work: work)?.prefix(1) == [7])
    #expect(try context[.cacheSerializer]?.serialize(image, received: nil, work: work) == nil)

    let request = LoadRequest(url: url)
    let network = ImageError(.network, "x")
    #expect(context[.retryPolicy]?.decision(after: network, attempt: 1, request: request) == .retry(after: .seconds(1)))
    #expect(context[.retryPolicy]?.decision(after: network, attempt: 2, request: request) == .giveUp)

    context[.observer]?.observe(ImageEvent(.started, load: 42))
    #expect(seen.withLock { $0 } == ["42"])

    var configuration = Stub.configuration()
    configuration.optionsProcessor = .closure { _, options, context in
      options.insert(.waitStore)
      context[MyKey.self] = 5
    }
    let resolved = ImageRequest(url: url).resolved(with: configuration, by: Stub.Owner())
    #expect(resolved?.options == .waitStore)
    #expect(resolved?.context[MyKey.self] == 5)
  }

  @Test func aClosureTransformerIsNamedByItsKey() throws {
    let pipeline: TransformerPipeline = [
      .closure(key: "Mark(1)") { image in
        var image = image
        image.traits.insert(.transformed)
        return image
      }
    ]
    let image = Image(try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8))
    #expect(pipeline.cacheKey == "Mark(1)")
    #expect(try pipeline.transform(image, work: WorkContext()).traits == .transformed)
    #expect(image.traits == [])
  }

  @Test func aPipelineAsksBetweenItsMembersWhetherItIsStillWanted() throws {
    let cancellation = Cancellation()
    let work = WorkContext(limits: Limits(), context: [], cancellation: cancellation, clock: SteppedClock())
    let ran = Locked<[String]>([])
    let pipeline: TransformerPipeline = [
      .closure(key: "1") { image in
        ran.withLock { $0.append("1") }
        cancellation.cancel()
        return image
      },
      .closure(key: "2") { image in
        ran.withLock { $0.append("2") }
        return image
      },
    ]
    let image = Image(try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8))
    let error = #expect(throws: ImageError.self) { try pipeline.transform(image, work: work) }
    #expect(error?.code == .cancelled)
    #expect(ran.withLock { $0 } == ["1"])
  }
}
