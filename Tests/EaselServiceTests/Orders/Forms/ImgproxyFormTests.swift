import Testing

@testable import EaselCore
@testable import EaselService

/// All forms of all options of imgproxy's open source version, compared by what they mean.
struct ImgproxyFormTests {
  private static let formats = NamedFormats.allOfImgproxy

  /// Formats that coders read and none writes; the answer to a URL that wants one has the status 415.
  private static let formatsToRead: Set = ["heic", "svg"]

  private func meaning(of text: String, _ rules: URLRules) -> String {
    let reader = ImgproxyReader(rules: rules, signer: nil, formats: Self.formats)
    let path = text.hasPrefix("/") ? text : "/\(text)/plain/\(OrderTerms.source)"
    do {
      let order = try reader.order(at: "/unsafe\(path)", now: 0)
      _ = try order.pipelineWithoutWatermarks()
      if let format = order.format, Self.formatsToRead.contains(Self.formats.name(of: format)) { return "415" }
      return OrderTerms(order: order, formats: Self.formats).text
    } catch {
      return "error"
    }
  }

  private static func rules(_ presets: [String] = [], onlyPresets: Bool = false) throws -> URLRules {
    let usual = ["sharp=sh:2", "small=rs:fit:100:100", "nested=pr:sharp/w:50", "limit=maf:5"]
    return try URLRules(presets: usual + presets, onlyPresets: onlyPresets)
  }

  @Test func everyFormHasTheMeaningOfImgproxyOrAReason() throws {
    let rules = try Self.rules()
    for form in ImgproxyForm.all {
      let meaning = meaning(of: form.text, rules)
      #expect(meaning == form.ownMeaning ?? form.meaning, "\(form.text)")
      if let own = form.ownMeaning {
        #expect(own != form.meaning && form.reason?.isEmpty == false, "\(form.text)")
      }
    }
  }

  @Test func theTableIsComplete() {
    let texts = ImgproxyForm.all.map(\.text)
    #expect(Set(texts).count == texts.count)
    let differing = ImgproxyForm.all.filter { $0.ownMeaning != nil }
    #expect(texts.count >= 507)
    #expect(differing.count * 10 < texts.count, "\(differing.count) of \(texts.count) differ")
    // Every name of an option has a form, the option's own and those of the paid version aside.
    let all = texts + ImgproxyForm.forms(ImgproxyForm.limits).map(\.text)
    let used = Set(all.flatMap { $0.split(separator: "/") }.map { String($0.prefix { $0 != ":" }) })
    let names = ImgproxyOption.all.flatMap(\.names).filter { !ImgproxyForm.namesOfOthers.contains($0) }
    #expect(names.filter { !used.contains($0) } == [])
    #expect(used.contains("preset") && used.contains("pr"))
  }

  @Test func formsOfLimitsAreForTheOperator() throws {
    let open = try URLRules(allowsLimits: true)
    let closed = URLRules()
    for form in ImgproxyForm.forms(ImgproxyForm.limits) {
      #expect(meaning(of: form.text, open) == form.ownMeaning ?? form.meaning, "\(form.text)")
      #expect(meaning(of: form.text, closed) == "error", "\(form.text)")
    }
  }

  @Test func aServerOfPresetsReadsNothingElse() throws {
    let rules = try Self.rules(onlyPresets: true)
    for form in ImgproxyForm.forms(ImgproxyForm.presetAddresses) {
      #expect(meaning(of: form.text, rules) == form.ownMeaning ?? form.meaning, "\(form.text)")
    }
  }

  @Test func theDefaultPresetComesFirst() throws {
    let rules = try Self.rules(["default=rt:fill/bl:0.5/q:50/wm:0.5:soea:10:20:0.3"])
    let watermark = "soea{10,20}:0.3"
    #expect(meaning(of: "q:70", rules) == "type=fill Blur(0.5) watermark=0.5:\(watermark) quality=70")
    #expect(meaning(of: "rt:fit/bl:0/wm:0.9", rules) == "watermark=0.9:\(watermark) quality=50")
    #expect(meaning(of: "rt:fit/bl:0/wm:0", rules) == "quality=50")
  }

  @Test(arguments: [
    "resize:fit:100:200/sharpen:2", "=resize:fit:100:200", "t=resize:fit:-1:-2", "t=resize:fit:5:5/blur",
  ])
  func aPresetThatImgproxyRefusesIsRefused(_ preset: String) {
    #expect(throws: ImageError.self) { try URLRules(presets: [preset]) }
  }
}
