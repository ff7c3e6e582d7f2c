import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// One caller's permissions, requirements and secrets never affect another caller.
struct CallersOfDifferentMindsTests {
  private let studio = Studio()
  private let url = URL(string: "http://host/a.toy")!

  private func limits(_ change: (inout Limits) -> Void) -> ImageContext {
    var limits = Limits()
    change(&limits)
    return [.limits(limits)]
  }

  @Test(arguments: [false, true])
  func aSmallLimitOfBytesFailsOnlyWhoHasIt(joinsLate: Bool) async throws {
    studio.place(.small, chunkSize: 50)
    let small = limits { $0.downloadBytes = 60 }
    studio.loader.script(url, .body(ToyImage.small.bytes, chunkSize: 50, announcesLength: false))
    studio.loader.suspend(url, at: .step(joinsLate ? 4 : 0))
    let generous = Task.started { try await studio.manager.image(for: url) }
    await studio.loader.waitUntilSuspended(url, at: .step(joinsLate ? 4 : 0))
    let strict = studio.manager.load(url, context: small)
    if joinsLate {
      // The bytes that have arrived already exceed the limit, so the load fails while the transfer stands still.
      await #expect { try await strict.image } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    }
    studio.loader.resume(url, at: .step(joinsLate ? 4 : 0))
    #expect(try await generous.value.bitmap == ToyImage.small.expectedBitmap())
    if !joinsLate { _ = try? await strict.image }
    #expect(studio.loader.callCount <= 2)
    _ = try await studio.manager.image(for: url, options: .fromLoaderOnly)
  }

  @Test func aSmallLimitOfPixelsFailsOnlyWhoHasItAndBlocksNobody() async throws {
    studio.place(.small)
    studio.loader.suspend(url)
    let strict = studio.manager.load(url, context: limits { $0.framePixels = 10 })
    let generous = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    studio.loader.resume(url)
    await #expect { try await strict.image } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    _ = try await generous.image
    _ = try await studio.manager.image(for: url, options: .fromLoaderOnly)
  }

  @Test func aCallerWhoRequiresMovementFailsAlone() async throws {
    studio.place(.small)
    studio.loader.suspend(url)
    let strict = studio.manager.load(url, options: .requireAnimated)
    let generous = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    studio.loader.resume(url)
    await #expect { try await strict.image } throws: { ($0 as? ImageError)?.code == .badImageData }
    _ = try await generous.image
    _ = try await studio.manager.image(for: url, options: .fromLoaderOnly)
  }

  @Test func aWrongDecryptorFailsAloneAndFeedsNobody() async throws {
    let right = XORDecryptor(key: 5)
    studio.loader.script(url, .body(right.encrypt(ToyImage.small.bytes)))
    studio.loader.suspend(url)
    let wrong = studio.manager.load(url, context: [.decryptor(XORDecryptor(key: 6))])
    let good = studio.manager.load(url, context: [.decryptor(right)])
    await studio.loader.waitUntilSuspended(url, count: 2)
    studio.loader.resume(url)
    await #expect(throws: ImageError.self) { try await wrong.image }
    #expect(try await good.image.bitmap == ToyImage.small.expectedBitmap())
    await studio.settle()
    await #expect(throws: ImageError.self) {
      try await studio.manager.image(for: url, context: [.decryptor(XORDecryptor(key: 6))])
    }
    #expect(studio.manager.cachedImage(for: url) == nil)
  }

  @Test func aPictureOfOneTokenIsNeverAnothers() async throws {
    let server = ChangingServer(seed: 1, failsOnceIn: .max)
    let studio = Studio { $0.loader = server }
    func load(_ token: String) async throws -> Image {
      try await studio.manager.image(for: url, context: [.headers(["Authorization": token])])
    }
    async let first = load("a")
    async let second = load("b")
    for (image, token) in try await [(first, "a"), (second, "b")] {
      #expect(try image.bitmap == ChangingServer.picture(url, version: 1, token: token).expectedBitmap())
    }
    #expect(server.callCount == 2)
    #expect(studio.manager.cachedImage(for: url) == nil)
  }
}
