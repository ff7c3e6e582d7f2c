import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Closures that are made anew for each request are the same plug-in if they have the same name.
struct NamedClosureTests {
  private let studio = Studio()
  private let url = URL(string: "http://host/a.toy")!

  enum Place: CaseIterable {
    case requestModifier, responseModifier, decryptor
  }

  /// A context with a new closure of this name.
  private func context(_ place: Place, _ name: String?) -> ImageContext {
    let identity = name.map(CacheIdentity.named) ?? .instance
    return switch place {
    case .requestModifier: [.requestModifier(.closure(cacheIdentity: identity) { $0 })]
    case .responseModifier: [.responseModifier(.closure(cacheIdentity: identity) { $0 })]
    case .decryptor: [.decryptor(.closure(cacheIdentity: identity) { $0 })]
    }
  }

  @Test(arguments: Place.allCases) func oneWithANameIsFoundInEveryLayer(_ place: Place) async throws {
    studio.place(.small)
    #expect(try await studio.result(url, .waitStore, context(place, "a")).source == .network)
    #expect(try await studio.result(url, [], context(place, "a")).source == .memory)
    #expect(studio.manager.cachedImage(for: url, context: context(place, "a")) != nil)
    studio.memory.removeAll()
    #expect(try await studio.result(url, [], context(place, "a")).source == .disk)
    #expect(try await studio.result(url, [], context(place, "b")).source == .network)
    #expect(studio.loader.callCount == 2)
  }

  @Test(arguments: Place.allCases) func loadsWithTheSameNameShareOneTransfer(_ place: Place) async throws {
    studio.place(.small)
    studio.loader.suspend(url)
    let tasks = (0..<3).map { _ in studio.manager.load(url, context: context(place, "a")) }
    await studio.loader.waitUntilSuspended(url)
    studio.loader.resume(url)
    for task in tasks { _ = try await task.image }
    #expect(studio.loader.callCount == 1)
  }

  @Test(arguments: Place.allCases) func oneWithoutANameIsItsOwn(_ place: Place) async throws {
    studio.place(.small)
    let kept = context(place, nil)
    #expect(try await studio.result(url, .waitStore, kept).source == .network)
    #expect(try await studio.result(url, [], kept).source == .memory)
    #expect(try await studio.result(url, [], context(place, nil)).source == .network)
    studio.memory.removeAll()
    #expect(try await studio.result(url, [], kept).source == .network, "Nothing of it is stored on disk.")
  }
}
