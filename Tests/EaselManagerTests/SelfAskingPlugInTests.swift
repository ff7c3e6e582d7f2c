import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Plug-ins that call the manager while it resolves a request.
struct SelfAskingPlugInTests {
  /// The plug-in that asks.
  enum Place: CaseIterable, Sendable { case filter, processor, loader }

  /// What it asks the manager for.
  enum Question: CaseIterable, Sendable {
    case key, encodedKey, memory, load

    func ask(_ manager: ImageManager, about url: URL) -> String? {
      switch self {
      case .key: return manager.cacheKey(for: url)?.readable
      case .encodedKey: return manager.cacheKey(for: ImageRequest(url: url), as: .print)?.readable
      case .memory: return manager.cachedImage(for: url).map { "\($0.size)" }
      case .load:
        manager.load(url).cancel()
        return nil
      }
    }
  }

  /// A loader that asks when it names the picture.
  private struct Asking: ImageLoader {
    let base: FakeLoader
    let ask: @Sendable (URL) -> Void
    var cacheIdentity: CacheIdentity { .plain }

    func canLoad(_ url: URL) -> Bool { true }
    func origin(of url: URL) -> ImageOrigin {
      ask(url)
      return base.origin(of: url)
    }
    func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      try await base.load(request, into: sink)
    }
  }

  private func makeStudio(_ place: Place, asking ask: @escaping @Sendable (URL) -> Void) -> Studio {
    let loader = FakeLoader()
    return Studio(loader: loader) {
      switch place {
      case .filter:
        $0.cacheKeyFilter = .closure { url in
          ask(url)
          return url.absoluteString
        }
      case .processor: $0.optionsProcessor = .closure { url, _, _ in ask(url) }
      case .loader: $0.loader = Asking(base: loader, ask: ask)
      }
    }
  }

  @Test(arguments: Place.allCases, Question.allCases)
  func onePlugInThatAsksItsOwnManagerFailsTheLoad(_ place: Place, _ question: Question) async throws {
    let box = Locked<ImageManager?>(nil)
    let mayAsk = Locked(true)
    let studio = makeStudio(place) { url in
      guard mayAsk.withLock({ $0 }), let manager = box.withLock({ $0 }) else { return }
      _ = question.ask(manager, about: url)
    }
    box.withLock { $0 = studio.manager }
    let url = studio.place(.small)
    let error = await studio.failure(url)
    #expect(error?.code == .invalidRequest && error?.subject == url.absoluteString)
    #expect(error?.message.contains("without an end") == true)
    #expect(await studio.encodedFailure(url)?.code == .invalidRequest)
    #expect(studio.manager.cacheKey(for: url) == nil && studio.manager.cachedImage(for: url) == nil)
    await #expect { try await studio.manager.removeCachedImage(for: url) } throws: {
      ($0 as? ImageError)?.code == .invalidRequest
    }
    #expect(studio.loader.callCount == 0 && studio.isAtRest)
    // Nothing is left of it.
    mayAsk.withLock { $0 = false }
    #expect(try await studio.result(url).image.bitmap == ToyImage.small.expectedBitmap())
    await studio.settle()
    box.withLock { $0 = nil }
  }

  @Test(arguments: Place.allCases) func anotherManagerMayBeAsked(_ place: Place) async throws {
    let other = Studio().manager
    let studio = makeStudio(place) { url in #expect(other.cacheKey(for: url)?.original == url.absoluteString) }
    let url = studio.place(.small)
    #expect(try await studio.result(url).image.bitmap == ToyImage.small.expectedBitmap())
    await studio.settle()
  }

  @Test func aQuestionThatEndsIsAnswered() async throws {
    let box = Locked<ImageManager?>(nil)
    let studio = Studio {
      $0.cacheKeyFilter = .closure { url in
        // A picture is named by its folder, and that by the one above it.
        let above = url.deletingLastPathComponent()
        guard above.path.count > 1, let manager = box.withLock({ $0 }) else { return url.absoluteString }
        return manager.cacheKey(for: above).map { $0.original + url.lastPathComponent }
      }
    }
    box.withLock { $0 = studio.manager }
    let key = studio.manager.cacheKey(for: URL(string: "http://host/a/b/c.toy")!)
    #expect(key?.original == "http://host/a/bc.toy")
    box.withLock { $0 = nil }
  }
}
