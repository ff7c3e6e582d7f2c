import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// Limits that a URL, or a preset in it, sets for itself.
struct URLLimitTests {
  private static let limits: [(ImageOrder.Limits, Int)] = {
    var all: [(ImageOrder.Limits, Int)] = []
    func add(_ status: Int, _ set: (inout ImageOrder.Limits) -> Void) {
      var limits = ImageOrder.Limits()
      set(&limits)
      all.append((limits, status))
    }
    add(422) { $0.sourcePixels = 50 }
    add(422) { $0.framePixels = 50 }
    add(413) { $0.sourceBytes = 50 }
    add(422) { $0.resultSide = 8 }
    // Those that are not lower than the server's change nothing.
    add(200) { $0.sourcePixels = 1 << 40 }
    return all
  }()

  private func studio(_ limits: ImageOrder.Limits) throws -> ServiceStudio {
    let studio = ServiceStudio()
    func shrink(_ order: inout ImageOrder) {
      var recipe = PixelRecipe()
      recipe.width = 16
      order.pixels = .recipe(recipe, watermark: nil)
    }
    studio.order(at: "/free", shrink)
    studio.order(at: "/bound") {
      shrink(&$0)
      $0.limits = limits
    }
    try studio.place()
    return studio
  }

  @Test(arguments: limits.indices) func theAnswerDoesNotDependOnWhoAskedBefore(_ index: Int) async throws {
    let (limits, status) = Self.limits[index]
    let first = try studio(limits)
    #expect(await first.get("/bound").status == status)
    #expect(await first.get("/free").status == 200)
    let second = try studio(limits)
    #expect(await second.get("/free").status == 200)
    #expect(await second.get("/bound").status == status)
    if status == 200 { #expect(second.loader.callCount == 1) }
  }

  @Test func aPictureWithinTheLimitsIsTheSame() async throws {
    var limits = ImageOrder.Limits()
    limits.sourcePixels = 64 * 48
    let studio = try studio(limits)
    let (bound, free) = (await studio.get("/bound"), await studio.get("/free"))
    #expect(bound.status == 200 && bound.bytes == free.bytes)
    #expect(studio.atOnce("/bound")?.bytes == free.bytes)
  }

  @Test func factsObeyTheLimitsToo() async throws {
    let studio = ServiceStudio()
    studio.order {
      $0.answer = .info
      $0.limits.sourcePixels = 50
    }
    try studio.place()
    #expect(await studio.get().status == 422)
  }
}
