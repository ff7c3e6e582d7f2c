import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// An option of the file in a URL is carried out, also if the original already has the format and the size; a default of
/// the server is not asked for.
struct AskedQualityTests {
  private func studio(
    _ options: String, presets: [String] = [], _ configure: (inout ImageService.Configuration) -> Void = { _ in }
  ) throws -> ServiceStudio {
    let studio = ServiceStudio(configure)
    let reader = ImgproxyReader(rules: try URLRules(presets: presets), signer: nil, formats: NamedFormats.names)
    let path = "/unsafe/\(options)\(options.isEmpty ? "" : "/")plain/\(ServiceStudio.source.absoluteString)"
    studio.reader.place(try reader.order(at: path[...], now: 0), at: "/p")
    return studio
  }

  @Test(arguments: [
    ("q:10", true), ("q:80", true), ("fq:jpeg:10", true), ("jpgo:1", true), ("jpgo:0", true), ("jpgo:0:1", true),
    ("pr:small", true), ("w:64/q:80", true), ("", false), ("q:0", false), ("w:64", false), ("fq:webp:10", false),
    ("webpo:lossless", false), ("mb:1000000", false),
    ("aq:ssimulacra2:70", true), ("aq:none", false), ("aq:size:1000000", false), ("f:best", true),
  ])
  func aURLIsCarriedOut(_ options: String, _ isAsked: Bool) async throws {
    let studio = try studio(options, presets: ["small=q:40"])
    let original = try ServiceStudio.picture(.jpeg)
    try studio.place(original)
    let answer = await studio.get()
    #expect(answer.status == 200)
    #expect(options == "f:best" || answer.headers["Content-Type"] == "image/jpeg")
    #expect(studio.count("encoded") == (isAsked ? 1 : 0))
    #expect(isAsked || answer.bytes == original)
  }

  @Test func aPresetForAllURLsIsAskedForAndAQualityOfTheServerIsNot() async throws {
    let original = try ServiceStudio.picture(.jpeg)
    for (presets, encodes) in [(["default=q:10"], 1), ([], 0)] {
      let studio = try studio("", presets: presets) { $0.qualities = [.jpeg: 0.1] }
      try studio.place(original)
      let answer = await studio.get()
      #expect(studio.count("encoded") == encodes && (answer.bytes == original) == (encodes == 0))
    }
  }

  @Test func theServersTuningsAreThoseOfURLsThatStateNone() async throws {
    func file(_ options: String, _ tunings: [ImageFormat: ImageOrder.Tuning]) async throws -> [UInt8] {
      let studio = try studio("w:20/f:jpg\(options)") { $0.tunings = tunings }
      try studio.place(ServiceStudio.picture(.png))
      return await studio.get().bytes
    }
    let plain = try await file("", [:])
    let progressive = try await file("", [.jpeg: ImageOrder.Tuning(isProgressive: true)])
    #expect(progressive != plain && progressive.contains(0xC2))
    #expect(try await file("/jpgo:0", [.jpeg: ImageOrder.Tuning(isProgressive: true)]) == file("/jpgo:0", [:]))
    #expect(try await file("/jpgo:1", [:]) == progressive)
    let fastest = try await file("", [.jpeg: ImageOrder.Tuning(effort: 1)])
    #expect(fastest != plain)
    #expect(try await file("/jpgo:::0", [:]) == fastest)
    #expect(try await file("", [.webp: ImageOrder.Tuning(effort: 1)]) == plain)
  }

  @Test func theServersFidelityIsThatOfURLsThatStateNone() async throws {
    func key(_ options: String, _ fidelity: Fidelity) async throws -> [UInt8] {
      let studio = try studio("w:20\(options)/f:png") { $0.fidelity = fidelity }
      try studio.place(ServiceStudio.picture(.png))
      return await studio.get().bytes
    }
    let (fast, faithful) = (try await key("", .fast), try await key("", .faithful))
    #expect(fast != faithful)
    #expect(try await key("/fi:fast", .faithful) == fast)
    #expect(try await key("/fi:faithful", .fast) == faithful)
  }

  @Test func aFormatWithoutQualityKeepsItsBytes() async throws {
    let studio = try studio("q:10")
    let original = try ServiceStudio.picture(.png)
    try studio.place(original)
    let answer = await studio.get()
    #expect(answer.bytes == original && studio.count("encoded") == 0)
  }
}
