import Easel
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone))
struct DecodeTests {
  /// Decodes a picture with the program; returns its output and the pixels that it wrote.
  private func decode(
    _ data: Data, _ options: String...
  ) throws -> (outcome: EaselProcess.Outcome, pixels: Data?) {
    try Scratch.with { scratch in
      let path = try scratch.write(data, "in.png")
      let outcome = try EaselProcess.run(["decode", path, "-o", scratch.path("out.rgba")] + options)
      return (outcome, try? scratch.data("out.rgba"))
    }
  }

  @Test func pixelsAndWhatIsSaidOfThem() throws {
    let (outcome, pixels) = try decode(try Pictures.png(40, 30, alpha: 128))
    #expect(try pixels == Pictures.bitmap(40, 30, alpha: 128).rows)
    let said = try outcome.object()
    #expect(said["width"] as? Int == 40 && said["height"] as? Int == 30 && said["frames"] as? Int == 1)
    #expect(said["partial"] as? Bool == false)
    #expect(try #require(said["ms"] as? Double) >= 0)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
  }

  @Test func everyLayoutBecomesStraightRGBA() throws {
    // 16 bits and grey, which coders may deliver in layouts of their own.
    var wide = try Bitmap(size: PixelSize(width: 3, height: 2), format: .rgba16)
    wide.withUnsafeMutableBytes { for index in $0.indices { $0[index] = UInt8(truncatingIfNeeded: index / 8 * 40) } }
    let data = try PNGCoder().encode(Image(wide), as: .png, options: EncodeOptions(), work: WorkContext()).data()
    let (_, pixels) = try decode(data)
    #expect(try pixels == wide.converted(to: .rgba8).rows)
  }

  @Test func framesOfAMovingPicture() throws {
    let data = try Pictures.apng(8, 6, frames: 3)
    let frames = try (1...3).map { try Pictures.bitmap(8, 6, blue: UInt8($0 * 10)).rows }
    let all = try decode(data, "--frames")
    #expect(all.pixels == frames.reduce(Data(), +))
    #expect(try all.outcome.object()["frames"] as? Int == 3)
    #expect(try decode(data, "--frame", "1").pixels == frames[1])
    #expect(try decode(data).pixels == frames[0])
    let beyond = try decode(data, "--frame", "3", "--json")
    #expect(beyond.outcome.status == 1 && beyond.pixels == nil)
    #expect(try beyond.outcome.errorCode() == "badImageData")
  }

  @Test func aStillHasOneFrame() throws {
    let data = try Pictures.png(4, 4)
    #expect(try decode(data, "--frames").pixels == Pictures.bitmap(4, 4).rows)
    #expect(try decode(data, "--frame", "0").pixels == Pictures.bitmap(4, 4).rows)
  }

  @Test func orientationIsAppliedUnlessItIsToStayRaw() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 6, height: 4), orientation: .right)
    metadata.exif = Pictures.exif(orientation: 6)
    let data = try Pictures.png(6, 4, metadata: metadata)
    let upright = try decode(data)
    #expect(try upright.outcome.object()["width"] as? Int == 4)
    // A quarter clockwise: the bottom left corner moves to the top left.
    #expect(upright.pixels?.prefix(4) == Data(try Pictures.bitmap(6, 4).pixel(0, 3)))
    let raw = try decode(data, "--raw-orientation")
    #expect(try raw.pixels == Pictures.bitmap(6, 4).rows)
  }

  @Test func thumbnails() throws {
    let (outcome, pixels) = try decode(try Pictures.png(64, 32), "--thumbnail", "16x16")
    let said = try outcome.object()
    #expect(said["width"] as? Int == 16 && said["height"] as? Int == 8)
    #expect(pixels?.count == 16 * 8 * 4)
  }

  @Test func truncatedFilesFailUnlessAPartIsWelcome() throws {
    let whole = try Pictures.png(200, 200)
    let cut = whole.prefix(whole.count * 2 / 3)
    let strict = try decode(cut, "--json")
    #expect(strict.outcome.status == 1 && strict.pixels == nil)
    #expect(try strict.outcome.errorCode() == "badImageData")
    let lenient = try decode(cut, "--damaged", "show")
    #expect(try decode(cut, "--allow-partial").pixels == lenient.pixels)
    #expect(try decode(cut, "--allow-partial", "--damaged", "show").outcome.status == 2)
    #expect(lenient.outcome.status == 0 && lenient.pixels?.count == 200 * 200 * 4)
    #expect(try lenient.outcome.object()["partial"] as? Bool == true)
    #expect(try lenient.pixels?.prefix(800) == Pictures.bitmap(200, 200).rows.prefix(800))
  }

  @Test(arguments: ["1", "7", "1000000"])
  func piecesGiveTheSamePixels(_ size: String) throws {
    let (outcome, pixels) = try decode(try Pictures.png(50, 40), "--chunk", size)
    #expect(outcome.status == 0)
    #expect(try pixels == Pictures.bitmap(50, 40).rows)
  }

  @Test func repeatsWriteOnce() throws {
    let (outcome, pixels) = try decode(try Pictures.apng(8, 6, frames: 2), "--repeat", "4", "--frames")
    #expect(outcome.lines.count == 1)
    #expect(pixels?.count == 8 * 6 * 4 * 2)
  }

  @Test func tooManyPixels() throws {
    let (outcome, pixels) = try decode(try Pictures.png(40, 30), "--max-pixels", "1000")
    #expect(outcome.status == 1 && pixels == nil)
    #expect(outcome.errors.contains("over the limit of 1000 pixels a frame"))
  }

  @Test func pixelsOnStandardOutputHaveItForThemselves() throws {
    let outcome = try EaselProcess.run(["decode", "-", "-o", "-"], input: try Pictures.png(9, 5))
    #expect(try outcome.output == Pictures.bitmap(9, 5).rows)
    #expect(outcome.errors.contains("\"width\":9"))
  }

  @Test func aFileThatIsThereIsReplacedOnlyByAWholeOne() throws {
    try Scratch.with { scratch in
      let good = try scratch.write(try Pictures.png(3, 3), "good.png")
      let bad = try scratch.write(try Pictures.png(99, 99).prefix(200), "bad.png")
      let output = try scratch.write(Data("before".utf8), "out")
      #expect(try EaselProcess.run(["decode", bad, "-o", output, "--overwrite"]).status == 1)
      #expect(try scratch.data("out") == Data("before".utf8))
      let refused = try EaselProcess.run(["decode", good, "-o", output])
      #expect(refused.status == 1 && refused.errors.contains("\(output) is there already. Give --overwrite"))
      #expect(try scratch.data("out") == Data("before".utf8))
      #expect(try EaselProcess.run(["decode", good, "-o", output, "--overwrite"]).status == 0)
      #expect(try scratch.data("out").count == 36)
      // No other files are left.
      #expect(try scratch.names() == ["bad.png", "good.png", "out"])
    }
  }

  @Test func placesThatCannotBeWritten() throws {
    let data = try Pictures.png(3, 3)
    for place in ["/nowhere/out", "/proc", "/dev/full"] {
      let outcome = try EaselProcess.run(["decode", "-", "-o", place], input: data)
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.errors.contains("Could not write to \(place)"))
    }
    #expect(try EaselProcess.run(["decode", "-", "-o", "/dev/null"], input: data).status == 0)
  }

  @Test func resultsThatAreLostAreAFailure() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(3, 3), "a.png")
      let outcome = try Child.run([EaselProcess.path, "info", path], output: "/dev/full")
      #expect(outcome.status == 1 && outcome.errors.contains("could not be written"))
    }
  }
}
