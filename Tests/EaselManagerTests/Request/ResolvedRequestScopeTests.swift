import EaselTestStudio
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The bytes that a request asks for.
struct ResolvedRequestScopeTests {
  private let configuration = Stub.configuration()

  private func resolve(
    _ context: ImageContext = [], options: ImageOptions = [], _ change: (inout ImageRequest) -> Void = { _ in }
  ) throws -> ResolvedRequest {
    var request = ImageRequest("http://foo/a.png", options: options, context: context)
    change(&request)
    return try #require(request.resolved(with: configuration, by: Stub.Owner()))
  }

  @Test func aPlainRequestIsNamedByItsURLAlone() throws {
    let resolved = try resolve()
    #expect(resolved.originalKey == CacheKey(original: "http://foo/a.png"))
    #expect(resolved.variantKey == resolved.originalKey)
    #expect(resolved.variantKey.readable == "http://foo/a.png")
    #expect(resolved.isCacheable && resolved.originalKey.isStorable && !resolved.isVariant)
  }

  @Test func methodAndBodyAreInTheScopeUnlessItIsAPlainGet() throws {
    let plain = try resolve().originalKey
    let keys = try [
      resolve { $0.method = "POST" }, resolve { $0.method = "HEAD" }, resolve { $0.body = Data() },
      resolve { $0.body = Data([1]) }, resolve { $0.body = Data([2]) },
      resolve {
        $0.method = "POST"
        $0.body = Data([1])
      },
    ].map(\.originalKey)
    #expect(Set(keys + [plain]).count == 7)
    #expect(try resolve { $0.method = "get" }.originalKey == plain)
    #expect(try resolve { $0.method = "post" }.originalKey == resolve { $0.method = "POST" }.originalKey)
  }

  @Test func headersThatDecideWhatComesBackAreInTheScopeAndOthersAreNot() throws {
    func key(_ headers: HTTPHeaders) throws -> CacheKey { try resolve([.headers(headers)]).originalKey }
    let plain = try resolve().originalKey
    for name in [
      "Accept", "accept-language", "Accept-Encoding", "User-Agent", "Referer", "Range", "If-None-Match", "if-range",
      "Cache-Control", "PRAGMA",
    ] {
      #expect(try key([name: "a"]) == plain, "\(name)")
    }
    let own = ["Host", "X-Api-Key", "X-Token", "Origin", "Content-Type", "Accepting", "X-Accept", "DPR", "Cookie"]
    #expect(Set(try own.map { try key([$0: "a"]) } + [plain]).count == own.count + 1)
    for name in own {
      #expect(try key([name: "alice"]) != key([name: "bob"]), "\(name)")
      #expect(try key([name: "alice"]).isStorable)
    }
    #expect(try key(["X-A": "b", "X-A": "c"]) != key(["X-A": "b"]))
    #expect(try key(["X-A": "b", "X-B": "c"]) != key(["X-A": "c", "X-B": "b"]))
    #expect(try key(["X-A": "caf\u{e9}"]) != key(["X-A": "cafe\u{301}"]))
    #expect(try key(["Authorization": "a"]) != plain)
    #expect(try key(["Authorization": "a"]) != key(["Authorization": "b"]))
    #expect(try key(["Authorization": "a"]) != key(["Cookie": "a"]))
    #expect(try key(["authorization": "a"]) == key(["AUTHORIZATION": "a"]))
    #expect(try key(["Cookie": "a", "Authorization": "b"]) == key(["Authorization": "b", "Cookie": "a"]))
    #expect(try key(["Cookie": "a", "Accept": "x"]) == key(["Cookie": "a"]))
    #expect(try key(["Authorization": ""]) != plain)
    // Keys are stored and appear in cache listings.
    #expect(!(String(reflecting: try key(["Authorization": "Bearer secret"])).contains("secret")))
  }

  @Test func whichHeadersTellUsersApartIsTheManagersChoice() throws {
    var configuration = configuration
    configuration.identityHeaders = ["X-Tenant"]
    func key(_ headers: HTTPHeaders) throws -> CacheKey {
      let request = ImageRequest("http://foo/a.png", context: [.headers(headers)])
      return try #require(request.resolved(with: configuration, by: Stub.Owner())).originalKey
    }
    #expect(try key(["x-tenant": "1"]) != key(["X-Tenant": "2"]))
    #expect(try key(["x-tenant": "1"]) == key(["X-TENANT": "1"]))
    // The field names set on the manager add to the usual ones.
    #expect(try key(["Authorization": "a"]) != key([:]))
  }

  @Test func aManagerMayNameMoreFieldsThatMatterOrDoNot() throws {
    var configuration = configuration
    configuration.identityHeaders = ["Accept-Language", "X-Both"]
    configuration.neutralHeaders = ["X-Trace", "x-both", "Authorization"]
    func resolved(_ headers: HTTPHeaders) throws -> ResolvedRequest {
      let request = ImageRequest("http://foo/a.png", context: [.headers(headers)])
      return try #require(request.resolved(with: configuration, by: Stub.Owner()))
    }
    let plain = try resolved([:]).originalKey
    #expect(try resolved(["Accept-Language": "de"]).originalKey != plain)
    #expect(try resolved(["x-trace": "1", "AUTHORIZATION": "a"]).originalKey == plain)
    #expect(try resolved(["X-Both": "1"]).originalKey != plain)
  }

  @Test func headerModifiersNameTheirFieldsSoThatNoTwoSetsReadAlike() throws {
    func key(_ headers: HTTPHeaders) throws -> CacheKey {
      try resolve([.requestModifier(.headers(headers))]).originalKey
    }
    let sets: [HTTPHeaders] = [
      [:], ["A": "b"], ["A": "c"], ["B": "b"], ["A": "b", "C": "d"], ["A": "b\nc: d"], ["A": "b, C: d"],
      ["A": "", "B": ""], ["A": "\nb: "], ["A": "b", "A": "c"], ["A": "c", "A": "b"], ["A": "caf\u{e9}"],
      ["A": "cafe\u{301}"], ["A: ": "b"], ["A": ": b"],
    ]
    #expect(Set(try sets.map(key)).count == sets.count)
    #expect(try key(["X-A": "b"]) == key(["x-a": "b"]))
    #expect(try key(["X-A": "b"]).isStorable)
  }

  @Test(arguments: ["requestModifier", "responseModifier", "decryptor", "loader"])
  func anIdentityOfWhateverKindTellsPluginsApart(place: String) throws {
    func context(_ plugin: Stub.Everything) -> ImageContext { Self.context(plugin, at: place) }
    let plain = try resolve().originalKey
    let empty = try resolve(context(Stub.Everything(.plain))).originalKey
    #expect(empty == plain, "an empty identity says that the bytes are the plain ones")

    let a = try resolve(context(Stub.Everything(.named("a")))).originalKey
    #expect(a != plain)
    #expect(a.isStorable)
    #expect(try a == resolve(context(Stub.Everything(.named("a")))).originalKey)
    #expect(try a != resolve(context(Stub.Everything(.named("b")))).originalKey)

    let nameless = Stub.Everything(.instance)
    let first = try resolve(context(nameless))
    #expect(try first.originalKey == resolve(context(nameless)).originalKey)
    #expect(first.originalKey != plain)
    #expect(!first.originalKey.isStorable && !first.variantKey.isStorable)
    #expect(first.layers.store == .memory && first.layers.query == .memory)
    #expect(try first.originalKey != resolve(context(Stub.Everything(.instance))).originalKey)
    #expect(try first.originalKey != resolve(context(Stub.Everything(.named("instance")))).originalKey)
    #expect(first.originalKey.readable.hasPrefix("http://foo/a.png@"))
  }

  @Test func theSameIdentityInAnotherPlaceIsAnotherScope() throws {
    let places = ["requestModifier", "responseModifier", "decryptor", "loader"]
    for plugin in [Stub.Everything(.named("x")), Stub.Everything(.instance)] {
      let keys = try places.map { try resolve(Self.context(plugin, at: $0)).originalKey }
      #expect(Set(keys).count == places.count)
    }
  }

  @Test func whoIsNamelessInWhichPlaceIsPartOfTheScope() throws {
    let nameless = Stub.Everything(.instance)
    let named = Stub.Everything(.named("instance"))
    let one = try resolve([.requestModifier(nameless), .responseModifier(named)]).originalKey
    let other = try resolve([.requestModifier(named), .responseModifier(nameless)]).originalKey
    #expect(one != other)
    #expect(one.diskName != other.diskName)
  }

  @Test func keysOfDifferentInstancesHaveDifferentDiskNames() throws {
    let plugins = [Stub.Everything(.instance), Stub.Everything(.instance)]
    let names = try plugins.map { try resolve([.decryptor($0)]).originalKey.diskName }
    #expect(names[0] != names[1])
  }

  @Test func aNamelessValueIsNeverAnothersAndNotEvenItsOwnASecondTime() throws {
    let modifier = Stub.StructModifier(cacheIdentity: .instance)
    let one = try resolve([.requestModifier(modifier)]).originalKey
    let two = try resolve([.requestModifier(modifier)]).originalKey
    #expect(one != two)
    #expect(!one.isStorable)
    let named = Stub.StructModifier(cacheIdentity: .named("a"))
    #expect(try resolve([.requestModifier(named)]).originalKey == resolve([.requestModifier(named)]).originalKey)
  }

  @Test func aNamelessPluginLivesAsLongAsAKeySpeaksOfIt() throws {
    weak var plugin: Stub.Everything?
    var key: CacheKey?
    do {
      let made = Stub.Everything(.instance)
      plugin = made
      key = try resolve([.decryptor(made)]).originalKey
    }
    // If the plug-in were gone, a new one could get its address and its pictures.
    #expect(plugin != nil)
    #expect(key != nil)
    key = nil
    #expect(plugin == nil)
  }

  @Test func theLoaderNamesAndScopesItsOrigins() throws {
    let origin = ImageOrigin(key: "file:a", cacheIdentity: .named("inode 7"), diskUse: .variantsOnly)
    let resolved = try resolve([.loader(Stub.Loader(origin: origin))])
    #expect(resolved.originalKey.original == "file:a")
    #expect(resolved.originalKey.scope.parts == [.init(name: "loader", value: "inode 7")])
    #expect(resolved.layers.store == .memory)
    let filtered = try resolve([.loader(Stub.Loader(origin: origin)), .cacheKeyFilter(.closure { _ in "name" })])
    #expect(filtered.originalKey.original == "name")
  }

  @Test func aFilterThatGivesNoNameKeepsThePictureOutOfEveryCache() throws {
    let resolved = try resolve([.cacheKeyFilter(.closure { _ in nil }), .thumbnailSize(PixelSize(width: 1, height: 1))])
    #expect(!resolved.isCacheable)
    let layers = resolved.layers
    #expect([layers.query, layers.store, layers.originalQuery, layers.originalStore] == [[], [], [], []])
    #expect(resolved.originalKey.original == "http://foo/a.png")
    let empty = try resolve([.cacheKeyFilter(.closure { _ in "" })])
    #expect(empty.isCacheable && empty.originalKey.original == "")
  }

  @Test func aPluginInTheContextTakesThePlaceOfTheManagers() throws {
    var configuration = configuration
    configuration.decryptor = Stub.StructModifier(cacheIdentity: .named("manager"))
    configuration.requestModifier = .headers(["A": "manager"])
    let own = Stub.StructModifier(cacheIdentity: .named("load"))
    let request = ImageRequest("http://foo/a.png", context: [.decryptor(own)])
    let parts = request.resolved(with: configuration, by: Stub.Owner())?.originalKey.scope.parts
    #expect(parts?.map(\.name) == ["decryptor", "request"])
    #expect(parts?.first?.value == "load")
  }

  private static func context(_ plugin: Stub.Everything, at place: String) -> ImageContext {
    switch place {
    case "requestModifier": [.requestModifier(plugin)]
    case "responseModifier": [.responseModifier(plugin)]
    case "decryptor": [.decryptor(plugin)]
    default: [.loader(plugin)]
    }
  }
}
