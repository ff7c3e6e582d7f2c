import Easel
import EaselService
import Testing

@testable import EaselCLI

/// Which forms of URLs are served where, and what bounds them.
struct ServedURLsTests {
  @Test(arguments: [
    ("imgproxy", ServedURLs.Form.imgproxy, ""), ("thumbor", .thumbor, ""),
    ("cloudflare", .cloudflare, "/cdn-cgi/image"),
    ("next", .next, "/_next/image"), ("iiif", .iiif, "/iiif"), ("deepzoom", .deepzoom, "/deepzoom"),
    ("/scans=iiif", .iiif, "/scans"), ("/a/b/=iiif", .iiif, "/a/b"), ("/=next", .next, ""),
    ("/i=imgproxy", .imgproxy, "/i"),
  ])
  func aFormHasAPrefix(_ text: String, _ form: ServedURLs.Form, _ prefix: String) throws {
    let served = try #require(ServedURLs(text))
    #expect(served.form == form && served.prefix == prefix)
  }

  /// Otherwise anybody could have any picture of the web made.
  @Test(arguments: ["cloudflare", "next", "iiif", "deepzoom"])
  func formsWithoutSignaturesNeedABound(_ form: String) throws {
    let mistakes = ServeBench(words: ["--urls", form]).mistakes()
    #expect(mistakes.count == 1 && mistakes[0].hasPrefix("URLs of \(form) have no signatures."))
    for words in [["--allow-source", "https://example.com"], ["--local", "pictures"], ["--unsafe"]] {
      let bench = ServeBench(words: ["--urls", form] + words, folders: ["pictures"])
      #expect(bench.mistakes() == [], "\(words)")
    }
    let keys = ServeBench(words: ["--urls", form, "--unsafe", "--key", "c0", "--salt", "-"]).mistakes()
    #expect(keys.contains { $0.contains("none of the forms of URLs has signatures") })
  }

  @Test func formsWithSignaturesStillNeedAKey() {
    let words = ["--urls", "imgproxy", "--urls", "iiif", "--local", "pictures"]
    let mistakes = ServeBench(words: words, folders: ["pictures"]).mistakes()
    #expect(mistakes.count == 1 && mistakes[0].hasPrefix("There is no key"))
    #expect(
      ServeBench(words: words + ["--key", "c0", "--salt", "-"], folders: ["pictures"]).mistakes() == [])
  }

  @Test func keysOfBothFormsComeFromOneFile() throws {
    let words = ["--urls", "imgproxy", "--urls", "/t=thumbor"]
    var bench = ServeBench(words: words + ["--key-file", "keys"], files: ["keys": "c0ffee c0de\nmy-secret\n"])
    let settings = try bench.settings()
    #expect(settings.keys.map(\.grammar) == [.imgproxy, .thumbor])
    #expect(settings.signing == [.imgproxy, .thumbor])
    bench.files["keys"] = "c0ffee c0de\n"
    #expect(bench.mistakes() == ["There is no key for URLs of thumbor. Add it to the key-file."])
    let given = ServeBench(words: words + ["--key", "c0", "--salt", "-"]).mistakes()
    #expect(given.first?.contains("key-file") == true)
  }

  @Test func noTwoFormsHaveOnePrefix() {
    for words in [["--urls", "imgproxy", "--urls", "thumbor"], ["--urls", "iiif", "--urls", "/iiif=deepzoom"]] {
      #expect(ServeBench(words: ["--unsafe"] + words).mistakes().contains { $0.contains("same prefix") })
    }
    #expect(ServeBench(words: ["--unsafe", "--urls", "imgproxy", "--urls", "/t=thumbor"]).mistakes() == [])
  }

  @Test func presetsDoNotBindOtherForms() {
    let both = ["--unsafe", "--urls", "imgproxy", "--urls", "next", "--preset", "a=q:1"]
    #expect(ServeBench(words: both).mistakes() == [])
    let mistakes = ServeBench(words: both + ["--only-presets"]).mistakes()
    #expect(mistakes.count == 1 && mistakes[0].contains("would not bind those of next"))
  }

  @Test func thePlaygroundIsForFormsWithSignatures() {
    let mistakes = ServeBench(words: ["--unsafe", "--urls", "iiif", "--playground"]).mistakes()
    #expect(mistakes.count == 1 && mistakes[0].hasPrefix("The playground is for URLs of imgproxy"))
  }

  @Test func listsWithoutTheirFormsAreMentioned() throws {
    let alone = try ServeBench(words: ["--unsafe", "--allowed-widths", "320"]).read()
    #expect(alone.warnings.contains { $0.hasPrefix("allowed-widths and allowed-qualities have no effect") })
    let used = try ServeBench(words: ["--unsafe", "--urls", "next", "--allowed-widths", "320"]).read()
    #expect(!used.warnings.contains { $0.hasPrefix("allowed-widths") })
  }
}
