import EaselCore
import Testing

@testable import EaselColor

struct ColorTransformCacheTests {
  private func recipe(_ layout: ColorTransform.Layout) -> ColorTransformRecipe {
    ColorTransformRecipe(
      source: .icc(TestProfile.displayP3), sourceLayout: .rgb8, destination: .sRGB, destinationLayout: layout)
  }

  @Test func theSameRecipeGivesTheSameTransform() throws {
    let cache = ColorTransformCache()
    let first = try cache.handle(for: recipe(.rgba8))
    #expect(try cache.handle(for: recipe(.rgba8)) === first)
    #expect(try cache.handle(for: recipe(.bgra8)) !== first)
    #expect(cache.count == 2)
  }

  @Test func theLeastRecentlyUsedGoesFirst() throws {
    let cache = ColorTransformCache(mostEntries: 2)
    let first = try cache.handle(for: recipe(.rgba8))
    let second = try cache.handle(for: recipe(.bgra8))
    _ = try cache.handle(for: recipe(.rgba8))
    _ = try cache.handle(for: recipe(.rgb8))
    #expect(cache.count == 2)
    #expect(try cache.handle(for: recipe(.rgba8)) === first)
    #expect(try cache.handle(for: recipe(.bgra8)) !== second)
  }

  @Test func memoryIsBoundedToo() throws {
    let cache = ColorTransformCache(mostBytes: 1)
    _ = try cache.handle(for: recipe(.rgba8))
    _ = try cache.handle(for: recipe(.bgra8))
    #expect(cache.count == 1)
  }
}
