import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

struct ImageRequestTests {
  private let owner = Stub.Owner()

  @Test func aTextThatIsNoURLResolvesToNothing() {
    #expect(ImageRequest("").url == nil)
    #expect(ImageRequest("").resolved(with: Stub.configuration(), by: owner) == nil)
    #expect(ImageRequest(url: nil).resolved(with: Stub.configuration(), by: owner) == nil)
  }

  @Test func aRequestAskedTwiceIsResolvedOnceCopiesIncluded() throws {
    let count = Locked(0)
    var configuration = Stub.configuration()
    configuration.optionsProcessor = .closure { _, _, _ in count.withLock { $0 += 1 } }
    let request = ImageRequest("http://foo/a.png")
    let copy = request
    let first = try #require(request.resolved(with: configuration, by: owner))
    #expect(request.resolved(with: configuration, by: owner) === first)
    #expect(copy.resolved(with: configuration, by: owner) === first)
    #expect(count.withLock { $0 } == 1)
  }

  @Test func anEditedFileIsResolvedAnewAndAnUntouchedOneIsNot() throws {
    let studio = Studio()
    let url = try #require(URL(string: "http://foo/a.png"))
    let request = ImageRequest(url: url)
    var plain: [ResolvedRequest] = []
    var keys: [CacheKey] = []
    for version in ["1", "2"] {
      studio.loader.setOrigin(ImageOrigin(key: "a", cacheIdentity: .named(version), isLasting: false), of: url)
      for _ in 0..<2 {
        plain.append(try #require(request.resolved(with: studio.manager.configuration, by: owner)))
        keys.append(try #require(studio.manager.cacheKey(for: request, as: EncodeRecipe(ToyImage.format))))
      }
    }
    #expect(plain[0] === plain[1] && plain[1] !== plain[2])
    #expect(plain[0].originalKey != plain[2].originalKey && plain[2].originalKey == plain[3].originalKey)
    #expect(keys[0] == keys[1] && keys[1] != keys[2] && keys[2] == keys[3])
  }

  @Test func aChangedCopyIsResolvedAnewAndTheOtherStaysResolved() throws {
    let configuration = Stub.configuration()
    let request = ImageRequest("http://foo/a.png")
    let first = try #require(request.resolved(with: configuration, by: owner))
    let changes: [(inout ImageRequest) -> Void] = [
      { $0.url = URL(string: "http://foo/b.png") }, { $0.method = "POST" }, { $0.body = Data([1]) },
      { $0.options.insert(.handleCookies) }, { $0.context[.thumbnailSize] = PixelSize(width: 1, height: 1) },
    ]
    for change in changes {
      var copy = request
      change(&copy)
      let second = try #require(copy.resolved(with: configuration, by: owner))
      #expect(second !== first)
      #expect(second.variantKey != first.variantKey)
      #expect(request.resolved(with: configuration, by: owner) === first)
    }
    var urgent = request
    urgent.priority = .veryHigh
    #expect(urgent.resolved(with: configuration, by: owner)?.priority == .veryHigh)
    #expect(first.priority == .normal)
  }

  @Test func theOptionsProcessorHasTheLastWord() throws {
    var configuration = Stub.configuration()
    configuration.optionsProcessor = .closure { url, options, context in
      options = [.fromCacheOnly, .highPriority]
      context[.thumbnailSize] = PixelSize(width: 9, height: 9)
      context[.transformer] = nil
      context[.cacheKeyFilter] = .closure { _ in "named by \(url.lastPathComponent)" }
    }
    let asked: ImageContext = [
      .transformer([.custom(Stub.Named("T"))]), .thumbnailSize(PixelSize(width: 1, height: 1)),
    ]
    let request = ImageRequest("http://foo/a.png", options: [.lowPriority], context: asked)
    let resolved = try #require(request.resolved(with: configuration, by: owner))
    #expect(resolved.options == [.fromCacheOnly, .highPriority])
    #expect(resolved.priority == .high)
    #expect(resolved.variantKey.original == "named by a.png")
    #expect(resolved.variantKey.suffixes.map(\.text) == ["Thumbnail({9,9},1,1)"])
    #expect(resolved.transformer.isIdentity)
    #expect(request.options == .lowPriority, "the caller's own request is not touched")
    #expect(request.context[.thumbnailSize] == PixelSize(width: 1, height: 1))
  }

  @Test func eachManagerReadsARequestInItsOwnWay() throws {
    var other = Stub.configuration()
    other.transformer = [.custom(Stub.Named("Other"))]
    let mine = Stub.configuration()
    let stranger = Stub.Owner()
    let request = ImageRequest("http://foo/a.png")
    let first = try #require(request.resolved(with: mine, by: owner))
    let second = try #require(request.resolved(with: other, by: stranger))
    #expect(first.variantKey.suffixes.isEmpty)
    #expect(second.variantKey.suffixes.map(\.text) == ["Other"])
    #expect(request.resolved(with: mine, by: owner) === first)
    #expect(request.resolved(with: other, by: stranger)?.variantKey == second.variantKey)
  }

  @Test func aManagerBornWhereAnotherDiedDoesNotInheritItsReading() throws {
    let request = ImageRequest("http://foo/a.png")
    for round in 0..<200 {
      var configuration = Stub.configuration()
      configuration.transformer = [.custom(Stub.Named("\(round)"))]
      let owner = Stub.Owner()
      let resolved = try #require(request.resolved(with: configuration, by: owner))
      guard resolved.variantKey.suffixes.map(\.text) == ["\(round)"] else {
        Issue.record("round \(round) got \(resolved.variantKey)")
        return
      }
    }
  }

  @Test func manyTasksThatResolveAtOnceGetTheSameReading() async throws {
    let configuration = Stub.configuration()
    let owner = owner
    for _ in 0..<50 {
      let request = ImageRequest("http://foo/a.png")
      let readings = await withTaskGroup(of: ObjectIdentifier?.self) { group in
        for _ in 0..<8 {
          group.addTask { request.resolved(with: configuration, by: owner).map(ObjectIdentifier.init) }
        }
        return await group.reduce(into: Set<ObjectIdentifier?>()) { $0.insert($1) }
      }
      #expect(readings.count == 1)
      #expect(readings.first == request.resolved(with: configuration, by: owner).map(ObjectIdentifier.init))
    }
  }

  private static let priorities: [(ImageOptions, LoadPriority, LoadPriority)] = [
    ([], .veryLow, .veryLow), (.lowPriority, .veryHigh, .low), (.highPriority, .veryLow, .high),
    ([.lowPriority, .highPriority], .normal, .high),
  ]

  @Test(arguments: priorities)
  func theSwitchesOverrideTheStatedPriority(options: ImageOptions, stated: LoadPriority, expected: LoadPriority) {
    var request = ImageRequest("http://foo/a.png", options: options)
    request.priority = stated
    #expect(request.resolved(with: Stub.configuration(), by: owner)?.priority == expected)
  }
}
