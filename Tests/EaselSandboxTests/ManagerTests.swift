import EaselCore
import EaselManager
import EaselMemory
import EaselMisbehaving
import EaselTestSupport
import EaselTestTags
import EaselTiers
import FoundationEssentials
import Testing

@testable import EaselSandbox

/// The manager treats a decoder that crashed like any other failure of a picture.
@Suite(.tags(.alone))
struct ManagerTests {
  private let loader = FakeLoader()
  private let manager: ImageManager

  init() {
    var configuration = ImageManager.Configuration(
      loader: loader, coder: CoderRegistry([MisbehavingCoder()]).sandboxed(in: SandboxTesting.sandbox),
      cache: TieredCache(memory: LRUMemoryStore()))
    configuration.limits = SandboxTesting.impatient
    manager = ImageManager(configuration)
  }

  private func url(_ misdeed: Misdeed) throws -> URL {
    let url = URL(string: "http://a.test/\(misdeed)")!
    let bytes = try misdeed.bytes.prefix(1000)
    loader.script(url, .body(bytes))
    return url
  }

  private func error(_ url: URL) async -> ImageError? {
    do {
      _ = try await manager.image(for: ImageRequest(url: url))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [Misdeed.crash, .signalParent, .lieAboutSize, .hang])
  func theURLIsBlocked(_ misdeed: Misdeed) async throws {
    let url = try url(misdeed)
    #expect(await error(url)?.code == (misdeed == .hang ? .limitExceeded : .decoderCrashed))
    #expect(await error(url)?.code == .blockedURL)
    #expect(loader.callCount(for: url) == 1)
  }

  @Test func theNextPictureIsRight() async throws {
    let bad = try url(.crash)
    #expect(await error(bad)?.code == .decoderCrashed)
    let image = try await manager.image(for: ImageRequest(url: url(.nothing)))
    #expect(image.bitmap == (try MisbehavingCoder.picture(number: 0)))
  }
}
