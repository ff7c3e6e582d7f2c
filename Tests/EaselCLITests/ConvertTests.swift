import EaselEverything
import EaselTestTags
import Foundation
import Testing

struct ConvertTests {
  @Test func pixelsStayAsTheyAre() throws {
    let image = try converted(try Pictures.png(20, 10, alpha: 77))
    #expect(try image.bitmap.rows == Pictures.bitmap(20, 10, alpha: 77).rows)
  }

  @Test func movingPicturesStayMoving() throws {
    let data = try Pictures.apng(8, 6, frames: 3)
    let image = try converted(data)
    let frames = try #require(image.frames)
    #expect(frames.count == 3 && frames.loopCount == 3)
    #expect((0..<3).map { frames.duration(at: $0) } == [50, 100, 150].map { .milliseconds($0) })
    let resized = try converted(data, "--resize", "4x3")
    #expect(resized.frames?.count == 3 && resized.frames?.canvasSize == PixelSize(width: 4, height: 3))
    #expect(try converted(data, "--first-frame").frames == nil)
  }

  @Test(arguments: [
    (["--resize", "10x10"], 10, 10), (["--resize", "10x0"], 10, 5), (["--resize", "x10"], 20, 10),
    (["--resize", "10"], 10, 5), (["--resize", "80"], 80, 40), (["--resize", "80", "--no-enlarge"], 40, 20),
    (["--resize", "10", "--mode", "fill"], 10, 10), (["--resize", "10", "--mode", "force"], 10, 10),
    (["--resize", "10", "--dpr", "2"], 20, 10), (["--crop", "2,3,10,5"], 10, 5), (["--crop", "10x5+2+3"], 10, 5),
    (["--crop", "30,10,100,100"], 10, 10), (["--rotate", "90"], 20, 40),
    (["--resize", "8x8", "--crop", "0,0,4,2"], 4, 2),
    (["--crop", "0,0,4,2", "--resize", "8x8"], 8, 8),
    (["--transform", "Resize({12,0},0)-Pad({1,1,1,1},#ff000000)"], 14, 8),
    (["--rotate", "-1080"], 40, 20), (["--crop", "12x7"], 12, 7), (["--crop", "12x"], 12, 20),
    (["--crop-ratio", "1:1"], 20, 20), (["--crop-ratio", "4:1"], 40, 10), (["--extend-ratio", "1:1"], 40, 40),
    (["--crop", "9x8", "--gravity", "smart"], 9, 8),
    (["--extend-ratio", "3:1", "--crop-ratio", "1:2"], 10, 20), (["--trim", "255"], 40, 20),
    (["--pixelate", "7"], 40, 20), (["--resize", "10x10", "--mode", "fit"], 10, 5),
    (["--resize", "10x30", "--mode", "fill"], 10, 30), (["--resize", "80x80", "--mode", "fit"], 80, 40),
    (["--resize", "80x80", "--mode", "fit", "--no-enlarge"], 40, 20),
    (["--resize", "80x80", "--mode", "fill-down", "--no-enlarge"], 20, 20),
    (["--resize", "10x20", "--mode", "auto"], 10, 5), (["--resize", "20x5", "--mode", "auto"], 20, 5),
    (["--resize", "10x5", "--dpr", "2"], 20, 10), (["--resize", "10x5", "--zoom", "1.5"], 15, 8),
    (["--zoom", "0.5"], 20, 10), (["--min-size", "80x0"], 80, 40), (["--resize", "4x0", "--min-size", "0x6"], 4, 6),
    (["--padding", "1"], 42, 22), (["--padding", "1,2,3,4"], 46, 24), (["--padding", "1,2", "--dpr", "3"], 52, 26),
    (["--extend", "50x10"], 50, 20), (["--extend", "x30", "--bars", "white"], 40, 30),
    (["--resize", "20x20", "--mode", "pad", "--dpr", "2"], 40, 40),
    (["--transform", "Resize({12,0},0)-Encode(png,100)"], 12, 6),
  ])
  func sizes(_ options: [String], _ width: Int, _ height: Int) throws {
    let result = try convert(try Pictures.png(40, 20), options)
    let image = try Pictures.decoded(try #require(result.data, "\(result.outcome.errors)"))
    #expect(image.size == PixelSize(width: width, height: height))
  }

  @Test func barsAndBordersHaveTheirColour() throws {
    let data = try Pictures.png(4, 2)
    let bars = try converted(data, "--extend", "4x4", "--bars", "#102030").bitmap
    #expect(bars.pixel(0, 0) == [0x10, 0x20, 0x30, 255] && bars.pixel(0, 1) != [0x10, 0x20, 0x30, 255])
    let border = try converted(data, "--padding", "0,0,1", "--bars", "black").bitmap
    #expect(border.size == PixelSize(width: 4, height: 3) && border.pixel(3, 2) == [0, 0, 0, 255])
    #expect(try converted(data, "--padding", "1").bitmap.pixel(0, 0)[3] == 0)
  }

  @Test func aWatermarkIsDrawnWhereItIsPlaced() throws {
    try Scratch.with { scratch in
      var white = try Bitmap(size: PixelSize(width: 2, height: 2), format: .rgba8)
      white.withUnsafeMutableBytes { for index in $0.indices { $0[index] = 255 } }
      let mark = try scratch.write(
        try PNGCoder().encode(Image(white), as: .png, options: EncodeOptions(), work: WorkContext()).data(), "mark.png")
      let data = try Pictures.png(10, 8)
      let plain = try Pictures.bitmap(10, 8)
      let corner = try converted(data, "--watermark", mark).bitmap
      #expect(corner.pixel(9, 7) == [255, 255, 255, 255] && corner.pixel(8, 6) == [255, 255, 255, 255])
      #expect(corner.pixel(7, 7) == plain.pixel(7, 7))
      let moved = try converted(
        data, "--watermark", mark, "--watermark-place", "north-west", "--watermark-offset", "2,1", "--dpr", "2"
      ).bitmap
      #expect(moved.pixel(4, 2) == [255, 255, 255, 255] && moved.pixel(3, 2) == plain.pixel(3, 2))
      let many = try converted(data, "--watermark", mark, "--watermark-repeat", "1").bitmap
      #expect(many.pixel(9, 7) == [255, 255, 255, 255] && many.pixel(7, 7) == plain.pixel(7, 7))
      #expect(many.pixel(6, 4) == [255, 255, 255, 255])
      let faint = try converted(data, "--watermark", mark, "--watermark-opacity", "0").bitmap
      #expect(faint.rows == plain.rows)
      let large = try converted(
        data, "--watermark", mark, "--watermark-scale", "1", "--watermark-place", "center"
      ).bitmap
      #expect(large.pixel(5, 0) == [255, 255, 255, 255] && large.pixel(0, 0) == plain.pixel(0, 0))
    }
  }

  @Test func aWatermarkThatCannotBeReadIsOneClearError() throws {
    try Scratch.with { scratch in
      let broken = try scratch.write(Data([1, 2, 3]), "broken.png")
      for path in [broken, scratch.path("missing.png")] {
        let result = try convert(try Pictures.png(4, 2), ["--watermark", path])
        #expect(result.outcome.status == 2 && result.data == nil)
        #expect(result.outcome.errors.contains("--watermark") && result.outcome.errors.contains(path))
      }
    }
  }

  @Test func aKeyThatEndsInAFormIsReplayedWhole() throws {
    let result = try convert(
      try Pictures.png(40, 20), ["--transform", "Resize({12,0},0)-Encode(jpeg,30,background=#ff000000)"], to: "out.bin")
    let header = try JPEGCoder().probe(ImageBytes(try #require(result.data)), work: WorkContext())
    #expect(header.format == .jpeg && header.storedSize == PixelSize(width: 12, height: 6))
    for wrong in [["--quality", "0.5"], ["--format", "png"], ["--lossless"]] {
      let refused = try convert(try Pictures.png(4, 2), ["--transform", "Encode(jpeg,30)"] + wrong)
      #expect(refused.outcome.status == 2 && refused.outcome.errors.contains(wrong[0]))
    }
    let broken = try convert(try Pictures.png(4, 2), ["--transform", "Encode(jpeg)"])
    #expect(broken.outcome.status == 2 && broken.outcome.errors.contains("Encode(jpeg)"))
  }

  @Test(arguments: [
    ["--mode", "fill"], ["--no-enlarge"], ["--gravity", "north"], ["--bars", "white"], ["--watermark-scale", "0.5"],
    ["--dpr", "2"], ["--resize", "4", "--dpr", "9"], ["--resize", "4", "--zoom", "0"],
    ["--resize", "4", "--zoom", "nan"],
    ["--padding", "1,2,3,4,5"], ["--padding", "-1"], ["--padding", "x"], ["--extend", "0x0"],
    ["--resize", "4", "--mode", "pad", "--zoom", "2"], ["--watermark-offset", "1"], ["--min-size", "-1"],
    ["--watermark-opacity", "1.5"], ["--text-size", "20"], ["--text", "a", "--text-size", "0"],
    ["--text", "a", "--text-outline", "2,blue"], ["--text", "a", "--text-shadow", "x"],
    ["--text", "a", "--text-place", "smart"], ["--text", "a", "--text-align", "left"], ["--text", ""],
  ])
  func optionsWithoutMeaningAreRefused(_ options: [String]) throws {
    let result = try convert(try Pictures.png(4, 2), options)
    #expect(result.outcome.status == 2 && result.data == nil, "\(options)")
    #expect(result.outcome.errors.contains(options.last { $0.hasPrefix("--") }!), "\(result.outcome.errors)")
  }

  @Test func aFileThatAlreadyIsWhatIsAskedForIsCopied() throws {
    let data = try Pictures.png(10, 8)
    #expect(try convert(data, []).data == data)
    #expect(try convert(data, ["--resize", "100", "--no-enlarge"]).data == data)
    #expect(try convert(data, ["--first-frame"]).data == data)
    #expect(try convert(data, ["--grayscale"]).data != data)
  }

  @Test func theCopyrightStaysAlone() throws {
    // A block with the camera "Cam" and the copyright "Ada".
    let head: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2]
    let camera: [UInt8] = [0x01, 0x0F, 0, 2, 0, 0, 0, 4, 67, 97, 109, 0]
    let notice: [UInt8] = [0x82, 0x98, 0, 2, 0, 0, 0, 4, 65, 100, 97, 0]
    var metadata = ImageMetadata(storedSize: PixelSize(width: 8, height: 8))
    metadata.exif = Data(head + camera + notice + [0, 0, 0, 0])
    let data = try Pictures.png(8, 8, metadata: metadata)
    for name in ["out.png", "out.jpg", "out.webp"] {
      let kept = try Pictures.decoded(try #require(convert(data, ["--keep-copyright"], to: name).data)).metadata.exif
      #expect(kept?.contains(camera) == false && kept?.contains(notice) == true, "\(name)")
      let none = try Pictures.decoded(try #require(convert(data, [], to: name).data)).metadata.exif
      #expect(none == nil, "\(name)")
    }
  }

  @Test func modes() throws {
    let data = try Pictures.png(40, 20)
    let pad = try converted(data, "--resize", "20x20", "--mode", "pad").bitmap
    #expect(pad.size == PixelSize(width: 20, height: 20) && pad.pixel(10, 0)[3] == 0 && pad.pixel(10, 10)[3] == 255)
    let fill = try converted(data, "--resize", "20x20", "--mode", "fill").bitmap
    // The middle half of the width: red is 30 at its left edge, but 0 at the left edge of the stretched picture.
    #expect(abs(Int(fill.pixel(0, 10)[0]) - 30) <= 4)
    for options in [["--resize", "20x20"], ["--resize", "20", "--mode", "force"]] {
      let force = try Pictures.decoded(try #require(convert(data, options).data)).bitmap
      #expect(force.size == PixelSize(width: 20, height: 20), "\(options)")
      #expect(force.pixel(0, 10)[0] <= 6 && force.pixel(0, 0)[3] == 255, "\(options)")
    }
    let fit = try converted(data, "--resize", "20").bitmap
    #expect(fit.size == PixelSize(width: 20, height: 10) && fit.pixel(0, 5)[0] <= 6 && fit.pixel(0, 0)[3] == 255)
  }

  @Test(arguments: [("cover", "fill"), ("cover-down", "fill-down"), ("inside", "fit")])
  func aFormerWordOfAModeSaysWhatItBecame(_ former: String, _ word: String) throws {
    let data = try Pictures.png(40, 20)
    let old = try convert(data, ["--resize", "50x50", "--mode", former])
    let new = try convert(data, ["--resize", "50x50", "--mode", word])
    #expect(old.outcome.status == 0 && old.data != nil && old.data == new.data)
    #expect(old.outcome.errors == "easel: --mode \(former) is called \(word) now.\n" && new.outcome.errors.isEmpty)
  }

  @Test func gravity() throws {
    let data = try Pictures.png(40, 20)
    let plain = try Pictures.bitmap(40, 20)
    #expect(try converted(data, "--crop", "10x5", "--gravity", "south-east").bitmap.pixel(0, 0) == plain.pixel(30, 15))
    #expect(try converted(data, "--crop", "10x5", "--gravity", "0.5,0.3").bitmap.pixel(0, 0) == plain.pixel(15, 3))
    #expect(try converted(data, "--crop-ratio", "1:1", "--gravity", "east").bitmap.pixel(0, 0) == plain.pixel(20, 0))
    let filled = try converted(data, "--resize", "20x20", "--mode", "fill", "--gravity", "west").bitmap
    #expect(filled.pixel(0, 10) == plain.pixel(0, 10))
    let extended = try converted(data, "--extend-ratio", "1:1", "--gravity", "north").bitmap
    #expect(extended.pixel(3, 0) == plain.pixel(3, 0) && extended.pixel(3, 39)[3] == 0)
    for wrong in ["up", "0.5", "0.5,1.5", "nan,0", "0.5,0.5,0.5", ""] {
      #expect(try convert(data, ["--crop", "10x5", "--gravity", wrong]).outcome.status == 2, "\(wrong)")
    }
    for wrong in ["0:0", "16", "-1:1", "nan:1", "1:2:3"] {
      #expect(try convert(data, ["--crop-ratio", wrong]).outcome.status == 2, "\(wrong)")
    }
  }

  @Test func bordersAndTones() throws {
    let data = try Pictures.png(40, 20)
    let framed = try converted(data, "--transform", "Pad({3,4,5,6},#ff00ff00)", "--trim", "2").bitmap
    #expect(try framed.rows == Pictures.bitmap(40, 20).rows)
    let toned = try converted(data, "--duotone", "#ff0000,#ff0000").bitmap
    #expect(toned.pixel(5, 5)[0] == 255 && toned.pixel(30, 10)[1] == 0)
    let squares = try converted(data, "--pixelate", "10").bitmap
    #expect(squares.pixel(0, 0) == squares.pixel(9, 9) && squares.pixel(0, 0) != squares.pixel(10, 0))
    #expect(try convert(data, ["--duotone", "#ff0000"]).outcome.status == 2)
    #expect(try convert(data, ["--pixelate", "0"]).outcome.status == 2)
    #expect(try convert(data, ["--trim", "256"]).outcome.status == 2)
  }

  @Test func looks() throws {
    let data = try Pictures.png(40, 20)
    let plain = try Pictures.bitmap(40, 20)
    #expect(try converted(data, "--flip", "horizontal").bitmap.pixel(0, 0) == plain.pixel(39, 0))
    #expect(try converted(data, "--flip", "v").bitmap.pixel(0, 0) == plain.pixel(0, 19))
    #expect(try converted(data, "--flip", "both").bitmap.pixel(0, 0) == plain.pixel(39, 19))
    // Counter-clockwise: the top right corner moves to the top left.
    #expect(try converted(data, "--rotate", "90").bitmap.pixel(0, 0) == plain.pixel(39, 0))
    #expect(try converted(data, "--round", "8").bitmap.pixel(0, 0)[3] == 0)
    let gray = try converted(data, "--grayscale").bitmap.pixel(30, 3)
    #expect(gray[0] == gray[1] && gray[1] == gray[2])
    let edge = try Pictures.png(40, 20, blue: 200)
    #expect(try converted(edge, "--blur", "5").bitmap.pixel(0, 10) != Pictures.bitmap(40, 20, blue: 200).pixel(0, 10))
  }

  @Test func stepsAreDoneInTheOrderInWhichTheyAreGiven() throws {
    let data = try Pictures.png(40, 20)
    let first = try converted(data, "--flip", "h", "--crop", "0,0,4,4").bitmap
    let second = try converted(data, "--crop", "0,0,4,4", "--flip", "h").bitmap
    #expect(first.pixel(0, 0) == (try Pictures.bitmap(40, 20).pixel(39, 0)))
    #expect(second.pixel(0, 0) == (try Pictures.bitmap(40, 20).pixel(3, 0)))
  }

  @Test func aKeyIsReplayed() throws {
    let data = try Pictures.png(40, 20)
    let pipeline = TransformerPipeline.resize(width: 10).then(.roundCorners(3)).then(.blur(1))
    let replayed = try converted(data, "--transform", pipeline.cacheKey)
    let options = try converted(data, "--resize", "10x0", "--round", "3", "--blur", "1")
    #expect(replayed.bitmap == options.bitmap)
    let twice = try converted(data, "--transform", "Flip(1,0)", "--transform", "Flip(1,0)")
    #expect(twice.bitmap.rows == (try Pictures.bitmap(40, 20).rows))
  }

  @Test func aKeyIsReplayedWithWhatItSaysOfDecoding() throws {
    let data = try Pictures.png(40, 20)
    let small = try converted(data, "--transform", "Thumbnail({10,10},1)-Flip(1,0)")
    #expect(small.size == PixelSize(width: 10, height: 5))
    #expect(small.bitmap.pixel(0, 0)[0] > small.bitmap.pixel(9, 0)[0])
    #expect(try converted(data, "--transform", "Thumbnail({10,10},0)").size == PixelSize(width: 10, height: 10))
    let whole = try Pictures.bitmap(40, 20)
    for (care, isLight) in [("", false), (",1", true), (",2", true)] {
      let made = try converted(data, "--transform", "Thumbnail({10,10},1\(care))").bitmap
      #expect(try made.rows == whole.resized(to: PixelSize(width: 10, height: 5), linearLight: isLight).rows)
    }
    #expect(try converted(data, "--transform", "ScaleDown(800)").size.width <= 20)
    var metadata = ImageMetadata(storedSize: PixelSize(width: 6, height: 4), orientation: .right)
    metadata.exif = Pictures.exif(orientation: 6)
    let turned = try Pictures.png(6, 4, metadata: metadata)
    #expect(try converted(turned).size == PixelSize(width: 4, height: 6))
    let raw = try #require(try convert(turned, ["--transform", "Flip(1,0)-Orientation(raw)"]).data)
    #expect(try Pictures.decoded(raw, keepsOrientation: true).size == PixelSize(width: 6, height: 4))
    let plain = try Pictures.bitmap(40, 20)
    let settings = "Flip(1,0)-Animated(1)-Color(raw)-Depth(16)-Range(high)"
    #expect(try converted(data, "--transform", settings).bitmap.pixel(0, 0)[0] == plain.pixel(39, 0)[0])
    let cut = try convert(data.dropLast(40), ["--transform", "Partial(1)"])
    #expect(cut.outcome.status == 0)
  }

  @Test func theRangeIsMappedOrKept() throws {
    var bitmap = try Bitmap(size: PixelSize(width: 8, height: 4), format: PixelFormat(.rgba16, alpha: .opaque))
    bitmap.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = UInt8(index % 251) } }
    var image = Image(bitmap)
    image.metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 18))
    let data = try PNGCoder().encode(image, as: .png, options: EncodeOptions(), work: WorkContext()).withUnsafeBytes {
      Data($0)
    }
    func header(_ options: [String]) throws -> ImageHeader {
      let written = try #require(try convert(data, ["--flip", "h"] + options).data)
      return try PNGCoder().probe(ImageBytes(written), work: WorkContext())
    }
    let kept = try header(["--keep-range"])
    #expect(kept.bitDepth == 16 && kept.color == image.metadata.color)
    #expect(try header(["--transform", "Range(high)"]).color == image.metadata.color)
    let mapped = try header([])
    #expect(mapped.bitDepth == 8 && mapped.color == nil)
  }

  @Test(arguments: ["png", "tiff", "pnm", "jxl", "avif"])
  func moreThan8BitsAreKeptWhenAskedFor(format: String) throws {
    var bitmap = try Bitmap(size: PixelSize(width: 8, height: 4), format: PixelFormat(.rgba16, alpha: .opaque))
    var words: [UInt16] = []
    for pixel: UInt16 in 0..<8 * 4 { words += [pixel * 1999, pixel * 7, 513, 65_535] }
    bitmap.withUnsafeMutableBytes { bytes in words.withUnsafeBytes { bytes.copyMemory(from: $0) } }
    let data = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
      .withUnsafeBytes { Data($0) }
    func written(_ options: [String]) throws -> ImageBytes {
      let arguments = ["--flip", "h", "--lossless", "--format", format] + options
      return ImageBytes(try #require(try convert(data, arguments).data))
    }
    let coder = CoderRegistry.everything
    #expect(try coder.probe(written([]), work: WorkContext()).bitDepth == 8)
    var reading = DecodeOptions()
    reading.keeps16Bits = true
    let kept = try coder.decode(written(["--keep-depth"]), options: reading, work: WorkContext()).bitmap
    #expect(kept.format.layout == .rgba16)
    let first = kept.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self).prefix(4)) }
    // An AVIF has no more than 12 bits.
    let most = format == "avif" ? 16 : 0
    for (component, stored) in zip(first, words[28...]) { #expect(abs(Int(component) - Int(stored)) <= most) }
  }

  @Test(arguments: [
    "Flip(1,0)--Blur(2)", "-Flip(1,0)", "Thumbnail({0,1},1)", "Thumbnail({1,1})", "Thumbnail({1,1},1,0)",
    "ScaleDown(-1)", "ScaleDown(x)",
    "Coder(jpeg)", "Flip(1,0", "Depth(8)",
  ])
  func aKeyThatIsNoneIsRefused(_ key: String) throws {
    let outcome = try convert(try Pictures.png(4, 4), ["--transform", key]).outcome
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("easel: --transform: "))
  }

  @Test func metadataIsKeptOnlyWhenAskedFor() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 6, height: 4))
    metadata.exif = Pictures.exif(orientation: 1)
    let data = try Pictures.png(6, 4, metadata: metadata)
    #expect(try converted(data).metadata.exif == nil)
    #expect(try converted(data, "--keep-metadata").metadata.exif != nil)
  }

  @Test func whatIsSaid() throws {
    let said = try convert(try Pictures.apng(8, 6, frames: 2), ["--json"])
    let object = try said.outcome.object()
    #expect(object["format"] as? String == "png" && object["frames"] as? Int == 2)
    #expect(object["width"] as? Int == 8 && object["height"] as? Int == 6)
    #expect(object["bytes"] as? Int == said.data?.count)
    let text = try convert(try Pictures.png(8, 6), []).outcome.text
    #expect(text.contains("out.png: png 8x6, ") && text.hasSuffix("bytes\n"))
  }

  @Test(.tags(.alone)) func inAPipe() throws {
    let arguments = ["convert", "-", "--format", "png", "-o", "-", "--resize", "4x4"]
    let outcome = try EaselProcess.run(arguments, input: try Pictures.png(8, 8))
    #expect(try Pictures.decoded(outcome.output).size == PixelSize(width: 4, height: 4))
    #expect(outcome.errors.isEmpty)
  }

  @Test(.tags(.alone)) func aPictureMayReplaceItselfWhenAskedTo() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(8, 8), "a.png")
      try FileManager.default.createSymbolicLink(atPath: scratch.path("link.png"), withDestinationPath: "a.png")
      let words = ["convert", path, "-o", scratch.path("link.png"), "--resize", "2x2"]
      #expect(try EaselProcess.run(words).status == 1)
      #expect(try Pictures.decoded(scratch.data("a.png")).size == PixelSize(width: 8, height: 8))
      #expect(try EaselProcess.run(words + ["--overwrite"]).status == 0)
      #expect(try Pictures.decoded(scratch.data("a.png")).size == PixelSize(width: 2, height: 2))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch.path("link.png")) == "a.png")
    }
  }

  @Test(arguments: [
    ["--crop", "100,100,5,5"], ["--resize", "60000x60000"], ["--blur", "0"],
    ["--transform", "Rotate(1,1)-Crop({900,0,1,1})"],
  ])
  func whatCannotBeDone(_ options: [String]) throws {
    let result = try convert(try Pictures.png(8, 8), options + ["--json"])
    guard options != ["--blur", "0"] else { return #expect(result.outcome.status == 0) }
    #expect(result.outcome.status == 1 && result.data == nil)
    #expect(["transformFailed", "limitExceeded"].contains(try result.outcome.errorCode()))
  }
}
