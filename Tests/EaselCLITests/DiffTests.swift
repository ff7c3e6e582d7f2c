import Easel
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone))
struct DiffTests {
  private func diff(_ words: String..., input: Data = Data()) throws -> EaselProcess.Outcome {
    try EaselProcess.run(["diff"] + words, input: input)
  }

  @Test func equalPicturesOfDifferentFiles() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(40, 30), "a.png")
      let other = scratch.path("b.qoi")
      #expect(try EaselProcess.run(["convert", path, "-o", other]).status == 0)
      let outcome = try diff(path, other)
      #expect(outcome.status == 0 && outcome.text == "equal in every pixel\n" && outcome.errors.isEmpty)
      let said = try diff("--json", path, other).object()
      #expect(said["equal"] as? Bool == true && said["sizeEqual"] as? Bool == true)
      #expect(said["psnr"] is NSNull && said["ssim"] as? Double == 1 && said["maxDifference"] as? Int == 0)
      #expect(said["ssimulacra2"] as? Double == 100)
      #expect(said["worstFrame"] is NSNull && said["differingPixels"] as? Int == 0)
    }
  }

  @Test func aDifferenceAndItsBounds() throws {
    try Scratch.with { scratch in
      let first = try scratch.write(try Pictures.png(40, 30, blue: 7), "a.png")
      let second = try scratch.write(try Pictures.png(40, 30, blue: 17), "b.png")
      let outcome = try diff(first, second)
      #expect(outcome.status == 1)
      #expect(outcome.text.hasPrefix("different: PSNR 32.90 dB, SSIM 0.99"), "\(outcome.text)")
      #expect(outcome.text.hasSuffix("largest difference 10 of 255, 100.0 % of the pixels differ\n"))
      let said = try diff("--json", first, second).object()
      #expect(said["maxDifference"] as? Int == 10 && said["steps"] as? Int == 255)
      #expect(try #require(said["psnr"] as? Double) == 32.902)
      let score = try Pictures.decoded(Pictures.png(40, 30, blue: 7)).bitmap
        .visualScore(of: Pictures.decoded(Pictures.png(40, 30, blue: 17)).bitmap)
      #expect(abs(try #require(said["ssimulacra2"] as? Double) - score) <= 0.0001 && score < 95)
      #expect(score > 0 && outcome.text.contains(", SSIMULACRA2 \(Int(score))."), "\(outcome.text)")
      #expect(said["differingPixels"] as? Int == 1200 && said["equal"] as? Bool == false)
      #expect(try diff(first, second, "--max-difference", "10").status == 0)
      #expect(try diff(first, second, "--max-difference", "9").status == 1)
      #expect(try diff(first, second, "--min-ssim", "0.99").text.hasPrefix("equal enough: "))
      #expect(try diff(first, second, "--min-ssim", "1").status == 1)
      #expect(try diff(first, second, "--min-ssim", "0.99", "--max-difference", "9").status == 1)
    }
  }

  @Test func otherSizes() throws {
    try Scratch.with { scratch in
      let first = try scratch.write(try Pictures.png(40, 30), "a.png")
      let drawn = scratch.path("d.png")
      let outcome = try diff(first, "-", "-o", drawn, "--max-difference", "255", input: try Pictures.png(41, 30))
      #expect(outcome.status == 1 && outcome.text == "different: A is 40x30, B is 41x30\n")
      #expect(outcome.errors == "easel: The pictures have different sizes, so \(drawn) was not drawn.\n")
      let said = try diff("--json", first, "-", input: try Pictures.png(41, 30)).object()
      #expect(said["sizeEqual"] as? Bool == false && said["psnr"] is NSNull && said["maxDifference"] is NSNull)
      #expect((said["b"] as? [String: Any])?["width"] as? Int == 41)
      #expect(try scratch.names() == ["a.png"])
    }
  }

  @Test func theDrawing() throws {
    try Scratch.with { scratch in
      let first = try scratch.write(try Pictures.png(40, 30), "a.png")
      let second = try scratch.write(try Pictures.png(40, 30, alpha: 0), "b.png")
      #expect(try diff(first, second, "-o", scratch.path("d.png")).status == 1)
      let drawn = try Pictures.decoded(scratch.data("d.png")).bitmap
      #expect(drawn.size == PixelSize(width: 40, height: 30) && drawn.pixel(3, 3) == [255, 255, 255, 255])
      let toOutput = try diff(first, second, "-o", "-")
      #expect(try Pictures.decoded(toOutput.output).size == drawn.size && toOutput.errors.hasPrefix("different: "))
    }
  }

  @Test func movingPicturesFrameByFrame() throws {
    try Scratch.with { scratch in
      let first = try scratch.write(try Pictures.apng(12, 9, frames: 3), "a.png")
      #expect(try diff(first, first).text == "equal in all 3 frames\n")
      let longer = try scratch.write(try Pictures.apng(12, 9, frames: 4), "b.png")
      let more = try diff(first, longer)
      #expect(more.status == 1)
      #expect(more.text == "different: A has 3 frames, B has 4; the pixels compared are equal\n")
      let oftener = try scratch.write(try Pictures.apng(12, 9, frames: 3, loopCount: 9), "c.png")
      #expect(try diff(first, oftener, "--json").object()["motionEqual"] as? Bool == false)
      let still = try scratch.write(try Pictures.png(12, 9, blue: 10), "d.png")
      let said = try diff(first, still, "--json").object()
      #expect(
        said["framesCompared"] as? Int == 1 && said["maxDifference"] as? Int == 0 && said["equal"] as? Bool == false)
    }
  }

  @Test func trouble() throws {
    try Scratch.with { scratch in
      let picture = try scratch.write(try Pictures.png(4, 4), "a.png")
      let damaged = try scratch.write(Data("no picture".utf8), "b.png")
      let outcome = try diff(picture, damaged)
      #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains("b.png: "))
      #expect(try diff("--json", scratch.path("none.png"), picture).errorCode() == "invalidURL")
      #expect(try diff("-", "-").status == 2)
      #expect(try diff(picture).status == 2)
      let heic = try diff(picture, picture, "-o", scratch.path("x.heic"))
      #expect(heic.status == 2 && heic.errors.contains("does not end like a format that is written"))
      #expect(try diff(picture, picture, "-o", scratch.path("none/x.png")).status == 2)
    }
  }
}
