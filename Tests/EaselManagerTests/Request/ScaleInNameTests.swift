import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselHTTP
@testable import EaselManager

struct ScaleInNameTests {
  @Test(arguments: [
    ("/a/photo@2x.png", 2), ("photo@3x.jpeg", 3), ("photo@2x", 2), ("/x/a@1x.webp?v=@3x", 1), ("a.b@4x.gif", 4),
    ("photo%402x.png", 2), ("/a/photo%403x", 3),
  ])
  func aNameStatesItsScale(_ path: String, _ factor: Double) {
    #expect(ScaleInName.factor(of: path) == factor)
  }

  @Test(arguments: [
    "photo.png", "photo@2.png", "photo2x.png", "photo@0x.png", "photo@x.png", "photo@22x.png", "photo@2x.retina.png",
    "/dir@2x/photo.png", "photo@-x.png", "photo@٢x.png", "", "/", "@", "x", ".png", "photo%40.png", "photo%402.png",
    "photo%4022x.png", "photo402x.png",
    "/dir%402x/photo.png",
  ])
  func whatIsNoScaleIsNone(_ path: String) {
    #expect(ScaleInName.factor(of: path) == nil)
  }

  @Test func itIsReadOnRequestFromEveryLayer() async throws {
    let studio = Studio()
    let url = studio.place(.small, at: "http://host/a@2x.toy")
    #expect(try await studio.warm(url).image.scaleFactor == 1)
    #expect(try await studio.result(url, .scaleFromName).image.scaleFactor == 2)
    #expect(studio.manager.cachedImage(for: url, options: .scaleFromName)?.scaleFactor == 2)
    studio.memory.removeAll()
    #expect(try await studio.result(url, .scaleFromName).image.scaleFactor == 2)
    #expect(try await studio.result(url, .scaleFromName, [.scaleFactor(3)]).image.scaleFactor == 3)
    #expect(try await studio.result(url).image.scaleFactor == 1, "What is cached has the scale of nobody.")
  }

  @Test(arguments: ["http://host/a@2x.toy", "http://host/a%402x.toy", "http://host/a%402x.toy?v=1"])
  func anEscapedSignIsTheSame(url: String) async throws {
    let studio = Studio()
    #expect(try await studio.result(studio.place(.small, at: url), .scaleFromName).image.scaleFactor == 2)
    let other = Studio { $0.cacheKeyFilter = .closure { _ in url } }
    let place = other.place(.small, at: "http://host/plain.toy")
    #expect(try await other.result(place, .scaleFromName).image.scaleFactor == 2)
  }

  @Test func bytesAtHandHaveTheNameOfTheirKey() async throws {
    let studio = Studio()
    let bytes = ImageBytes(ToyImage.small.bytes)
    let image = try await studio.manager.image(from: bytes, key: "own@3x.toy", options: .scaleFromName)
    #expect(image.scaleFactor == 3)
  }
}
