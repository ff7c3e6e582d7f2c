import EaselTestSupport
import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// URLs as imgproxy writes them.
struct ImgproxyTests {
  private static let source = "https://host/a.jpg"

  private func order(_ path: String, _ rules: URLRules = URLRules()) throws(ServiceError) -> ImageOrder {
    try ImgproxyReader(rules: rules, signer: nil, formats: NamedFormats.names).order(at: "/unsafe\(path)", now: 0)
  }

  /// The order of options for the usual source.
  private func order(of options: String, _ rules: URLRules = URLRules()) throws(ServiceError) -> ImageOrder {
    try order("/\(options)\(options.isEmpty ? "" : "/")plain/\(Self.source)", rules)
  }

  private func key(_ options: String) throws -> String {
    try order(of: options).pipeline { _ throws(ServiceError) in .identity }.members.map(\.cacheKey).joined(
      separator: "-")
  }

  private func error(_ options: String, _ rules: URLRules = URLRules()) -> ServiceError? {
    do throws(ServiceError) {
      let order = try order(of: options, rules)
      _ = try order.pipeline { _ throws(ServiceError) in .identity }
      return nil
    } catch {
      return error
    }
  }

  // MARK: Sources

  @Test(
    arguments: [
      ("/plain/https://host/a.jpg", "https://host/a.jpg", nil),
      ("/plain/https://host/a.jpg@webp", "https://host/a.jpg", "webp"),
      ("/plain/https%3A%2F%2Fhost%2Fa%20b.jpg%3Fq%3D1", "https://host/a b.jpg?q=1", nil),
      ("/plain/https://host/a%2520b", "https://host/a%20b", nil),
      ("/plain/https://host/a%40b.jpg@png", "https://host/a@b.jpg", "png"),
      ("/plain/http:/host/a", "http://host/a", nil), ("/plain/local:///a/b.png@", "local:///a/b.png", nil),
      ("/plain/local:/a.png", "local:///a.png", nil), ("/w:1/plain/https://host/a?x=1", "https://host/a", nil),
      ("/aHR0cHM6Ly9ob3N0L2EuanBn", "https://host/a.jpg", nil),
      ("/aHR0cHM6/Ly9ob3N0/L2EuanBn.png", "https://host/a.jpg", "png"),
      ("/w:1/aHR0cHM6Ly9ob3N0L2EuanBnZw==.webp", "https://host/a.jpgg", "webp"),
      ("/plain/https://host/%E7%8C%AB", "https://host/猫", nil),
    ] as [(String, String, String?)])
  func aSourceIsReadOnce(_ path: String, _ source: String, _ format: String?) throws {
    let order = try order(path)
    #expect(order.source == source && order.format == format.flatMap { NamedFormats.names.format(named: $0) })
  }

  @Test(arguments: [
    "", "/", "//", "/w:1", "/w:1/", "/plain", "/plain/", "/plain/@png", "/plain/https://host/a@b@c", "/plain/%zz",
    "/plain/%",
    "/plain/%ff%fe", "/plain/https://host/a@nonsense", "/***", "/aHR0cHM6.png.jpg", "/A", "/.png", "/w:1/rs/x", "/%00",
  ])
  func anAddressWithoutASourceIsRefused(_ path: String) {
    let error = #expect(throws: ServiceError.self) { try order(path) }
    #expect(error?.status == 400)
  }

  @Test func factsHaveAPrefixOfTheirOwn() throws {
    let reader = ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names)
    #expect(try reader.order(at: "/info/unsafe/plain/https://host/a", now: 0).answer == .info)
    #expect(try reader.order(at: "/unsafe/raw:1/plain/https://host/a", now: 0).answer == .original)
  }

  @Test func aSignatureIsRequiredOnThePathAsItWasSent() throws {
    let signer = URLSigner([URLSigner.Key(key: [1], salt: [2])])
    let reader = ImgproxyReader(rules: URLRules(), signer: signer, formats: NamedFormats.names)
    let path = signer.signed("/w:100/plain/https://host/a%20b.jpg")
    #expect(try reader.order(at: path[...], now: 0).source == "https://host/a b.jpg")
    #expect(try reader.order(at: "\(path)?query", now: 0).source == "https://host/a b.jpg")
    for wrong in [
      "/unsafe/w:100/plain/https://host/a%20b.jpg", String(path.dropLast()), path + "x", "/" + path,
      path.replacing("%20", with: "+"),
      path.replacing("w:100", with: "w:100/"),
    ] {
      let error = #expect(throws: ServiceError.self) { try reader.order(at: wrong[...], now: 0) }
      #expect(error?.status == 403 || error?.status == 400)
      #expect(error?.message.contains("host") == false)
    }
  }

  // MARK: Options

  @Test(arguments: [
    ("rs:fit:300:200", "Resize({300,200}"), ("c:100:50:nowe", "CropSize({100,50},nowe)"),
    ("c:0.5:0", "CropSize({0.5s,0},ce)"),
    ("g:sm/rs:fill:10:10", "sm"), ("g:fp:0.3:0.7/rs:fill:10:10", "fp{0.3,0.7}"),
    ("g:no:5:0.1/rs:fill:10:10", "no{5,0.1s}"),
    ("t:10", "Trim(10,-,0,0)"), ("t:5:ff0000:1:1", "Trim(5,#ffff0000,1,1)"), ("pd:1:2:3:4", "Pad({1,4,3,2}"),
    ("pd:5", "Pad({5,5,5,5}"),
    ("rot:90", "Rotate(-1.57"), ("rot:-90", "Rotate(1.57"), ("rot:450", "Rotate(-1.57"), ("fl:1", "Flip(1,0)"),
    ("fl:0:1", "Flip(0,1)"),
    ("bg:255:128:0", "Background(#ffff8000)"), ("bg:f80", "Background(#ffff8800)"), ("bl:3", "Blur(3)"),
    ("sh:0.5", "Sharpen(1,0.5)"),
    ("pix:8", "Pixelate(8)"), ("co:1.5", "Contrast(1.5)"), ("sa:0", "Saturation(0)"), ("br:51", "ColorMatrix("),
    ("mc:1:ff0000", "Duotone("),
    ("dt:1:000000:ff00ff", "Duotone(#ff000000,#ffff00ff,1)"), ("car:1.5", "CropRatio(1.5,ce)"), ("z:0.5", "Resize("),
    ("ex:1:no/s:50:50", "Extend({50,50}"), ("exar:1/s:50:50", "ExtendRatio(1,"), ("ra:nearest/w:5", "Resize("),
  ])
  func anOptionBecomesAStep(_ options: String, _ part: String) throws {
    let key = try key(options)
    #expect(key.contains(part), "\(key)")
  }

  @Test(arguments: [
    ("rs:fill:300:200:1:0", "rt:fill/w:300/h:200/el:1"), ("s:300:200", "width:300/height:200"),
    ("w:300/bl:2", "blur:2/width:300"),
    ("q:50/w:3", "w:3/quality:50"), ("w:5/w:300", "w:300"), ("rs:fill:10:20/g:no", "gravity:no/resize:fill:10:20"),
    ("pd:5:5:5:5", "pd:5"), ("bl:0/w:10", "w:10"), ("w:0010", "w:10"), ("el:t/w:5", "el:true/w:5"),
    ("a:0:1:1/w:5", "w:5"),
    ("rot:360/w:5", "w:5"), ("c:0:0/w:5", "w:5"), ("w%3A300", "w:300"), ("bg:ffffff/w:5", "bg:255:255:255/w:5"),
    ("rs::5", "w:5"),
  ])
  func whatMeansTheSameHasOneKey(_ left: String, _ right: String) throws {
    #expect(try key(left) == key(right))
  }

  @Test func optionsOfTheFileAndTheDelivery() throws {
    let order = try order(
      of: "q:75/fq:webp:50:png:0/mb:5000/sm:0/kcr:1/ar:0/da:1/skp:gif:png/cb:v2/exp:99/fn:cat%20x/att:1/f:webp/dpr:2")
    #expect(order.quality == 0.75 && order.formatQualities == [.webp: 0.5] && order.maxBytes == 5000)
    #expect(order.keepsMetadata == true && order.keepsCopyright == true && !order.appliesOrientation)
    #expect(order.frameCount == 1 && order.untouchedFormats == [.gif, .png] && order.cacheBuster == "v2")
    #expect(order.expires == 99 && order.fileName == "cat x" && order.isAttachment && order.format == .webp)
    #expect(order.statesPixelRatio)
    let encoded = try self.order(of: "fn:Y2F0:1/fiu:aHR0cHM6Ly9o")
    #expect(encoded.fileName == "cat" && encoded.fallbackSource == "https://h")
  }

  @Test func theTreatmentOfDamagedPicturesIsNamed() throws {
    for rule in DamagePolicy.allCases {
      #expect(try order(of: "damaged:\(rule)").damaged == rule && order(of: "dmg:\(rule)").damaged == rule)
    }
    #expect(try order(of: "w:5").damaged == nil && order(of: "dmg:show/dmg:").damaged == nil)
    for wrong in ["damaged:all", "damaged:show:1", "damaged:Show"] {
      let error = #expect(throws: ServiceError.self) { try order(of: wrong) }
      #expect(error?.status == 400)
    }
  }

  @Test func theFidelityIsNamed() throws {
    for (name, text) in [("fast", ""), ("faithful", ",4,1"), ("exact", ",4,2")] {
      #expect(try key("w:5/fi:\(name)") == "Resize({5,0},4\(text))")
      #expect(try key("fidelity:\(name)/rs:fill:5:6/-/w:3") == "Resize({5,6},2\(text),shrink)-Resize({3,0},4\(text))")
    }
    #expect(try order(of: "w:5").fidelity == nil && order(of: "fi:fast/fi:").fidelity == nil)
    #expect(try key("ra:nearest/w:5/fi:exact") == "Resize({5,0},4,0)")
  }

  @Test func aWatermarkIsLoadedLater() throws {
    guard case .recipe(_, let watermark?) = try order(of: "wm:0.5:soea:10:-5:0.2/wmu:aHR0cHM6Ly9o").pixels else {
      Issue.record("there is no watermark")
      return
    }
    #expect(
      watermark.source == "https://h" && watermark.opacity == 0.5 && watermark.gaps == nil
        && watermark.scale == WatermarkOrder.Scale(0.2))
    #expect(watermark.gravity == .southEast.inset(x: 10, y: -5))
    guard case .recipe(_, let repeated?) = try order(of: "wm:1:re:20:30").pixels else {
      Issue.record("there is no watermark")
      return
    }
    #expect(repeated.gaps == WatermarkOrder.Gaps(x: .pixels(20), y: .pixels(30)) && repeated.source == nil)
    #expect(try !order(of: "wm:0").needsWatermarks)
  }

  @Test(arguments: [
    "w:-1", "w:x", "w:1.5", "w:nan", "w:9223372036854775808", "w:+5", "w:1e3", "w:1:2", "h: 5", "dpr:0", "dpr:1000",
    "dpr:nan", "dpr:8.1",
    "z:0", "z:1e308", "z:1001", "g:up", "g:fp:2:0", "g:fp:nan:0", "g:sm:1", "c:-1:5", "c:1e308:5", "t:-1", "t:256",
    "t:5:red", "pd:-1",
    "pd:1:2:3:4:5", "rot:45", "rot:", "rot:999999999", "fl:2", "el:yes", "bg:red", "bg:1:2", "bg:256:0:0", "bg:#fff",
    "bl:-1", "bl:1e9", "q:101",
    "q:-1", "q:80.5", "fq:webp", "fq:exe:50", "mb:-1", "f:exe", "f:svg", "skp:exe", "exp:-1", "exp:x", "wm:2",
    "wm:1:up", "wm:1:ce:0:0:-1",
    "wmu:***", "fiu:", "rs:cut:1:1", "rt:", "rt:x", "ra:x", "nosuch:1", "page:-1", "page:1000001", "page:x",
    "pages:2", "fn:a:b", "a:1:2:3:4",
    "s:1:2:maybe", "ex:1:sm",
    "pd:1000000000:1:1:10000000000", ":", ":::", "mrd:5", "msr:5",
  ])
  func anArgumentWithoutMeaningIsRefusedByName(_ options: String) throws {
    let name = options.prefix { $0 != ":" }
    // An option without any argument is taken as left out by some; it must never be an error of the server.
    guard let error = error(options) else {
      #expect(["fiu:", "rt:"].contains(options), "\(options) was accepted")
      return
    }
    #expect(error.status == 400)
    if let option = ImgproxyOption.byName[String(name)] {
      #expect(error.message.contains(option.names[0]), "\(error.message)")
    }
  }

  @Test func aWrongNameIsAnsweredWithTheNearest() {
    #expect(error("widht:5")?.message == "There is no option 'widht'. Did you mean width?")
    #expect(error("xyzzyplugh:5")?.message == "There is no option 'xyzzyplugh'.")
    #expect(error("unsharp_masking:none")?.message.contains("not known here") == true)
  }

  @Test func noAddressTakesMuchWork() {
    #expect(error((0..<257).map { _ in "w:1" }.joined(separator: "/"))?.status == 400)
    #expect(error((0..<256).map { _ in "w:1" }.joined(separator: "/")) == nil)
    #expect(error("w:" + String(repeating: "1", count: 10_000))?.message.utf8.count ?? 9999 < 300)
    #expect(error(String(repeating: "w", count: 10_000) + ":1")?.message.utf8.count ?? 9999 < 300)
    #expect(error("g:" + String(repeating: "no:", count: 3000))?.status == 400)
  }

  // MARK: Rules

  @Test func presetsStandForTheirOptions() throws {
    let rules = try URLRules(presets: ["default=q:50", "small=rs:fit:100:100/pr:sharp", "sharp=sh:1"])
    let order = try order(of: "pr:small/w:200", rules)
    #expect(order.quality == 0.5)
    let key = try order.pipeline { _ throws(ServiceError) in .identity }.members.map(\.cacheKey).joined()
    #expect(key.contains("{200,100}") && key.contains("Sharpen"))
    #expect(try self.order(of: "", rules).quality == 0.5)
    #expect(error("pr:missing", rules)?.message == "There is no preset 'missing'.")
  }

  @Test func aServerMayAllowOnlyPresets() throws {
    let rules = try URLRules(presets: ["small=w:100", "soft=bl:2"], onlyPresets: true)
    let order = try order(of: "small:soft", rules)
    #expect(try order.pipeline { _ throws(ServiceError) in .identity }.members.count == 2)
    #expect(try self.order(of: "small", rules).source == Self.source)
    #expect(error("w:5", rules)?.status == 400)
  }

  @Test func aServerMayAllowSomeOptions() throws {
    let rules = try URLRules(presets: ["soft=bl:2"], allowedOptions: ["w", "height", "preset"])
    #expect(error("width:5/h:5", rules) == nil)
    #expect(error("bl:5", rules)?.message == "The option blur is not allowed here.")
    // What the operator has written is allowed.
    #expect(error("pr:soft", rules) == nil)
    let limits = try URLRules(allowsLimits: true)
    #expect(try order(of: "mrd:50/msr:1.5/msfs:10/maf:3", limits).limits.resultSide == 50)
  }

  @Test(arguments: [
    (["x"], "x"), (["=w:1"], "=w:1"), (["a=nosuch:1"], "a"), (["a=w:x"], "a"), (["a=pr:a"], "a"),
    (["a=pr:b", "b=pr:a"], "a"),
    (["a=w:1", "a=w:2"], "a"), (["a=pr:missing"], "missing"),
  ])
  func aPresetThatMakesNoSenseIsSaidAtOnce(_ presets: [String], _ part: String) {
    let error = #expect(throws: ImageError.self) { try URLRules(presets: presets) }
    #expect(error?.message.contains("'\(part)'") == true, "\(error?.message ?? "")")
  }

  @Test func aPresetWithAFormatThatNobodyKnowsIsSaidOnceTheCodersAreKnown() throws {
    let rules = try URLRules(presets: ["a=f:exe"])
    #expect(throws: ImageError.self) { try rules.checkPresets(NamedFormats.names) }
    #expect(throws: ServiceError.self) { try order(of: "pr:a", rules) }
    #expect(try order(of: "pr:b", URLRules(presets: ["b=f:HEIF"])).format == ImageFormat(mimeType: "image/heic"))
  }

  @Test func anAllowedOptionThatIsNoneIsSaidAtOnce() {
    #expect(throws: ImageError.self) { try URLRules(allowedOptions: ["widht"]) }
  }

  @Test func everyNameBelongsToOneOption() {
    var names: Set<String> = ["plain", "preset", "pr", "info"]
    for option in ImgproxyOption.all {
      for name in option.names {
        #expect(names.insert(name).inserted && ImgproxyOption.refused[name] == nil, "\(name)")
      }
      #expect(option.help.hasSuffix("."), "\(option.names[0])")
    }
  }

  @Test func spoiledAddressesAreOrdersOrErrors() {
    var random = SeededRandom(seed: 20)
    let letters = Array("/:@.%,-_0123456789abcrsw\u{0}é")
    let seeds = [
      "/unsafe/rs:fill:300:400:1:0/g:fp:0.5:0.5/wm:0.5:re:1:2/plain/https://h/a%20b@webp", "/s/aHR0cHM6/Ly9o.png",
    ]
    var accepted = 0
    for _ in 0..<3000 {
      var text = Array(seeds.randomElement(using: &random)!)
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(letters.randomElement(using: &random)!, at: place)
        default: text[place] = letters.randomElement(using: &random)!
        }
      }
      do throws(ServiceError) {
        let order = try ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names).order(
          at: String(text)[...], now: 0)
        _ = try order.pipeline { _ throws(ServiceError) in .identity }
        accepted += 1
      } catch {
        #expect(error.status == 400, "\(String(text)): \(error)")
      }
    }
    #expect(accepted > 300)
  }
}
