import EaselPNG
import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// Pictures that take longer than they may.
struct SlowPictureTests {
  private static let url = ServiceStudio.source
  private static let picture = ToyImage(width: 8, height: 6, seed: 7)
  private let coder = ToyCoder(isProgressive: false)

  private func studio(_ change: (inout ImageService.Configuration) -> Void = { _ in }) -> ServiceStudio {
    let studio = ServiceStudio {
      $0.manager.coder = CoderRegistry([PNGCoder(), coder])
      $0.manager.limits.decodeTime = .seconds(10)
      change(&$0)
    }
    studio.order { $0.format = .png }
    studio.loader.script(Self.url, .body(Self.picture.bytes))
    return studio
  }

  /// Asks for the picture, which takes half a second longer than it may.
  private func slowAnswer(_ studio: ServiceStudio, _ path: String = "/p", gate: Gate) async -> ServiceResponse {
    gate.close()
    let answer = Task { await studio.get(path) }
    await gate.waitForWaiters()
    studio.clock.advance(by: .milliseconds(10_500))
    gate.open()
    return await answer.value
  }

  @Test func aSlowSourceIsRefusedAtOnceForAWhile() async throws {
    let studio = studio()
    let first = await slowAnswer(studio, gate: coder.decodeGate)
    #expect(first.status == 422 && first.headers["Cache-Control"] == "public, max-age=60")
    #expect(first.text.contains("takes longer to read than this server allows"))
    let decodes = coder.counts.decodes
    // Other variants of it, and facts about it, would take as long.
    studio.order(at: "/other") { $0.maxBytes = 100 }
    studio.order(at: "/info") { $0.answer = .info }
    for path in ["/p", "/other", "/info"] {
      let again = await studio.get(path)
      #expect(again.status == 422 && again.text.contains("takes longer to read"))
    }
    #expect(coder.counts.decodes == decodes && studio.loader.callCount == 1)
    studio.clock.advance(by: .seconds(60))
    #expect(await studio.get().status == 200)
  }

  @Test func othersAreNotRefused() async throws {
    let studio = studio()
    _ = await slowAnswer(studio, gate: coder.decodeGate)
    let other = URL(string: "https://host/b.jpg")!
    studio.order(at: "/b") { ($0.source, $0.format) = (other.absoluteString, .png) }
    studio.loader.script(other, .body(Self.picture.bytes))
    #expect(await studio.get("/b").status == 200)
    // The bytes themselves need no decoder.
    studio.order(at: "/raw") { $0.answer = .original }
    #expect(await studio.get("/raw").status == 200)
  }

  @Test func whatACacheHasGoesOut() async throws {
    let studio = studio { $0.cacheLifetime = CacheLifetime() }
    let kept = await studio.get()
    #expect(kept.status == 200)
    studio.order(at: "/other") {
      $0.format = .png
      $0.cacheBuster = "anew"
    }
    #expect(await slowAnswer(studio, "/other", gate: coder.decodeGate).status == 422)
    #expect(studio.atOnce()?.bytes == kept.bytes)
    // An original that may go out untouched is looked at first, so that this answer is not given at once.
    studio.order(at: "/untouched") { ($0.format, $0.untouchedFormats) = (.png, [.jpeg, .png]) }
    #expect(studio.atOnce("/untouched") == nil)
    #expect(await studio.get("/untouched").bytes == kept.bytes)
  }

  /// Not the source, but this one result of it takes too long.
  @Test func aSlowEncoderSaysNothingOfTheSource() async throws {
    let studio = studio()
    studio.order(at: "/slow") { order in
      var recipe = PixelRecipe()
      recipe.width = 2
      (order.pixels, order.format) = (.recipe(recipe, watermark: nil), ToyImage.writtenFormat)
    }
    let answer = await slowAnswer(studio, "/slow", gate: coder.encodeGate)
    #expect(answer.status == 422 && answer.text.contains("takes longer to make than this server allows"))
    let encodes = coder.counts.encodes
    #expect(await studio.get("/slow").status == 422 && coder.counts.encodes == encodes)
    #expect(await studio.get().status == 200)
    studio.clock.advance(by: .seconds(60))
    #expect(await studio.get("/slow").status == 200)
  }

  @Test func aFrameIsASourceOfItsOwn() {
    let pictures = SlowImages(clock: ManualClock())
    pictures.insert(.source(Self.url, frame: 7))
    #expect(pictures.contains(.source(Self.url, frame: 7)) && !pictures.contains(.source(Self.url, frame: 0)))
  }

  @Test func theMemoryIsBounded() {
    let clock = ManualClock()
    let pictures = SlowImages(capacity: 10, pause: .seconds(60), clock: clock)
    for number in 0..<1000 {
      pictures.insert(.source(Self.url, frame: number))
      #expect(pictures.contains(.source(Self.url, frame: number)) && pictures.count <= 10)
    }
    clock.advance(by: .seconds(60))
    #expect(!pictures.contains(.source(Self.url, frame: 999)))
  }
}
