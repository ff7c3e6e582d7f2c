import EaselPixels
import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// Answers to URLs of the IIIF Image API.
struct IIIFAnswerTests {
  private static let path = "/iiif/https%3A%2F%2Fhost%2Fa.jpg"

  private func studio(_ configure: (inout ImageService.Configuration) -> Void = { _ in }) throws -> ServiceStudio {
    let studio = ServiceStudio {
      $0.grammars = [GrammarMount(IIIFGrammar(tileSide: 16), at: "/iiif")]
      configure(&$0)
    }
    try studio.place()
    return studio
  }

  @Test func theDescriptionHasWhatViewersNeed() async throws {
    let studio = try studio()
    let answer = await studio.get("\(Self.path)/info.json", ["Host": "img.example.com:8080"])
    #expect(answer.status == 200 && answer.headers["Access-Control-Allow-Origin"] == "*")
    #expect(
      answer.headers["Content-Type"] == "application/ld+json;profile=\"http://iiif.io/api/image/3/context.json\"")
    #expect(answer.headers["Vary"]?.contains("Accept") == true)
    #expect(answer.headers["Link"] == "<\(IIIFDescription.profile)>;rel=\"profile\"")
    let text = answer.text
    for member in [
      "{\"@context\":\"http://iiif.io/api/image/3/context.json\",\"id\":\"http://img.example.com:8080\(Self.path)\"",
      "\"type\":\"ImageService3\"", "\"protocol\":\"http://iiif.io/api/image\"", "\"profile\":\"level2\"",
      "\"width\":64,\"height\":48", "\"maxWidth\":16384", "\"sizes\":[{\"width\":64,\"height\":48}]",
      "\"tiles\":[{\"width\":16,\"scaleFactors\":[1,2,4]}]", "\"extraQualities\":[\"color\",\"gray\",\"bitonal\"]",
      "\"extraFormats\":[\"gif\",\"webp\"]",
    ] {
      #expect(text.contains(member), "\(member) is missing in \(text)")
    }
    let tag = try #require(answer.headers["ETag"])
    let again = await studio.get(
      "\(Self.path)/info.json", ["Host": "img.example.com:8080", "If-None-Match": tag])
    #expect(again.status == 304)
  }

  @Test(
    arguments: [
      (nil, "application/ld+json"), ("application/json", "application/json"), ("*/*", "application/ld+json"),
      ("application/ld+json, application/json;q=0.9", "application/ld+json"),
      ("application/json, application/ld+json;q=0.5", "application/json"),
    ] as [(String?, String)])
  func theMediaTypeIsThatWhichTheClientPrefers(_ accept: String?, _ type: String) async throws {
    let answer = await (try studio()).get("\(Self.path)/info.json", accept.map { ["Accept": $0] as HTTPHeaders } ?? [:])
    #expect(answer.headers["Content-Type"]?.hasPrefix(type) == true)
  }

  @Test func theOriginMayBeSet() async throws {
    let studio = try studio { $0.publicOrigin = "https://img.example.com" }
    let answer = await studio.get("\(Self.path)/info.json", ["Host": "other"])
    #expect(answer.text.contains("\"id\":\"https://img.example.com\(Self.path)\""))
    // A field that is no host is not repeated.
    let odd = await (try self.studio()).get("\(Self.path)/info.json", ["Host": "a\"b"])
    #expect(odd.text.contains("\"id\":\"http://localhost\(Self.path)\""))
  }

  @Test func theBaseLeadsToTheDescription() async throws {
    let studio = try studio()
    let answer = await studio.get(Self.path)
    #expect(answer.status == 303 && answer.headers["Location"] == "\(Self.path)/info.json")
    #expect(answer.headers["Access-Control-Allow-Origin"] == "*" && studio.loader.callCount == 0)
  }

  @Test func picturesNameTheirCanonicalAddressAndTheProfile() async throws {
    let studio = try studio()
    for path in ["full/pct:50/0/default.png", "full/32,24/0/default.png"] {
      let answer = await studio.get("\(Self.path)/\(path)")
      #expect(
        answer.headers.values(of: "Link")
          == [
            "<\(Self.path)/full/32,24/0/default.png>;rel=\"canonical\"", "<\(IIIFDescription.profile)>;rel=\"profile\"",
          ]
      )
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/png")
    }
    // Both are one picture.
    #expect(studio.count("encoded") == 1)
    #expect(studio.atOnce("\(Self.path)/full/,24/0/default.png")?.status == 200)
  }

  /// A part has the pixels that a crop of the whole picture has.
  @Test func aPartHasThePixelsOfTheWhole() async throws {
    let studio = try studio()
    let whole = try ServiceStudio.png.decode(
      ImageBytes(await studio.get("\(Self.path)/full/max/0/default.png").bytes), options: DecodeOptions(),
      work: WorkContext())
    for part in [PixelRect(x: 8, y: 4, width: 20, height: 30), PixelRect(x: 48, y: 40, width: 16, height: 8)] {
      let text = "\(part.x),\(part.y),\(part.width),\(part.height)"
      let tile = try ServiceStudio.png.decode(
        ImageBytes(await studio.get("\(Self.path)/\(text)/max/0/default.png").bytes), options: DecodeOptions(),
        work: WorkContext())
      #expect(try tile.bitmap == whole.bitmap.cropped(to: part))
    }
  }

  @Test func everyPixelIsBlackOrWhite() async throws {
    let answer = await (try studio()).get("\(Self.path)/full/max/0/bitonal.png")
    let image = try ServiceStudio.png.decode(ImageBytes(answer.bytes), options: DecodeOptions(), work: WorkContext())
    let values = image.bitmap.withUnsafeBytes { Set($0) }
    #expect(values == [0, 255])
  }

  @Test(arguments: [
    ("full/max/0/default.xyz", 400), ("full/999,/0/default.jpg", 400), ("100,0,1,1/max/0/default.jpg", 400),
    ("full/max/0", 404),
  ])
  func errorsMayBeReadEverywhere(_ path: String, _ status: Int) async throws {
    let answer = await (try studio()).get("\(Self.path)/\(path)")
    #expect(answer.status == status && answer.headers["Access-Control-Allow-Origin"] == "*")
  }

  /// A part was chosen for a picture that is another one now.
  @Test func aPictureThatHasChangedIsMeasuredAgain() async throws {
    let studio = try studio()
    let url = ServiceStudio.source
    studio.service.settings.sizes[url] = PixelSize(width: 128, height: 96)
    let answer = await studio.get("\(Self.path)/square/max/0/default.png")
    #expect(try answer.header().storedSize == PixelSize(width: 48, height: 48))
    #expect(studio.service.settings.sizes[url] == PixelSize(width: 64, height: 48))
  }

  /// The whole of a file would be more than its part.
  @Test func anOriginalNeverStandsForItsPart() async throws {
    let studio = try studio { $0.keepsMetadata = true }
    let answer = await studio.get("\(Self.path)/0,0,10,10/max/0/default.jpg")
    #expect(try answer.header().storedSize == PixelSize(width: 10, height: 10))
  }
}
