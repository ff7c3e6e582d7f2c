import Easel
import EaselTestPixels
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone))
struct ThumbTests {
  @Test func manyAtATimeInTheOrderOfTheInputs() throws {
    try Scratch.with { scratch in
      let paths = try (1...12).map { try scratch.write(try Pictures.png(100 + $0, 50), "p\($0).png") }
      let outcome = try EaselProcess.run(
        ["thumb", "--size", "20", "--dir", scratch.path("thumbs"), "--jobs", "3", "--json"] + paths)
      #expect(outcome.status == 0)
      let objects = try outcome.objects()
      #expect(objects.map { $0["input"] as? String } == paths)
      for (index, object) in objects.enumerated() {
        let path = scratch.path("thumbs/p\(index + 1).png")
        #expect(object["output"] as? String == path)
        let size = try Pictures.decoded(try Data(contentsOf: URL(fileURLWithPath: path))).size
        #expect(size == PixelSize(width: 100 + index + 1, height: 50).thumbnail(in: PixelSize(width: 20, height: 20)))
      }
    }
  }

  @Test(arguments: [("20", 20, 10), ("20x5", 10, 5), ("30x0", 30, 15), ("x8", 16, 8), ("500", 80, 40)])
  func sizes(_ size: String, _ width: Int, _ height: Int) throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(80, 40), "a.png")
      let said = try EaselProcess.run(["thumb", path, "--size", size, "-d", scratch.path("t"), "--json"]).object()
      #expect(said["width"] as? Int == width && said["height"] as? Int == height)
    }
  }

  @Test(arguments: [
    (["--size", "20", "--fill"], 20, 20), (["--size", "20x10", "--fill", "--dpr", "2"], 40, 20),
    (["--size", "20", "--crop-ratio", "1:1"], 20, 20), (["--size", "20", "--dpr", "1.5"], 30, 15),
    (["--size", "500", "--dpr", "8"], 80, 40), (["--size", "500", "--fill"], 80, 40),
    (["--size", "20", "--trim", "0"], 20, 10),
    (["--size", "30x0", "--crop-ratio", "2:1", "--gravity", "east"], 30, 15),
  ])
  func cutsAndScreens(_ options: [String], _ width: Int, _ height: Int) throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(80, 40), "a.png")
      let said = try EaselProcess.run(["thumb", path, "-d", scratch.path("t"), "--json"] + options).object()
      #expect(said["width"] as? Int == width && said["height"] as? Int == height, "\(options)")
    }
  }

  @Test(arguments: [("fast", false), ("faithful", true), ("exact", true)])
  func theFidelityIsChosen(_ fidelity: String, averagesLight: Bool) throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(80, 40), "a.png")
      let expected = try Pictures.bitmap(80, 40).resized(
        to: PixelSize(width: 20, height: 10), linearLight: averagesLight)
      for options in [["--size", "20"], ["--size", "20x10", "--fill"]] {
        let arguments = ["thumb", path, "-d", scratch.path("t"), "--overwrite", "--fidelity", fidelity] + options
        #expect(try EaselProcess.run(arguments).status == 0)
        let made = try Pictures.decoded(try Data(contentsOf: URL(fileURLWithPath: scratch.path("t/a.png"))))
        #expect(made.bitmap.rows == expected.rows, "\(options)")
      }
      let converted = ["convert", path, "-o", scratch.path("b.png"), "--resize", "20", "--fidelity", fidelity]
      #expect(try EaselProcess.run(converted).status == 0)
      let made = try Pictures.decoded(try Data(contentsOf: URL(fileURLWithPath: scratch.path("b.png"))))
      #expect(made.bitmap.rows == expected.rows)
    }
  }

  @Test func theFormerNameOfAnOptionSaysWhatItBecame() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(80, 40), "a.png")
      let outcome = try EaselProcess.run(["thumb", path, "-d", scratch.path("t"), "--json", "--size", "20", "--cover"])
      #expect(try outcome.object()["height"] as? Int == 20)
      #expect(outcome.errors.contains("easel: --cover is called --fill now.\n"))
    }
  }

  @Test func aThumbnailHasItsWatermark() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(80, 40), "a.png")
      let mark = try scratch.write(try Pictures.png(4, 4, blue: 255), "mark.png")
      let outcome = try EaselProcess.run(["thumb", path, "--size", "20", "-d", scratch.path("t"), "--watermark", mark])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let thumbnail = try Pictures.decoded(scratch.data("t/a.png")).bitmap
      #expect(thumbnail.pixel(19, 9)[2] == 255 && thumbnail.pixel(0, 0)[2] == 7)
    }
  }

  @Test(arguments: [["--gravity", "north"], ["--watermark-scale", "0.5"], ["--watermark", "/nowhere.png"]])
  func optionsWithoutMeaningAreRefused(_ options: [String]) throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(8, 8), "a.png")
      let outcome = try EaselProcess.run(["thumb", path, "-d", scratch.path("t")] + options)
      #expect(outcome.status == 2 && outcome.errors.contains(options[0]))
    }
  }

  @Test func namesThatAreAlikeAreNumbered() throws {
    try Scratch.with { scratch in
      for name in ["a", "b"] {
        try FileManager.default.createDirectory(at: scratch.url(name), withIntermediateDirectories: true)
      }
      let first = try scratch.write(try Pictures.png(8, 8), "a/x.png")
      let second = try scratch.write(try Pictures.png(9, 9), "b/x.png")
      #expect(try EaselProcess.run(["thumb", first, second, "--dir", scratch.path("t")]).status == 0)
      #expect(try Pictures.decoded(scratch.data("t/x.png")).size.width == 8)
      #expect(try Pictures.decoded(scratch.data("t/x-2.png")).size.width == 9)
    }
  }

  @Test func oneFailureSpoilsNothingElse() throws {
    try Scratch.with { scratch in
      let good = try scratch.write(try Pictures.png(8, 8), "good.png")
      let bad = try scratch.write(try Pictures.png(80, 80).prefix(90), "bad.png")
      let outcome = try EaselProcess.run(["thumb", bad, good, "--dir", scratch.path("t"), "--json"])
      #expect(outcome.status == 1)
      #expect(try outcome.objects().map { $0["error"] == nil } == [false, true])
      #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("t")) == ["good.png"])
    }
  }

  @Test func everyInputHearsThatThereIsNoDirectory() throws {
    try Scratch.with { scratch in
      let file = try scratch.write(try Pictures.png(8, 8), "a.png")
      let outcome = try EaselProcess.run(["thumb", file, "b.png", "--dir", "\(file)/thumbs", "--json"])
      #expect(outcome.status == 1)
      let objects = try outcome.objects()
      #expect(objects.map { $0["input"] as? String } == [file, "b.png"])
      #expect(objects.allSatisfy { $0["error"] != nil })
      let plain = try EaselProcess.run(["thumb", file, "b.png", "--dir", "\(file)/thumbs"])
      #expect(plain.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func aPictureIsNotOverwrittenByItsThumbnail() throws {
    try Scratch.with { scratch in
      let data = try Pictures.png(800, 8)
      let path = try scratch.write(data, "a.png")
      let outcome = try EaselProcess.run(["thumb", path, "--dir", scratch.directory.path, "--json"])
      #expect(outcome.status == 1)
      #expect(try outcome.errorCode() == "encodeFailed")
      #expect(try scratch.data("a.png") == data)
    }
  }

  @Test func movingPicturesGiveAStill() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.apng(8, 8, frames: 3), "a.png")
      #expect(try EaselProcess.run(["thumb", path, "--dir", scratch.path("t")]).status == 0)
      #expect(try Pictures.decoded(scratch.data("t/a.png")).frames == nil)
    }
  }

  @Test func formatAndQuality() throws {
    try Scratch.with { scratch in
      let noise = Image(try Bitmap.noise(64, 64, .opaqueRGBA8))
      let data = try PNGCoder().encode(noise, as: .png, options: EncodeOptions(), work: WorkContext()).data()
      let path = try scratch.write(data, "a.png")
      let sizes = try ["0.1", "0.9"].map { quality in
        let options = ["--format", "jpg", "--quality", quality, "-d", scratch.path("t"), "--json", "--overwrite"]
        let said = try EaselProcess.run(["thumb", path] + options).object()
        #expect(said["format"] as? String == "jpeg" && said["output"] as? String == scratch.path("t/a.jpg"))
        return try #require(said["bytes"] as? Int)
      }
      #expect(sizes[0] < sizes[1])
      // A picture that is small enough is written with the quality too.
      let photo = try scratch.write(scratch.data("t/a.jpg"), "photo.jpg")
      let options = ["--size", "64", "--quality", "10", "-d", scratch.path("small"), "--json"]
      let said = try EaselProcess.run(["thumb", photo] + options).object()
      #expect(try #require(said["bytes"] as? Int) < sizes[1] / 2)
    }
  }

  @Test func repeatsAndLimits() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(80, 40), "a.png")
      let repeated = try EaselProcess.run(["thumb", path, "--repeat", "3", "-d", scratch.path("t"), "--json"])
      #expect(try repeated.object()["ms"] as? Double != nil)
      let limited = try EaselProcess.run(["thumb", path, "--max-pixels", "3000", "-d", scratch.path("u"), "--json"])
      #expect(try limited.errorCode() == "limitExceeded")
    }
  }

  @Test func aDirectoryThatCannotBe() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(8, 8), "a.png")
      let outcome = try EaselProcess.run(["thumb", path, "--dir", path])
      #expect(outcome.status == 1 && outcome.errors.contains("Could not make the directory \(path): Not a directory"))
    }
  }
}
