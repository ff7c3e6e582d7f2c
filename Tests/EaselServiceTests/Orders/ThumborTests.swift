import EaselTestSupport
import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// URLs as thumbor writes them.
struct ThumborTests {
  private func order(_ path: String) throws(ServiceError) -> PictureOrder {
    try ThumborReader(signer: nil).order(at: "/unsafe/\(path)", now: 0)
  }

  private func key(_ path: String) throws -> String {
    try order(path).pipeline { watermark throws(ServiceError) in .pixelate(2) }.members.map(\.cacheKey)
      .joined(separator: "-")
  }

  @Test(arguments: [
    ("host/a.jpg", "http://host/a.jpg"), ("300x200/host/a.jpg", "http://host/a.jpg"),
    ("https://host/a.jpg", "https://host/a.jpg"), ("https%3A%2F%2Fhost%2Fa%20b", "https://host/a b"),
    ("https:/host/a", "https://host/a"), ("300x200/smart/host/a?x=1&y=2", "http://host/a?x=1&y=2"),
    ("filters:blur(2)/host/filters:x/a", "http://host/filters:x/a"), ("host/300x200/a", "http://host/300x200/a"),
    ("host/%E7%8C%AB.png", "http://host/猫.png"), ("meta", "http://meta"), ("100x", "http://100x"),
  ])
  func aSourceIsTheRestOfThePath(_ path: String, _ source: String) throws {
    #expect(try order(path).source == source)
  }

  @Test(arguments: [
    ("300x200/x/a", "Resize({300,200},2)"), ("300x/x/a", "Resize({300,0}"), ("x200/x/a", "Resize({0,200}"),
    ("0x0/x/a", ""), ("origxorig/x/a", ""), ("fit-in/300x200/x/a", "Resize({300,200},4)"),
    ("300x200/left/top/x/a", "Resize({300,200},2,nowe)"), ("300x200/right/bottom/x/a", "Resize({300,200},2,soea)"),
    ("300x200/center/middle/x/a", "Resize({300,200},2)"), ("300x200/smart/x/a", "Resize({300,200},2,sm)"),
    ("-300x200/x/a", "Resize({300,200},2)-Flip(1,0)"), ("300x-200/x/a", "Resize({300,200},2)-Flip(0,1)"),
    ("-0x-0/x/a", "Rotate(3.14"), ("trim/x/a", "Trim(0,-,0,0)"), ("trim:top-left:10/x/a", "Trim("),
    ("10x20:110x120/x/a", "Crop({10,20,100,100})"), ("0x0:0x0/x/a", ""),
    (
      "trim/10x20:110x120/fit-in/30x30/filters:grayscale()/x/a",
      "Trim(0,-,0,0)-Crop({10,20,100,100})-Resize({30,30},4)-Grayscale(1)"
    ),
  ])
  func thePartsBecomeSteps(_ path: String, _ steps: String) throws {
    let key = try key(path)
    #expect(steps.isEmpty ? key.isEmpty : key.contains(steps), "\(key)")
  }

  @Test func filtersRunInTheirOrder() throws {
    let first = try key("filters:blur(2):grayscale()/x/a")
    let second = try key("filters:grayscale():blur(2)/x/a")
    #expect(first == "Blur(2)-Grayscale(1)" && second == "Grayscale(1)-Blur(2)")
  }

  @Test(arguments: [
    ("blur(3)", "Blur(3)"), ("blur(3,1.5)", "Blur(1.5)"), ("blur(0)", ""), ("brightness(50)", "ColorMatrix("),
    ("contrast(-50)", "Contrast(0.5)"),
    ("colorize(10,20,30,ff0000)", "ColorMatrix("), ("background_color(white)", "Background(#ffffffff)"),
    ("rgb(10,0,-10)", "ColorMatrix("),
    ("rotate(90)", "Rotate(1.57"), ("rotate(360)", ""), ("round_corner(20,255,255,255)", "RoundCorners(20"),
    ("round_corner(20,0,0,0,1)", "RoundCorners(20"), ("saturation(0.5)", "Saturation(0.5)"),
    ("sharpen(2,1.5,true)", "Sharpen(2,1.5)"),
    ("proportion(0.5)", "Resize("), ("watermark(http://h/(a).png,10,-10,50)", "Pixelate(2)"), ("autojpg()", ""),
    ("strip_icc()", ""),
  ])
  func aFilterBecomesAStep(_ filter: String, _ step: String) throws {
    let key = try key("filters:\(filter)/x/a")
    #expect(step.isEmpty ? key.isEmpty : key.contains(step), "\(key)")
  }

  @Test func filtersOfTheSize() throws {
    #expect(try key("300x200/filters:stretch()/x/a").contains("Resize({300,200},0"))
    #expect(try key("300x200/filters:no_upscale()/x/a") != key("300x200/x/a"))
    #expect(try key("fit-in/300x200/filters:upscale()/x/a").contains("Resize({300,200},3"))
    #expect(try key("300x200/filters:focal(0.1x0.2:0.5x0.6)/x/a").contains("fp{0.3,0.4}"))
    #expect(try key("fit-in/300x200/filters:fill(red)/x/a").contains("Extend({300,200},#ffff0000"))
  }

  @Test func filtersOfTheFileAndTheDelivery() throws {
    let order = try order("filters:quality(80):format(webp):max_bytes(5000):max_age(60):strip_exif()/x/a")
    #expect(order.quality == 0.8 && order.format == .webp && order.maxBytes == 5000 && order.maxAge == 60)
    #expect(order.keepsMetadata == false && order.answer == .picture)
    #expect(try self.order("meta/300x200/x/a").answer == .info)
  }

  @Test func watermarksHavePlaces() throws {
    func watermark(_ arguments: String) throws -> WatermarkOrder? {
      guard case .steps(let steps) = try order("filters:watermark(\(arguments))/x/a").pixels else { return nil }
      for case .watermark(let watermark) in steps { return watermark }
      return nil
    }
    #expect(try watermark("h/a.png,10,-20,25")?.gravity == .southWest.inset(x: 10, y: 20))
    #expect(try watermark("h/a.png,10,-20,25")?.opacity == 0.75)
    #expect(try watermark("h/a.png")?.source == "http://h/a.png")
    #expect(try watermark("https%3A%2F%2Fh%2Fa%2Cb.png,center,20p")?.source == "https://h/a,b.png")
    #expect(try watermark("h/a.png,center,20p")?.gravity == .north.inset(x: .pixels(0), y: .share(0.2)))
    #expect(try watermark("h/a.png,repeat,repeat")?.gaps != nil)
    #expect(try watermark("h/a.png,0,0,0,20,none")?.scale == 0.2)
  }

  @Test(arguments: [
    "", "300x200/", "filters:blur/x/a", "filters:blur(2", "filters:blur(2)x/a", "filters:nosuch()/x/a",
    "filters:noise(5)/x/a",
    "filters:blur()/x/a", "filters:blur(-1)/x/a", "filters:blur(nan)/x/a", "filters:blur(1e308)/x/a",
    "filters:blur(151)/x/a",
    "filters:quality(0)/x/a", "filters:quality(101)/x/a", "filters:format(exe)/x/a", "filters:rgb(1,2)/x/a",
    "filters:fill(auto)/x/a",
    "filters:focal(10x10:20x20)/x/a", "filters:focal(nanx0:1x1)/x/a", "filters:proportion(2)/x/a",
    "filters:watermark()/x/a", "filters:round_corner(x)/x/a",
    "filters:watermark(h/a,up,0)/x/a", "filters:watermark(h/a,0,0,101)/x/a", "filters:blur(%zz)/x/a",
    "trim:bottom-right/x/a", "trim:443/x/a",
    "trim:-1/x/a", "100x100:10x10/x/a", "full-fit-in/300x200/x/a", "adaptive-fit-in/300x200/x/a", "origx200/x/a", "%zz",
    "filters:max_age(99999999999999999999)/x/a", "filters:background_color(#12)/x/a",
  ])
  func whatMakesNoSenseIsRefused(_ path: String) {
    let error = #expect(throws: ServiceError.self) { try order(path) }
    #expect(error?.status == 400 && error?.message.hasSuffix(".") == true)
    #expect(error?.message.utf8.count ?? 999 < 300)
  }

  @Test func workIsBounded() {
    func path(_ count: Int) -> String {
      "filters:" + (0..<count).map { _ in "blur(1)" }.joined(separator: ":") + "/x/a"
    }
    #expect(throws: Never.self) { try order(path(63)) }
    #expect(throws: ServiceError.self) { try order(path(65)) }
    #expect(throws: ServiceError.self) { try order("filters:" + String(repeating: "(", count: 10_000) + "/x/a") }
    #expect(throws: ServiceError.self) { try order("filters:blur(" + String(repeating: ",", count: 10_000) + ")/x/a") }
  }

  @Test func aSignatureIsRequiredOnThePathAsItWasSent() throws {
    let signer = URLSigner([URLSigner.Key(key: Array("my-security-key".utf8))], grammar: .thumbor)
    let reader = ThumborReader(signer: signer)
    let order = try reader.order(at: "/TaWoUq6tvBe2HywzAULy6_Np-2k=/300x200/smart/path/to/image.jpg", now: 0)
    #expect(order.source == "http://path/to/image.jpg")
    for wrong in [
      "/unsafe/300x200/smart/path/to/image.jpg", "/TaWoUq6tvBe2HywzAULy6_Np-2k/300x200/smart/path/to/image.jpg",
      "/TaWoUq6tvBe2HywzAULy6_Np-2k=/300x201/smart/path/to/image.jpg",
      "/TaWoUq6tvBe2HywzAULy6_Np-2k=//300x200/smart/path/to/image.jpg",
    ] {
      let error = #expect(throws: ServiceError.self) { try reader.order(at: wrong[...], now: 0) }
      #expect(error?.status == 403 && error?.message == "The signature is not right.")
    }
  }

  @Test func everyFilterIsExplained() {
    for filter in ThumborFilter.all {
      #expect(filter.help.hasSuffix(".") && ThumborFilter.refused[filter.name] == nil)
    }
    #expect(ThumborFilter.byName.count == ThumborFilter.all.count)
  }

  @Test func spoiledAddressesAreOrdersOrErrors() {
    var random = SeededRandom(seed: 21)
    let letters = Array("/:()x-,%_0123456789abcfils\u{0}é")
    let seed =
      "/unsafe/trim:10/1x2:30x40/fit-in/-300x200/left/top/smart/filters:blur(2):watermark(http://h/a.png,10,-5p,3):fill(red)/h/a.png"
    var accepted = 0
    for _ in 0..<3000 {
      var text = Array(seed)
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(letters.randomElement(using: &random)!, at: place)
        default: text[place] = letters.randomElement(using: &random)!
        }
      }
      do throws(ServiceError) {
        let order = try ThumborReader(signer: nil).order(at: String(text)[...], now: 0)
        _ = try order.pipeline { _ throws(ServiceError) in .identity }
        accepted += 1
      } catch {
        #expect(error.status == 400, "\(String(text)): \(error)")
      }
    }
    #expect(accepted > 300)
  }
}
