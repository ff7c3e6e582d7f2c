import EaselEverything
import EaselTestPixels
import EaselTestTags
import Foundation
import Testing

/// Smaller files of the same pictures.
@Suite(.tags(.alone))
struct OptimizeTests {
  private func optimize(_ words: String...) throws -> EaselProcess.Outcome {
    try EaselProcess.run(["optimize"] + words)
  }

  /// A PNG that its encoder has hardly compressed.
  private func loose(_ bitmap: Bitmap? = nil, metadata: ImageMetadata? = nil) throws -> Data {
    var options = EncodeOptions(compressionLevel: 0, keepsMetadata: true)
    options.allowsPalette = false
    let image = Image(try bitmap ?? Pictures.bitmap(120, 90, alpha: 200), metadata: metadata)
    return try PNGCoder().encode(image, as: .png, options: options, work: WorkContext()).data()
  }

  private func jpeg(quality: Double) throws -> Data {
    let image = Image(try Bitmap.noise(96, 64, .opaqueRGBA8))
    return try JPEGCoder().encode(image, as: .jpeg, options: EncodeOptions(quality: quality), work: WorkContext())
      .data()
  }

  @Test func aPNGIsCompressedAnewWithEqualPixels() throws {
    try Scratch.with { scratch in
      var metadata = ImageMetadata(storedSize: PixelSize(width: 120, height: 90))
      metadata.exif = Pictures.exif(orientation: 1)
      let before = try loose(metadata: metadata)
      let path = try scratch.write(before, "a.png")
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      let outcome = try optimize(path, "--json")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let after = try scratch.data("a.png")
      let said = try outcome.object()
      #expect(said["bytesBefore"] as? Int == before.count && said["bytes"] as? Int == after.count)
      #expect(after.count < before.count / 2)
      let (old, new) = (try Pictures.decoded(before), try Pictures.decoded(after))
      #expect(old.bitmap.rows == new.bitmap.rows && old.metadata.exif == new.metadata.exif)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o640)
      // A second time there is nothing to save, and nothing is written.
      let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
      let again = try optimize(path)
      #expect(again.status == 0 && again.text.contains("skipped, because it cannot be made smaller without loss"))
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date == time)
      #expect(try scratch.data("a.png") == after)
    }
  }

  @Test func sixteenBitsAndMotionStay() throws {
    try Scratch.with { scratch in
      var deep = try Bitmap(size: PixelSize(width: 64, height: 64), format: PixelFormat(.rgba16, alpha: .opaque))
      deep.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = UInt8(index / 8 % 251) } }
      deep = try deep.converted(to: PixelFormat(.rgba16, alpha: .straight))
      let before = try loose(deep)
      let path = try scratch.write(before, "deep.png")
      let moving = try scratch.write(try Pictures.apng(40, 30, frames: 3), "moving.png")
      let frames = try Pictures.decoded(scratch.data("moving.png"))
      #expect(try optimize(path, moving).status == 0)
      let header = try PNGCoder().probe(ImageBytes(scratch.data("deep.png")), work: WorkContext())
      #expect(header.bitDepth == 16)
      #expect(try scratch.data("deep.png").count < before.count)
      let after = try Pictures.decoded(scratch.data("moving.png"))
      #expect(after.frames?.count == 3 && after.frames?.loopCount == frames.frames?.loopCount)
      for index in 0..<3 {
        #expect(try after.frames?.frame(at: index).rows == frames.frames?.frame(at: index).rows)
      }
    }
  }

  @Test func whatLosesSomethingIsLeftUnlessAllowed() throws {
    try Scratch.with { scratch in
      let before = try jpeg(quality: 0.95)
      let path = try scratch.write(before, "a.jpg")
      let kept = try optimize(path)
      #expect(kept.status == 0 && kept.text.contains("--quality or --min-ssim"))
      #expect(try scratch.data("a.jpg") == before)
      let similar = try optimize(path, "--min-ssim", "0.9", "-o", scratch.path("out/"), "--json").object()
      let ssim = try #require(similar["ssim"] as? Double)
      #expect(ssim >= 0.9)
      #expect(try scratch.data("out/a.jpg").count < before.count)
      let diff = try EaselProcess.run(["diff", path, scratch.path("out/a.jpg"), "--min-ssim", "0.9"])
      #expect(diff.status == 0, "\(diff.text)")
      #expect(try optimize(path, "--quality", "50", "--keep-time").status == 0)
      #expect(try scratch.data("a.jpg").count < before.count)
      // A higher quality makes nothing smaller.
      let small = try scratch.data("a.jpg")
      #expect(try optimize(path, "--quality", "99").status == 0)
      #expect(try scratch.data("a.jpg") == small)
    }
  }

  @Test func theTimeStaysWhenAskedFor() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try loose(), "a.png")
      let old = Date(timeIntervalSince1970: 1_000_000_000)
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
      #expect(try optimize(path, "--keep-time").status == 0)
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date == old)
    }
  }

  @Test func anotherFolderGetsAllFiles() throws {
    try Scratch.with { scratch in
      let loose = try loose()
      try FileManager.default.createDirectory(at: scratch.url("in/sub"), withIntermediateDirectories: true)
      _ = try scratch.write(loose, "in/A.PNG")
      _ = try scratch.write(try jpeg(quality: 0.5), "in/sub/b.jpeg")
      let outcome = try optimize("-r", scratch.path("in"), "-o", scratch.path("out"))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try scratch.data("in/A.PNG") == loose && scratch.data("out/A.PNG").count < loose.count)
      #expect(try scratch.data("out/sub/b.jpeg") == scratch.data("in/sub/b.jpeg"))
      #expect(outcome.errors.contains("2 files written, in ") && outcome.errors.contains("% saved"))
    }
  }

  @Test func aDryRunSaysWhatCouldBeSaved() throws {
    try Scratch.with { scratch in
      let loose = try loose()
      let path = try scratch.write(loose, "a.png")
      let outcome = try optimize(path, "--dry-run")
      #expect(outcome.status == 0 && outcome.text.contains(" could become "))
      #expect(try scratch.data("a.png") == loose)
    }
  }

  @Test(arguments: [
    ["http://host/a.png"], ["-"], ["a.png", "./a.png"], ["a.png", "--newer"], ["a.png", "-o", "-"],
    ["a.png", "--quality", "50", "--min-ssim", "0.9"],
  ])
  func whatHasNoMeaningIsRefused(_ words: [String]) throws {
    let outcome = try EaselProcess.run(["optimize"] + words)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
  }
}
