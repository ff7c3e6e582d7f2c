import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

struct LoaderChainTests {
  private let web = FakeLoader(schemes: ["http", "https"])
  private let special = FakeLoader(cacheIdentity: .named("special"), schemes: ["https"])
  private let http = URL(string: "http://a/1.png")!
  private let https = URL(string: "https://a/1.png")!
  private let ftp = URL(string: "ftp://a/1.png")!

  private var chain: LoaderChain { LoaderChain([web]).adding(special) }

  @Test func theLastAddedThatTakesTheURLLoads() async throws {
    web.script(http, .body([1]))
    special.script(https, .body([2]))
    let sink = RecordingSink()
    _ = try await chain.load(LoadRequest(url: https), into: sink)
    _ = try await chain.load(LoadRequest(url: http), into: sink)
    #expect(sink.body == [2, 1])
    #expect(special.callCount == 1)
    #expect(web.callCount == 1)
  }

  @Test func aFailureOfTheLoaderThatTookTheURLIsFinal() async throws {
    special.script(https, .failure(ImageError(.network, "It broke.")))
    let error = await #expect(throws: ImageError.self) {
      try await chain.load(LoadRequest(url: https), into: RecordingSink())
    }
    #expect(error?.code == .network)
    #expect(web.callCount == 0)
  }

  @Test(arguments: [true, false])
  func aURLThatNobodyTakesIsUnsupported(isEmpty: Bool) async throws {
    let chain = isEmpty ? LoaderChain() : chain
    #expect(!chain.canLoad(ftp))
    let error = await #expect(throws: ImageError.self) {
      try await chain.load(LoadRequest(url: ftp), into: RecordingSink())
    }
    #expect(error?.code == .unsupportedURL)
    #expect(error?.subject == ftp.absoluteString)
    #expect(error?.message.contains("'ftp'") == true)
  }

  @Test func aURLWithoutASchemeIsUnsupported() async throws {
    let error = await #expect(throws: ImageError.self) {
      try await chain.load(LoadRequest(url: URL(string: "a/b.png")!), into: RecordingSink())
    }
    #expect(error?.code == .unsupportedURL)
  }

  @Test func namesComeFromTheLoaderThatTakesTheURL() {
    special.setOrigin(ImageOrigin(key: "named", cacheIdentity: .named("s"), diskUse: .nothing), of: https)
    #expect(chain.origin(of: https) == ImageOrigin(key: "named", cacheIdentity: .named("s"), diskUse: .nothing))
    #expect(chain.origin(of: http) == ImageOrigin(key: http.absoluteString))
    #expect(chain.origin(of: ftp) == ImageOrigin(key: ftp.absoluteString))
  }

  @Test func blockingIsDecidedByTheLoaderThatTakesTheURL() {
    let error = ImageError(.network, "It broke.")
    special.setBlocks(true, https)
    web.setBlocks(false, https)
    web.setBlocks(false, http)
    #expect(chain.shouldBlock(https, after: error) == true)
    #expect(chain.shouldBlock(http, after: error) == false)
    #expect(chain.shouldBlock(ftp, after: error) == nil)
  }

  @Test func addingMakesAnotherChain() {
    let chain = LoaderChain([web])
    #expect(chain.adding(special).loaders.count == 2)
    #expect(chain.loaders.count == 1)
  }
}
