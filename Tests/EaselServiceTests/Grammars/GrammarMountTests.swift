import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// Several grammars at once, each at a prefix.
struct GrammarMountTests {
  private static let identifier = "https%3A%2F%2Fhost%2Fa.jpg"

  private func studio(_ configure: (inout ImageService.Configuration) -> Void = { _ in }) throws -> ServiceStudio {
    let studio = ServiceStudio {
      $0.grammars += [
        GrammarMount(NextGrammar(), at: "/_next/image"), GrammarMount(CloudflareGrammar(), at: "/cdn-cgi/image"),
        GrammarMount(IIIFGrammar(tileSide: 16), at: "/iiif"), GrammarMount(DeepZoomGrammar(tileSide: 16), at: "/dz"),
      ]
      configure(&$0)
    }
    try studio.place()
    return studio
  }

  @Test func eachGrammarReadsTheRestOfItsPaths() async throws {
    let studio = try studio()
    studio.order(at: "/p") { $0.recipe.width = 32 }
    studio.order(at: "/iiifx") { $0.recipe.width = 8 }
    for (path, width, height) in [
      ("/p", 32, 24), ("/_next/image?url=https%3A%2F%2Fhost%2Fa.jpg&w=32&q=75", 32, 24),
      ("/cdn-cgi/image/width=32,format=png/https://host/a.jpg", 32, 24),
      ("/iiif/\(Self.identifier)/full/32,/0/default.png", 32, 24), ("/iiifx", 8, 6),
      ("/iiif/\(Self.identifier)/0,0,16,16/max/0/default.png", 16, 16),
      ("/dz/\(Self.identifier)_files/6/3_2.png", 16, 16),
      ("/dz/\(Self.identifier)_files/5/1_1.png", 16, 8), ("/iiif/\(Self.identifier)/square/12,/90/gray.jpg", 12, 12),
    ] {
      let answer = await studio.get(path)
      #expect(answer.status == 200, "\(path): \(answer.text)")
      #expect(try answer.header().storedSize == PixelSize(width: width, height: height), "\(path)")
    }
    #expect(await studio.get("/_next/image/x?url=%2Fa&w=32&q=75").status == 404)
  }

  @Test func whatNoGrammarReadsIsNotThere() async throws {
    let studio = try studio { $0.grammars.removeAll { $0.prefix.isEmpty } }
    #expect(await studio.get("/p").status == 404)
    #expect(await studio.get("/health").status == 200)
    #expect(await studio.get("/iiif/\(Self.identifier)/full/max/0/default.jpg").status == 200)
  }

  @Test func aServiceMayHaveAPrefixBefore() async throws {
    let studio = try studio { $0.pathPrefix = "/img" }
    let answer = await studio.get("/img/iiif/\(Self.identifier)")
    #expect(answer.status == 303 && answer.headers["Location"] == "/img/iiif/\(Self.identifier)/info.json")
    #expect(await studio.get("/iiif/\(Self.identifier)").status == 404)
  }

  /// URLs of two grammars that mean the same are one piece of work.
  @Test func equalMeaningsShareTheirWork() async throws {
    let studio = try studio()
    studio.order(at: "/p") {
      $0.recipe.width = 32
      $0.quality = 0.75
    }
    let first = await studio.get("/p")
    #expect(studio.count("encoded") == 1)
    let second = await studio.get("/_next/image?url=https%3A%2F%2Fhost%2Fa.jpg&w=32&q=75")
    #expect(second.headers["ETag"] == first.headers["ETag"] && second.bytes == first.bytes)
    #expect(studio.count("encoded") == 1 && studio.count("decoded") == 1)
    #expect(studio.atOnce("/_next/image?url=https%3A%2F%2Fhost%2Fa.jpg&w=32&q=75")?.status == 200)
  }

  @Test func aGrammarMayHaveSourcesOfItsOwn() async throws {
    let studio = try studio { configuration in
      for index in configuration.grammars.indices where configuration.grammars[index].prefix == "/iiif" {
        configuration.grammars[index].sources = .folderOnly
      }
    }
    #expect(await studio.get("/iiif/\(Self.identifier)/full/max/0/default.jpg").status == 403)
    #expect(await studio.get("/cdn-cgi/image/width=32/https://host/a.jpg").status == 200)
    #expect(await studio.get("/iiif/a.jpg/full/max/0/default.jpg").status == 404)
  }

  @Test func aFailedSourceMayBeShownInPlaceOfItsPicture() async throws {
    let studio = try studio()
    studio.loader.script(try #require(URL(string: "https://host/gone.jpg")), .status(404))
    let answer = await studio.get("/cdn-cgi/image/width=32,onerror=redirect/https://host/gone.jpg")
    #expect(answer.status == 302 && answer.headers["Location"] == "https://host/gone.jpg")
    #expect(await studio.get("/cdn-cgi/image/width=32/https://host/gone.jpg").status == 404)
  }
}
