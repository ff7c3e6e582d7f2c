import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Closing a manager ends at its deadline even if plug-ins hang.
struct ClosingTests {
  private let gate = Gate()
  private let url = URL(string: "http://host/a.toy")!

  /// Closes the manager while something hangs; `close` can return only because the clock moves.
  private func close(_ studio: Studio) async {
    let closing = Task { await studio.manager.close(within: .seconds(5)) }
    await waitUntil { studio.clock.remainingSleeps.contains(.seconds(5)) }
    studio.clock.advance(by: .seconds(5))
    await closing.value
  }

  @Test(arguments: [StoreOperation.store, .renew, .query])
  func aDiskStoreThatHangsIsLeftBehind(operation: StoreOperation) async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.suspend(operation)
    let load = studio.manager.load(url, options: .continueInBackground)
    if operation != .query { _ = try await load.image }
    await studio.disk.waitUntilSuspended(operation)
    await close(studio)
    _ = try? await load.image
    studio.disk.resume(operation)
  }

  @Test(arguments: [false, true])
  func aDecoderThatHangsIsLeftBehind(isProgressive: Bool) async throws {
    let coder = Stuck.Coder(at: gate, whileLoading: isProgressive)
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    studio.place(.small, chunkSize: 40)
    // A body that is complete before the coder is asked would be decoded as a whole.
    if isProgressive { studio.loader.suspend(url, at: .end) }
    let load = studio.manager.load(url, options: .continueInBackground)
    await gate.waitForWaiters()
    await close(studio)
    await #expect { try await load.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    gate.open()
  }

  @Test func aSerializerThatHangsIsLeftBehind() async throws {
    let studio = Studio {
      $0.cacheSerializer = FakeCacheSerializer { [gate] _, _ in
        gate.pass()
        return nil
      }
    }
    studio.place(.small)
    _ = try await studio.manager.image(for: url)
    await gate.waitForWaiters()
    await close(studio)
    gate.open()
  }

  @Test func aLoaderThatIgnoresItsCancellationIsLeftBehind() async throws {
    let loader = Stuck.Loader()
    let studio = Studio { $0.loader = loader }
    let load = studio.manager.load(url, options: .continueInBackground)
    await loader.gate.waitForWaiters()
    await close(studio)
    await #expect { try await load.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    loader.gate.open()
  }

  @Test func workAsideThatHangsIsLeftBehind() async throws {
    let studio = Studio()
    let arrived = Watched(0)
    studio.manager.background.run { [gate] in
      PlainThread.start {
        gate.pass()
        arrived.withLock { $0 += 1 }
      }
      await Task.detached { await arrived.wait { $0 == 1 } }.value
    }
    await gate.waitForWaiters()
    await close(studio)
    gate.open()
  }

  @Test func whoIsCancelledWhileClosingStillWaitsForStores() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.suspend(.store)
    let key = try await studio.result(url).key
    await studio.disk.waitUntilSuspended(.store)
    let closing = Task { await studio.manager.close() }
    await studio.clock.waitForSleepers()
    closing.cancel()
    studio.disk.resume(.store)
    await closing.value
    #expect(studio.disk.entries[key] != nil)
  }
}
