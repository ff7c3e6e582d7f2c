import EaselEverything
import EaselTestPixels
import Foundation
import Testing

/// The files that are written: formats, the options of their codecs, alpha and motion.
struct ConvertFormatsTests {
  @Test func aFileIsMadeToFit() throws {
    let noise = try Bitmap.noise(100, 100, .opaqueRGBA8)
    let data = try PNGCoder().encode(Image(noise), as: .png, options: EncodeOptions(), work: WorkContext()).data()
    let result = try convert(data, ["--max-bytes", "5k"])
    #expect(try #require(result.data).count <= 5000)
    let impossible = try convert(data, ["--max-bytes", "10", "--json"])
    #expect(impossible.outcome.status == 1 && impossible.data == nil)
    #expect(try impossible.outcome.errorCode() == "encodeFailed")
  }

  @Test func qualityDecidesTheSizeOfLossyFormats() throws {
    let noise = try PNGCoder().encode(
      Image(try Bitmap.noise(64, 64, .opaqueRGBA8)), as: .png, options: EncodeOptions(), work: WorkContext()
    ).data()
    for name in ["out.jpg", "out.webp", "out.avif"] {
      let sizes = try ["0.1", "0.9", "10", "90"].map { quality in
        try #require(try convert(noise, ["--quality", quality], to: name).data).count
      }
      #expect(sizes[0] < sizes[1] && sizes[0] == sizes[2] && sizes[1] == sizes[3], "\(name)")
    }
    let baseline = try #require(try convert(noise, [], to: "out.jpg").data)
    let progressive = try #require(try convert(noise, ["--progressive"], to: "out.jpg").data)
    #expect(baseline != progressive)
  }

  @Test func aScoreTakesThePlaceOfAQuality() throws {
    let picture = try PNGCoder().encode(
      Image(try Bitmap.waves(96, 64)), as: .png, options: EncodeOptions(), work: WorkContext()
    ).data()
    var sizes: [Int] = []
    for score in ["auto:60", "auto", "auto:85"] {
      let result = try convert(picture, ["--quality", score, "--json"], to: "out.webp")
      let told = try result.outcome.object()
      let wanted = Double(score.split(separator: ":").last ?? "") ?? 80
      let found = try #require(told["ssimulacra2"] as? Double)
      // A step of one in the quality of so small a picture may be three points.
      #expect(abs(found - wanted) <= 3, "\(told)")
      #expect((1...5).contains(try #require(told["attempts"] as? Int)) && told["quality"] is Int)
      sizes.append(try #require(result.data).count)
    }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[2], "\(sizes)")
    let plain = try convert(picture, ["--quality", "auto:75"], to: "out.jpg")
    #expect(plain.outcome.text.contains(", score 7") && plain.outcome.text.contains(" at quality "))
    for quality in ["auto:", "auto:101", "auto:x", "Auto", "auto75", "1.5"] {
      #expect(try convert(picture, ["--quality", quality], to: "out.jpg").outcome.status == 2, "\(quality)")
    }
  }

  @Test func theScaleOfAQualityCanBeChosen() throws {
    let noise = try PNGCoder().encode(
      Image(try Bitmap.waves(64, 64)), as: .png, options: EncodeOptions(), work: WorkContext()
    ).data()
    func file(_ name: String, _ options: String...) throws -> Data {
      try #require(try convert(noise, ["--quality", "80"] + options, to: name).data)
    }
    #expect(try file("a.avif", "--quality-scale", "library").count > file("a.avif").count)
    #expect(try file("a.avif", "--quality-scale", "looks") == file("a.avif"))
    #expect(try file("a.jpg", "--quality-scale", "library") == file("a.jpg"))
    // Keys of the time before there was a choice mean what they meant.
    #expect(
      try #require(convert(noise, ["--transform", "Encode(avif,q80)"], to: "a.avif").data)
        == file("a.avif", "--quality-scale", "library"))
  }

  /// The options, and if they change the file of a format that the input has already.
  @Test(
    arguments: [
      (.jpeg, [], false), (.jpeg, ["--quality", "10"], true), (.jpeg, ["--quality", "80"], true),
      (.jpeg, ["--progressive"], true), (.jpeg, ["--chroma", "422"], true), (.jpeg, ["--chroma", "420"], true),
      (.jpeg, ["--jpeg-effort", "1"], false), (.jpeg, ["--jpeg-effort", "2"], false),
      (.jpeg, ["--jpeg-effort", "3"], true), (.jpeg, ["--jpeg-restarts", "yes"], true),
      (.jpeg, ["--lossless"], false), (.jpeg, ["--avif-speed", "4"], false), (.jpeg, ["--max-bytes", "1M"], false),
      (.webp, [], false), (.webp, ["--quality", "0.1"], true), (.webp, ["--lossless"], true),
      (.webp, ["--progressive"], false), (.png, ["--quality", "10"], false),
      (.jpeg, ["--transform", "Encode(jpeg,q10)"], true), (.jpeg, ["--transform", "Encode(jpeg,10)"], false),
    ] as [(ImageFormat, [String], Bool)])
  func whatIsAskedForIsCarriedOutInTheSameFormatToo(
    _ format: ImageFormat, _ options: [String], _ changes: Bool
  ) throws {
    let fine = EncodeOptions(quality: 0.97, chromaSubsampling: .full)
    let data = try CoderRegistry.everything.encode(
      Image(try Bitmap.noise(64, 64, .opaqueRGBA8)), as: format, options: fine, work: WorkContext()
    ).data()
    let name = "out.\(CoderRegistry.everything.fileExtensions(of: format)[0])"
    let result = try convert(data, options, to: name)
    #expect(try (#require(result.data, "\(result.outcome.errors)") != data) == changes)
  }

  @Test func theJPEGInsideAJPEGXLComesOutAsItIs() throws {
    let jpeg = try JPEGCoder().encode(
      Image(try Bitmap.noise(64, 64, .opaqueRGBA8)), as: .jpeg, options: EncodeOptions(), work: WorkContext())
    let packed = try JXLCoder().packed(jpeg: jpeg).data()
    #expect(try #require(convert(packed, [], to: "out.jpg").data) == jpeg.data())
    #expect(try #require(convert(packed, ["--sandbox", "all"], to: "out.jpg").data) == jpeg.data())
    #expect(try #require(convert(packed, ["--resize", "32x32"], to: "out.jpg").data) != jpeg.data())
    let coarse = try #require(convert(packed, ["--quality", "10"], to: "out.jpg").data)
    #expect(coarse.count < jpeg.count / 2)
  }

  @Test func aJPEGIsPackedIntoAJPEGXL() throws {
    let jpeg = try JPEGCoder().encode(
      Image(try Bitmap.noise(64, 64, .opaqueRGBA8)), as: .jpeg, options: EncodeOptions(), work: WorkContext())
    for sandbox in ["all", "off"] {
      let packed = try #require(convert(jpeg.data(), ["--sandbox", sandbox], to: "out.jxl").data)
      #expect(try JXLCoder().jpeg(in: ImageBytes(packed))?.data() == jpeg.data())
    }
    let coarse = try #require(convert(jpeg.data(), ["--quality", "10"], to: "out.jxl").data)
    #expect(try JXLCoder().jpeg(in: ImageBytes(coarse)) == nil)
  }

  /// Each option of a codec changes the file of that format, and of no other.
  @Test func optionsOfCodecsChangeTheirFiles() throws {
    let noise = try Bitmap.noise(48, 40, .rgba8)
    let data = try PNGCoder().encode(Image(noise), as: .png, options: EncodeOptions(), work: WorkContext()).data()
    func written(_ name: String, _ options: String...) throws -> Data {
      try #require(try convert(data, options, to: name).data)
    }
    #expect(try written("a.jxl", "--jxl-effort", "7") != written("a.jxl"))
    #expect(try written("a.jxl", "--jxl-effort", "4") == written("a.jxl"))
    #expect(try written("a.jxl", "--lossless").count > written("a.jxl", "--quality", "50").count)
    let (avif, jpeg, webp) = (try written("a.avif"), try written("a.jpg"), try written("a.webp"))
    // Noise in colours has all of them by default.
    let quarter = try written("a.jpg", "--chroma", "420")
    #expect(try written("a.jpg", "--chroma", "444") == jpeg)
    for option in [
      ["--chroma", "444"], ["--chroma", "422"], ["--avif-speed", "4"], ["--avif-depth", "10"],
      ["--avif-alpha-quality", "0.1"],
    ] {
      let changed = try written("b.avif", option[0], option[1])
      #expect(changed != avif, "\(option)")
      let isChroma = option[0] == "--chroma"
      #expect(try (written("b.jpg", option[0], option[1]) != (isChroma ? quarter : jpeg)) == isChroma, "\(option)")
      #expect(try written("b.webp", option[0], option[1]) == webp, "\(option)")
    }
    for usual in [["--chroma", "420"], ["--avif-speed", "8"], ["--avif-depth", "8"]] {
      #expect(try written("b.avif", usual[0], usual[1]) == avif, "\(usual)")
    }
    #expect(try written("b.avif", "--avif-alpha-quality", "10") == written("c.avif", "--avif-alpha-quality", "0.1"))
    let deep = ImageBytes(try written("b.avif", "--avif-depth", "12"))
    #expect(try AVIFCoder().probe(deep, work: WorkContext()).bitDepth == 12)
    for wrong in [
      ["--chroma", "411"], ["--avif-speed", "11"], ["--avif-depth", "9"], ["--avif-alpha-quality", "1.5"],
    ] {
      #expect(try convert(data, wrong, to: "b.avif").outcome.status == 2, "\(wrong)")
    }
    let beside = try convert(data, ["--transform", "Encode(jpeg,30)", "--avif-speed", "4"])
    #expect(beside.outcome.status == 2 && beside.outcome.errors.contains("--avif-speed"))
  }

  @Test func effortAndRestartMarkersChangeAJPEG() throws {
    let data = try Pictures.png(200, 150)
    func written(_ options: String..., name: String = "a.jpg") throws -> Data {
      try #require(try convert(data, options, to: name).data)
    }
    let files = try ["1", "2", "3"].map { try written("--jpeg-effort", $0) }
    #expect(Set(files).count == 3)
    #expect(try written() == files[1])
    #expect(try written("--jpeg-restarts", "yes").count > files[1].count)
    #expect(try written("--jpeg-restarts", "no") == files[1])
    #expect(try written("--jpeg-effort", "1", name: "a.webp") == written(name: "a.webp"))
    // A key without an effort is one of a file that libjpeg-turbo wrote.
    #expect(try written("--transform", "Encode(jpeg,80)") == files[0])
    #expect(try written("--transform", "Encode(jpeg,80,jpeg-effort:2)") == files[1])
    #expect(try written("--transform", "Encode(jpeg,80,jpeg-effort:3)") == files[2])
    for wrong in [["--jpeg-effort", "0"], ["--jpeg-effort", "4"], ["--jpeg-restarts", "1"]] {
      #expect(try convert(data, wrong, to: "a.jpg").outcome.status == 2, "\(wrong)")
    }
  }

  @Test func palettesAndLossMakeSmallerFiles() throws {
    let data = try Pictures.png(200, 150)
    func written(_ options: String..., name: String = "a.png") throws -> Data {
      try #require(try convert(data, options, to: name).data)
    }
    func probe(_ data: Data) throws -> (kind: UInt8, colors: Int) {
      // The colour type of IHDR; PLTE has its length before its name.
      guard let place = data.range(of: Data("PLTE".utf8))?.lowerBound else { return (data[25], 0) }
      return (data[25], data[(place - 4)..<place].reduce(0) { $0 << 8 | Int($1) } / 3)
    }
    let plain = try written("--png-effort", "1")
    let few = try written("--png-colors", "9")
    #expect(try probe(few) == (3, 9))
    let enough = try written("--png-quality", "70")
    #expect(try probe(enough).kind == 3 && enough == written("--png-quality", "0-70"))
    #expect(try probe(written("--png-quality", "99-100", "--png-colors", "2")) == probe(plain))
    let thorough = try written("--png-effort", "2")
    #expect(try thorough.count < plain.count && written("--png-effort", "3").count <= thorough.count)
    #expect(try written("--transform", "Encode(png,100,png-palette:9)") == few)
    // Other formats know nothing of it.
    let gif = try written(name: "a.gif")
    #expect(try written("--png-colors", "9", name: "a.gif") == gif)
    #expect(try written("--gif-loss", "60", name: "a.gif").count < gif.count)
    for wrong in [
      ["--png-colors", "1"], ["--png-colors", "257"], ["--png-quality", "70-60"], ["--png-quality", "101"],
      ["--png-quality", "1-2-3"], ["--png-effort", "4"], ["--gif-loss", "201"],
    ] {
      #expect(try convert(data, wrong, to: "a.png").outcome.status == 2, "\(wrong)")
    }
  }

  @Test func optionsOfTIFFChangeItsFilesAndNoPixel() throws {
    let picture = try Pictures.bitmap(200, 150)
    let data = try Pictures.png(200, 150)
    func written(_ options: String...) throws -> Data {
      let file = try #require(convert(data, options, to: "a.tiff").data)
      #expect(try Pictures.decoded(file).bitmap.rows == Pictures.decoded(data).bitmap.rows, "\(options)")
      return file
    }
    let usual = try written()
    #expect(try written("--tiff-compression", "deflate") == usual)
    #expect(try written("--tiff-predictor", "yes") == usual)
    let (lzw, plain) = (try written("--tiff-compression", "lzw"), try written("--tiff-compression", "none"))
    #expect(usual.count < plain.count && lzw.count < plain.count && plain.count > picture.byteCount * 3 / 4)
    #expect(try written("--tiff-predictor", "no") != usual)
    #expect(try written("--tiff-compression", "lzw", "--tiff-predictor", "no") != lzw)
    #expect(try written("--tiff-compression", "none", "--tiff-predictor", "no") == plain)
    for wrong in [["--tiff-compression", "jpeg"], ["--tiff-predictor", "maybe"]] {
      let outcome = try convert(data, wrong, to: "a.tiff").outcome
      #expect(outcome.status == 2 && outcome.errors.contains(wrong[0]), "\(wrong)")
    }
  }

  @Test(arguments: ["out.webp", "out.avif"]) func losslessKeepsEveryPixel(_ name: String) throws {
    let data = try Pictures.png(33, 21, alpha: 90)
    let lossless = try #require(try convert(data, ["--lossless"], to: name).data)
    #expect(try Pictures.decoded(lossless).bitmap.rows == Pictures.bitmap(33, 21, alpha: 90).rows)
    let lossy = try #require(try convert(data, [], to: name).data)
    #expect(try Pictures.decoded(lossy).bitmap.rows != Pictures.bitmap(33, 21, alpha: 90).rows)
  }

  @Test func whereThereIsNoAlphaABackgroundShows() throws {
    let clear = try Pictures.png(16, 16, alpha: 0)
    let plain = try #require(try convert(clear, [], to: "out.jpg").data)
    let white = try Pictures.decoded(plain).bitmap.pixel(8, 8)
    #expect(white.allSatisfy { $0 >= 250 })
    let colored = try #require(try convert(clear, ["--background", "#0000ff"], to: "out.jpg").data)
    let blue = try Pictures.decoded(colored).bitmap.pixel(8, 8)
    #expect(blue[0] <= 10 && blue[1] <= 10 && blue[2] >= 245)
  }

  @Test(arguments: ["out.gif", "out.webp", "out.avif", "out.apng"])
  func movingPicturesMoveInEveryFormatThatCan(_ name: String) throws {
    let result = try convert(try Pictures.apng(8, 6, frames: 3), [], to: name)
    let data = try #require(result.data, "\(result.outcome.errors)")
    let frames = try #require(try Pictures.decoded(data).frames)
    #expect(frames.count == 3 && frames.loopCount == 3)
    #expect((0..<3).map { frames.duration(at: $0) } == [50, 100, 150].map { .milliseconds($0) })
  }

  @Test func movingPicturesBecomePagesAndTheFirstPageAStillPicture() throws {
    let pages = try #require(try convert(try Pictures.apng(8, 6, frames: 3), [], to: "out.tiff").data)
    let frames = try #require(try Pictures.decoded(pages).frames)
    #expect(frames.count == 3 && frames.totalDuration == .zero)
    for name in ["out.gif", "out.webp", "out.avif", "out.apng"] {
      let still = try #require(try convert(pages, ["--lossless"], to: name).data)
      let image = try Pictures.decoded(still)
      #expect(image.frames == nil)
      if name != "out.gif" { #expect(try image.bitmap.rows == frames.frame(at: 0).rows, "\(name)") }
    }
  }

  @Test func theFormatMayBeNamed() throws {
    let result = try convert(try Pictures.png(8, 6), ["--format", "jpeg"], to: "picture")
    #expect(try #require(result.data).starts(with: [0xFF, 0xD8, 0xFF]))
  }
}
