import EaselEverything
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone))
struct InfoTests {
  @Test func everyFieldOfAPicture() throws {
    try Scratch.with { scratch in
      var metadata = ImageMetadata(storedSize: PixelSize(width: 40, height: 30), orientation: .right)
      metadata.exif = Pictures.exif(orientation: 6)
      let data = try Pictures.png(40, 30, alpha: 100, metadata: metadata)
      let path = try scratch.write(data, "a.png")
      let info = try EaselProcess.run(["info", "--json", path]).object()
      #expect(info["input"] as? String == path)
      #expect(info["format"] as? String == "png")
      #expect(info["width"] as? Int == 40 && info["height"] as? Int == 30)
      #expect(info["frames"] as? Int == 1 && info["loopCount"] is NSNull)
      #expect(info["durationMs"] as? Int == 0 && (info["durationsMs"] as? [Int])?.isEmpty == true)
      #expect(info["hasAlpha"] as? Bool == true && info["bitDepth"] as? Int == 8)
      #expect(info["orientation"] as? Int == 6)
      #expect(info["exifBytes"] as? Int == 26 && info["iccBytes"] as? Int == 0)
      #expect(info["bytes"] as? Int == data.count)
      #expect(
        Set(info.keys) == [
          "input", "format", "width", "height", "frames", "loopCount", "plays", "durationMs", "durationsMs",
          "hasAlpha", "bitDepth", "orientation", "iccBytes", "exifBytes", "bytes",
        ])
    }
  }

  @Test func codePointsOfColors() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 40, height: 30))
    metadata.color = ColorDescription(
      coding: ColorDescription.Coding(primaries: 9, transfer: 16),
      contentLight: ColorDescription.ContentLight(greatest: 900, greatestAverage: 80))
    let data = try Pictures.png(40, 30, alpha: 100, metadata: metadata)
    let info = try EaselProcess.run(["info", "--json", "-"], input: data).object()
    let color = try #require(info["color"] as? [String: Any])
    #expect(color["primaries"] as? Int == 9 && color["transfer"] as? Int == 16 && color["fullRange"] as? Bool == true)
    #expect(color["maxCLL"] as? Int == 900 && color["maxFALL"] as? Int == 80 && color["masteringPeak"] is NSNull)
    #expect(info["gainMap"] == nil && info["notes"] == nil)
    let text = try EaselProcess.run(["info", "-"], input: data).text
    #expect(text.contains("colours by code points 9/16/0 (PQ)"))
  }

  @Test func gainMaps() throws {
    var image = Image(try Bitmap(size: PixelSize(width: 80, height: 60), format: .opaqueRGBA8))
    image.metadata.gainMap = GainMap(
      try Bitmap(size: PixelSize(width: 20, height: 15), format: .gray8),
      formula: GainMap.Formula(greatestGain: SIMD3(1, 2, 3), alternateHeadroom: 2.5))
    let file = try JPEGCoder().encode(image, as: .jpeg, options: EncodeOptions(), work: WorkContext())
    let data = try file.withUnsafeBytes { Data($0) }
    let info = try EaselProcess.run(["info", "--json", "-"], input: data).object()
    let map = try #require(info["gainMap"] as? [String: Any])
    #expect(map["width"] as? Int == 20 && map["height"] as? Int == 15 && map["headroom"] as? Double == 2.5)
    #expect(map["gainMax"] as? [Double] == [1, 2, 3] && map["gamma"] as? [Double] == [1, 1, 1])
    #expect(try EaselProcess.run(["info", "-"], input: data).text.contains("gain map of 20x15 for 2.5 stops in "))
    let count = try #require(map["bytes"] as? Int)
    let cut = try EaselProcess.run(["info", "-"], input: data.dropLast(count))
    #expect(cut.status == 0 && cut.text.contains("the gain map is ignored, because "))
    let notes = try EaselProcess.run(["info", "--json", "-"], input: data.dropLast(count)).object()["notes"]
    #expect((notes as? [String])?.count == 1)
  }

  @Test func movingPictures() throws {
    let data = try Pictures.apng(8, 8, frames: 3)
    let info = try EaselProcess.run(["info", "--json", "-"], input: data).object()
    #expect(info["frames"] as? Int == 3)
    #expect(info["plays"] as? Int == 3 && info["loopCount"] as? Int == 3)
    #expect(info["durationsMs"] as? [Double] == [50, 100, 150] && info["durationMs"] as? Double == 300)
  }

  @Test func forPeople() throws {
    let outcome = try EaselProcess.run(["info", "-"], input: try Pictures.apng(8, 8, frames: 3))
    #expect(outcome.text.hasPrefix("-: png 8x8, 8 bits"))
    #expect(outcome.text.contains("3 frames in 300 ms, played 3 times"))
    #expect(outcome.errors.isEmpty && outcome.status == 0)
  }

  @Test func placeholders() throws {
    let data = try Pictures.png(40, 30)
    let image = Image(try Pictures.bitmap(40, 30))
    let thumbHash = Data(try ThumbHash(of: image).bytes).base64EncodedString()
    let blurHash = try BlurHash(of: image).text
    let info = try EaselProcess.run(["info", "--json", "--placeholder", "-"], input: data).object()
    #expect(info["thumbHash"] as? String == thumbHash && info["blurHash"] as? String == blurHash)
    #expect(info["width"] as? Int == 40)
    let color = try #require(info["dominantColor"] as? String)
    #expect(color.wholeMatch(of: /#[0-9a-f]{6}/) != nil)
    let share = try #require(info["dominantShare"] as? Double)
    #expect(share > 0 && share <= 1)
    let lines = try EaselProcess.run(["info", "--placeholder", "-"], input: data).lines
    #expect(lines.count == 4 && lines[0].hasPrefix("-: png 40x30"))
    #expect(lines[1...2] == ["  ThumbHash \(thumbHash)", "  BlurHash \(blurHash)"])
    #expect(lines[3] == "  dominant colour \(color) on \(Int((share * 100).rounded())) %")
  }

  @Test func aPlaceholderWithoutColour() throws {
    let clear = try Pictures.png(8, 8, alpha: 0)
    let info = try EaselProcess.run(["info", "--json", "--placeholder", "-"], input: clear).object()
    #expect(info["dominantColor"] is NSNull && info["dominantShare"] is NSNull)
    #expect(try EaselProcess.run(["info", "--placeholder", "-"], input: clear).lines.last == "  dominant colour none")
  }

  @Test func aPlaceholderNeedsMoreThanAHeader() throws {
    let cut = try Pictures.png(40, 30).prefix(60)
    #expect(try EaselProcess.run(["info", "-"], input: cut).status == 0)
    let outcome = try EaselProcess.run(["info", "--json", "--placeholder", "-"], input: cut)
    #expect(try outcome.status == 1 && outcome.errorCode() == "badImageData")
  }

  @Test func oneFailureSpoilsNeitherTheOthersNorTheOrder() throws {
    try Scratch.with { scratch in
      let good = try scratch.write(try Pictures.png(5, 6), "good.png")
      let text = try scratch.write(Data("no picture at all".utf8), "text.png")
      let missing = scratch.path("missing.png")
      let outcome = try EaselProcess.run(["info", "--json", text, good, missing])
      #expect(outcome.status == 1)
      let objects = try outcome.objects()
      #expect(objects.map { $0["input"] as? String } == [text, good, missing])
      #expect(
        objects.map { ($0["error"] as? [String: Any])?["code"] as? String } == [
          "unsupportedFormat", nil, "invalidURL",
        ])
      #expect(objects[1]["width"] as? Int == 5)
    }
  }

  @Test func withoutJSONFailuresGoToStandardError() throws {
    let outcome = try EaselProcess.run(["info", "/nowhere/x.png"])
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors == "easel: /nowhere/x.png: Could not open /nowhere/x.png: No such file or directory.\n")
  }

  @Test func aLimitOfPixels() throws {
    let data = try Pictures.png(40, 30)
    let small = try EaselProcess.run(["info", "--json", "--max-pixels", "1199", "-"], input: data)
    #expect(small.status == 1)
    #expect(try small.errorCode() == "limitExceeded")
    #expect(small.text.contains("Raise --max-pixels to allow it.") && !small.text.contains("Limits."))
    let text = try EaselProcess.run(["info", "--max-pixels", "1199", "-"], input: data)
    #expect(text.errors.contains("Raise --max-pixels to allow it.") && !text.errors.contains("Limits."))
    #expect(try EaselProcess.run(["info", "--max-pixels", "1200", "-"], input: data).status == 0)
  }

  @Test func formats() throws {
    let lines = try EaselProcess.run(["formats", "--json"]).objects()
    let png = try #require(lines.first { $0["format"] as? String == "png" })
    #expect(png["decodes"] as? Bool == true && png["encodes"] as? Bool == true && png["progressive"] as? Bool == true)
    #expect(png["extensions"] as? [String] == ["png", "apng"] && png["mimeType"] as? String == "image/png")
    #expect(lines.count == CoderRegistry.everything.formats.count)
    #expect(lines.contains { $0["format"] as? String == "svg" })
    #expect(try EaselProcess.run(["formats"]).lines.count == lines.count)
    // An extension or a name that two formats had would lead to one of them only.
    let names = lines.flatMap { Set(($0["extensions"] as? [String] ?? []) + [$0["format"] as? String ?? ""]) }
    #expect(names.count == Set(names).count)
    #expect(Set(["jpg", "jpeg", "png", "avif", "heif", "tif", "pnm", "ico"]).isSubset(of: names))
  }
}
