import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct KeyTests {
  static let spellings: [(TransformerPipeline, String)] = [
    (TransformerPipeline.resize(width: 320), "Resize({320,0},0,4,1)"),
    (.resize(height: 20), "Resize({0,20},0,4,1)"),
    (.resize(width: 320, fidelity: .fast), "Resize({320,0},0)"),
    (.resize(width: 3, height: 4, mode: .fill, filter: .box, fidelity: .fast), "Resize({3,4},2,1)"),
    (.resize(width: 3, height: 4, mode: .fill, filter: .box), "Resize({3,4},2,1,1)"),
    (.resize(width: 3, height: 4, mode: .pad, fidelity: .faithful), "Resize({3,4},1,4,1)"),
    (.resize(width: 3, filter: .box, fidelity: .exact), "Resize({3,0},0,1,2)"),
    (.resize(height: 3, fidelity: .exact), "Resize({0,3},0,4,2)"),
    (.resize(within: PixelSize(width: 3, height: 4)), "Resize({3,4},4,4,1)"),
    (.resize(within: PixelSize(width: 3, height: 4), enlarges: true), "Resize({3,4},3,4,1)"),
    (.resize(within: PixelSize(width: 3, height: 0), enlarges: true), "Resize({3,0},0,4,1)"),
    (.resize(within: PixelSize(width: 3, height: 0), filter: .box), "Resize({3,0},4,1,1)"),
    (.crop(x: 1, y: 2, width: 3, height: 4), "Crop({1,2,3,4})"),
    (.crop(x: -2, y: -3, width: 5, height: 5), "Crop({0,0,3,2})"),
    (.resize(width: 3, height: 4, mode: .fill, gravity: .north), "Resize({3,4},2,4,1,no)"),
    (.resize(width: 3, height: 4, mode: .pad, gravity: .south.inset(x: 0, y: 2)), "Resize({3,4},1,4,1,so{0,2})"),
    (
      .resize(width: 3, height: 4, mode: .fill, gravity: .focalPoint(x: 0.25, y: 1), filter: .box),
      "Resize({3,4},2,1,1,fp{0.25,1})"
    ),
    (
      .resize(width: 3, height: 4, mode: .fill, gravity: .west, fidelity: .faithful), "Resize({3,4},2,4,1,we)"
    ),
    (.crop(width: 30, height: 20), "CropSize({30,20},ce)"),
    (
      .crop(width: .share(0.5), height: .pixels(7), gravity: .northEast.inset(x: .share(-0.1), y: .pixels(3))),
      "CropSize({0.5s,7},noea{-0.1s,3})"
    ),
    (
      .crop(width: 3, height: 0, gravity: .focalPoint(x: 0.3, y: 0.7).inset(x: 1, y: -1)),
      "CropSize({3,0},fp{0.3,0.7}{1,-1})"
    ),
    (.crop(width: 3, height: 0, gravity: .smart), "CropSize({3,0},sm)"),
    (.crop(ratioWidth: 3, ratioHeight: 2, gravity: .smart.inset(x: 2, y: 0)), "CropRatio(1.5,sm{2,0})"),
    (.resize(width: 3, height: 4, mode: .fill, gravity: .smart), "Resize({3,4},2,4,1,sm)"),
    // Bars cut nothing off.
    (.resize(width: 3, height: 4, mode: .pad, gravity: .smart), "Resize({3,4},1,4,1)"),
    (.extend(ratioWidth: 1, ratioHeight: 1, gravity: .smart.inset(x: 0, y: 3)), "ExtendRatio(1,#00000000,ce{0,3})"),
    (
      .crop(shareX: 0.1, shareY: 0, shareWidth: 0.9, shareHeight: 0.25), "CropShare({0.1,0,0.9,0.25})"
    ),
    (.crop(ratioWidth: 3, ratioHeight: 2), "CropRatio(1.5,ce)"),
    (.crop(ratioWidth: 1, ratioHeight: 4, gravity: .west.inset(x: 0, y: 1)), "CropRatio(0.25,we{0,1})"),
    (.trim(), "Trim(10,-,0,0)"),
    (.trim(color: .white, tolerance: 2.5, equalsVertically: true), "Trim(2.5,#ffffffff,0,1)"),
    (.flip(horizontal: true), "Flip(1,0)"),
    (.rotate(degrees: 45), "Rotate(0.7853981633974483,1)"),
    (.rotate(degrees: 90), "Rotate(1.5707963267948966,1)"),
    (.rotate(radians: 1.5707963267), "Rotate(1.5707963267948966,1)"),
    (.rotate(radians: 1.57079632, fit: false), "Rotate(1.57079632,0)"),
    (.rotate(degrees: -90, fit: false), "Rotate(-1.5707963267948966,0)"),
    (.rotate(degrees: 630), "Rotate(-1.5707963267948966,1)"),
    (.rotate(degrees: -180, fit: false), "Rotate(3.141592653589793,1)"),
    (.rotate(degrees: 360), "Rotate(0,1)"),
    (.roundCorners(12), "RoundCorners(12,15,0,-)"),
    (
      .roundCorners(1.5, corners: [.topLeft, .bottomRight], borderWidth: 2, borderColor: .black),
      "RoundCorners(1.5,9,2,#ff000000)"
    ),
    (.roundCorners(0, borderWidth: 2), "RoundCorners(0,0,0,-)"),
    (.tint(PixelColor(red: 1, green: 2, blue: 255, alpha: 16)), "Tint(#100102ff,18)"),
    (.tint(.white, mode: .multiply), "Tint(#ffffffff,1)"),
    (.blur(2.5), "Blur(2.5)"),
    (.sharpen(), "Sharpen(1,1)"),
    (.convolution([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]), "Convolution(3,1,{0,-1,0,-1,5,-1,0,-1,0})"),
    (.convolution([[1], [0.5], [1]], normalizes: true), "Convolution(1,2.5,{1,0.5,1})"),
    (.grayscale, "Grayscale(1)"),
    (.brightness(1.2), "Brightness(1.2)"),
    (.duotone(shadows: .black, highlights: .white, amount: 0.5), "Duotone(#ff000000,#ffffffff,0.5)"),
    (.pixelate(8), "Pixelate(8)"), (.pad(3, color: .white), "Pad({3,3,3,3},#ffffffff)"),
    (
      .extend(ratioWidth: 16, ratioHeight: 10, color: .black, gravity: .focalPoint(x: 0, y: 0.1)),
      "ExtendRatio(1.6,#ff000000,fp{0,0.1})"
    ),
    (.extend(ratioWidth: 1, ratioHeight: 1), "ExtendRatio(1,#00000000,ce)"),
    ([.flip(horizontal: true), .rotate(degrees: 45)], "Flip(1,0)-Rotate(0.7853981633974483,1)"),
    (.identity, ""),
  ]

  @Test(arguments: spellings)
  func keysReadAsPromised(pipeline: TransformerPipeline, key: String) throws {
    #expect(pipeline.cacheKey == key)
    #expect(try TransformerPipeline(parsing: key).cacheKey == key)
  }

  @Test func aReadableKeyIsThatOfTheExample() {
    let pipeline: TransformerPipeline = .flip(horizontal: true).then(.rotate(radians: .pi / 4))
    let key = CacheKey(original: "image.png", suffixes: pipeline.members.map { CacheKey.Suffix($0.cacheKey) })
    #expect(key.readable == "image-Flip(1,0)-Rotate(0.7853981633974483,1).png")
  }

  @Test func parsingAKeyAndPrintingItGivesTheKey() throws {
    for seed in 0..<200 {
      var transformers = try TestTransformers(seed: UInt64(seed))
      let pipeline = TransformerPipeline(transformers.all().shuffled(using: &transformers.random))
      let overlays = Dictionary(
        uniqueKeysWithValues: ["logo", "a-b(c),d", "märk", "%41"].map { ($0, transformers.mark) })
      let parsed = try TransformerPipeline(parsing: pipeline.cacheKey, overlays: overlays)
      #expect(parsed.cacheKey == pipeline.cacheKey)
      #expect(parsed.members.count == pipeline.members.count)
      for (one, other) in zip(parsed.members, pipeline.members) { #expect(type(of: one) == type(of: other)) }
    }
  }

  @Test func aParsedKeyMakesTheSamePixels() throws {
    let bitmap = try Bitmap.noise(40, 31, .rgba8)
    for seed in 0..<20 {
      var transformers = try TestTransformers(seed: UInt64(seed))
      let overlays = Dictionary(
        uniqueKeysWithValues: ["logo", "a-b(c),d", "märk", "%41"].map { ($0, transformers.mark) })
      for transformer in transformers.all() {
        let parsed = try TransformerPipeline(parsing: transformer.cacheKey, overlays: overlays)
        #expect(try parsed.run(bitmap) == transformer.run(bitmap), "\(transformer.cacheKey)")
      }
    }
  }

  static let mistakes: [(String, String, String)] = [
    ("Flap(1,0)", "position 0", "one of Background, Blur, Brightness"), ("Flip(2,0)", "position 5", "0 or 1"),
    ("Flip(1,0", "position 8", "\")\""), ("Flip(1,0)Flip(1,0)", "position 9", "\"-\""),
    ("Flip(1,0)-", "position 10", "a transformer's name"), ("Blur(1e3)", "position 6", "\")\""),
    ("Blur()", "position 5", "a number"), ("Blur(nan)", "position 5", "a number"),
    ("Resize({3,4},7)", "position 13", "a mode, one of 0, 1, 2, 3, 4"), ("Crop({1,2,3})", "position 11", "\",\""),
    ("Tint(#12345,0)", "position 5", "#aarrggbb"), ("Tint(#ff000000,15)", "position 15", "a blend mode"),
    ("RoundCorners(1,16,0,-)", "position 15", "corners"),
    ("Overlay(x,0,{0,0},1,0)", "position 8", "one of the given overlays"),
    ("CropSize({3,4},north)", "position 15", "a gravity, one of nowe, no"),
    ("CropSize({3,4},fp{0.5})", "position 21", "\",\""), ("CropSize({3,1.5},ce)", "position 13", "\"}\""),
    ("Resize({3,4},2,1,1,ce,1)", "position 21", "\")\""), ("CropSize({s,4},ce)", "position 10", "a number"),
    ("Crop({99999999999999999999,0,1,1})", "position 6", "a whole number"), ("Overlay(%", "position 9", "two hex"),
    ("Convolution(3,1,{1,,1})", "position 19", "a number"), ("Convolution(3,1,{})", "position 17", "a number"),
    ("(", "position 0", "a transformer's name"), ("Blur(ä)", "position 5", "a number"),
  ]

  @Test(arguments: mistakes)
  func whatIsNoKeySaysWhereAndWhy(text: String, place: String, expectation: String) {
    let error = #expect(throws: ImageError.self) { try TransformerPipeline(parsing: text) }
    #expect(error?.code == .transformFailed && error?.subject == text)
    #expect(error?.message.contains(place) == true && error?.message.contains(expectation) == true, "\(error!)")
  }

  @Test func noTextCrashesTheParser() throws {
    var random = SeededRandom(seed: 5)
    let alphabet = Array("Flip(Blur)Resize{},-0123.#ab%Overlay\u{e4}")
    for _ in 0..<3000 {
      let text = String(
        (0..<Int.random(in: 0...20, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
      _ = try? TransformerPipeline(parsing: text)
    }
  }

  /// One row for each parameter of each transformer: two values, which must differ in key and in pixels.
  static let differences: [(TransformerPipeline, TransformerPipeline)] = [
    (TransformerPipeline.resize(width: 20, height: 10), TransformerPipeline.resize(width: 21, height: 10)),
    (.resize(width: 20, height: 10), .resize(width: 20, height: 11)),
    (.resize(width: 20, height: 10), .resize(width: 20, height: 10, mode: .pad)),
    (.resize(width: 20, height: 10, mode: .fill), .resize(width: 20, height: 10, mode: .pad)),
    (.resize(width: 20, height: 10), .resize(within: PixelSize(width: 20, height: 10))),
    (
      .resize(within: PixelSize(width: 60, height: 60)),
      .resize(within: PixelSize(width: 60, height: 60), enlarges: true)
    ),
    (.resize(width: 20, height: 10), .resize(width: 20, height: 10, filter: .nearest)),
    (.resize(width: 20, height: 10, filter: .box), .resize(width: 20, height: 10, filter: .bilinear)),
    (.resize(width: 20, height: 10), .resize(width: 20, height: 10, filter: .bicubic)),
    (.resize(width: 20, height: 10), .resize(width: 20, height: 10, fidelity: .fast)),
    (.crop(x: 1, y: 1, width: 9, height: 9), .crop(x: 2, y: 1, width: 9, height: 9)),
    (.crop(x: 1, y: 1, width: 9, height: 9), .crop(x: 1, y: 2, width: 9, height: 9)),
    (.crop(x: 1, y: 1, width: 9, height: 9), .crop(x: 1, y: 1, width: 8, height: 9)),
    (.crop(x: 1, y: 1, width: 9, height: 9), .crop(x: 1, y: 1, width: 9, height: 8)),
    (
      .resize(width: 20, height: 10, mode: .fill),
      .resize(width: 20, height: 10, mode: .fill, gravity: .north)
    ),
    (
      .resize(width: 20, height: 10, mode: .fill, gravity: .focalPoint(x: 0.5, y: 0.3)),
      .resize(width: 20, height: 10, mode: .fill, gravity: .focalPoint(x: 0.5, y: 0.4))
    ),
    (
      .resize(width: 20, height: 10, mode: .fill, gravity: .north.inset(x: 0, y: 1)),
      .resize(width: 20, height: 10, mode: .fill, gravity: .north.inset(x: .pixels(0), y: .share(0.1)))
    ),
    (
      .resize(width: 20, height: 10, mode: .pad, gravity: .west),
      .resize(width: 20, height: 10, mode: .pad, gravity: .east)
    ),
    (.crop(width: 9, height: 9), .crop(width: 8, height: 9)), (.crop(width: 9, height: 9), .crop(width: 9, height: 0)),
    (.crop(width: 9, height: 9), .crop(width: .share(0.5), height: .pixels(9))),
    (.crop(width: 9, height: 9, gravity: .north), .crop(width: 9, height: 9, gravity: .south)),
    (.crop(width: 9, height: 9, gravity: .north), .crop(width: 9, height: 9, gravity: .north.inset(x: 1, y: 0))),
    (
      .crop(shareX: 0.1, shareY: 0.1, shareWidth: 0.5, shareHeight: 0.5),
      .crop(shareX: 0.2, shareY: 0.1, shareWidth: 0.5, shareHeight: 0.5)
    ),
    (
      .crop(shareX: 0.1, shareY: 0.1, shareWidth: 0.5, shareHeight: 0.5),
      .crop(shareX: 0.1, shareY: 0.2, shareWidth: 0.5, shareHeight: 0.5)
    ),
    (
      .crop(shareX: 0.1, shareY: 0.1, shareWidth: 0.5, shareHeight: 0.5),
      .crop(shareX: 0.1, shareY: 0.1, shareWidth: 0.6, shareHeight: 0.5)
    ),
    (
      .crop(shareX: 0.1, shareY: 0.1, shareWidth: 0.5, shareHeight: 0.5),
      .crop(shareX: 0.1, shareY: 0.1, shareWidth: 0.5, shareHeight: 0.6)
    ),
    (.crop(ratioWidth: 1, ratioHeight: 1), .crop(ratioWidth: 2, ratioHeight: 1)),
    (.crop(ratioWidth: 1, ratioHeight: 1), .crop(ratioWidth: 1, ratioHeight: 1, gravity: .east)),
    (.flip(horizontal: true), .flip(horizontal: false)), (.flip(vertical: true), .flip(vertical: false)),
    (.rotate(degrees: 30), .rotate(degrees: 31)), (.rotate(degrees: 30), .rotate(degrees: 30, fit: false)),
    (.rotate(degrees: 90), .rotate(degrees: 90, fit: false)), (.rotate(degrees: 90), .rotate(degrees: -90)),
    (.pad(top: 1), .pad(top: 2)), (.pad(left: 1), .pad(left: 2)), (.pad(bottom: 1), .pad(bottom: 2)),
    (.pad(right: 1), .pad(right: 2)), (.pad(1, color: .white), .pad(1, color: .black)),
    (.extend(ratioWidth: 2, ratioHeight: 1), .extend(ratioWidth: 3, ratioHeight: 1)),
    (.extend(ratioWidth: 2, ratioHeight: 1), .extend(ratioWidth: 2, ratioHeight: 1, color: .white)),
    (.extend(ratioWidth: 2, ratioHeight: 1), .extend(ratioWidth: 2, ratioHeight: 1, gravity: .west)),
    (.pixelate(2), .pixelate(3)),
    (.duotone(shadows: .black, highlights: .white), .duotone(shadows: .white, highlights: .white)),
    (.duotone(shadows: .black, highlights: .white), .duotone(shadows: .black, highlights: .black)),
    (.duotone(shadows: .black, highlights: .white), .duotone(shadows: .black, highlights: .white, amount: 0.5)),
    (.roundCorners(5), .roundCorners(6)), (.roundCorners(5), .roundCorners(5, corners: [.topLeft])),
    (
      .roundCorners(5, borderWidth: 1, borderColor: .black), .roundCorners(5, borderWidth: 2, borderColor: .black)
    ),
    (
      .roundCorners(5, borderWidth: 1, borderColor: .black), .roundCorners(5, borderWidth: 1, borderColor: .white)
    ),
    (.tint(.black), .tint(.white)), (.tint(.black, mode: .overlay), .tint(.black, mode: .softLight)),
    (.blur(1), .blur(1.5)), (.sharpen(1, radius: 1), .sharpen(2, radius: 1)),
    (.convolution([[1, 1, 1]]), .convolution([[1], [1], [1]])),
    (.convolution([[1, 1, 1]]), .convolution([[1, 1, 2]])),
    (.convolution([[1, 1, 1]]), .convolution([[1, 1, 1]], normalizes: true)),
    (.sharpen(1, radius: 1), .sharpen(1, radius: 2)), (.grayscale(0.5), .grayscale), (.sepia(0.5), .sepia()),
    (.brightness(0.5), .brightness(0.6)), (.contrast(0.5), .contrast(0.6)), (.saturation(0.5), .saturation(2)),
    (.invert(0.2), .invert()),
    (
      .colorMatrix(.identity),
      .colorMatrix(
        Bitmap.ColorMatrix(rows: [[1, 0.1, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]))
    ),
  ]

  @Test(arguments: differences)
  func aParameterThatChangesTheKeyChangesThePixels(one: TransformerPipeline, other: TransformerPipeline) throws {
    #expect(one.cacheKey != other.cacheKey)
    let bitmap = try Bitmap.noise(30, 24, .rgba8)
    #expect(try one.run(bitmap) != other.run(bitmap), "\(one.cacheKey), \(other.cacheKey)")
  }

  @Test func everyBlendModeIsItsOwn() throws {
    let bitmap = try Bitmap.noise(30, 24, .rgba8)
    let color = PixelColor(red: 200, green: 90, blue: 30, alpha: 128)
    var seen: [Bitmap] = []
    for mode in Bitmap.BlendMode.allCases {
      let result = try TransformerPipeline.tint(color, mode: mode).run(bitmap)
      #expect(!seen.contains(result), "\(mode)")
      seen.append(result)
    }
  }

  @Test func everyParameterOfAnOverlayCounts() throws {
    let bitmap = try Bitmap.noise(30, 24, .rgba8)
    let mark = try Bitmap.noise(6, 5, .rgba8, seed: 2)
    let plain = TransformerPipeline.overlay(mark, name: "a")
    let others: [TransformerPipeline] = [
      .overlay(mark, name: "a", anchor: .top), .overlay(mark, name: "a", insetX: 1),
      .overlay(mark, name: "a", insetY: 1), .overlay(mark, name: "a", opacity: 0.5),
      .overlay(mark, name: "a", mode: .multiply), .overlay(try Bitmap.noise(6, 5, .rgba8, seed: 3), name: "b"),
    ]
    for other in others {
      #expect(other.cacheKey != plain.cacheKey)
      #expect(try other.run(bitmap) != plain.run(bitmap), "\(other.cacheKey)")
    }
    let places = try TransformerPipeline.OverlayAnchor.allCases.map { anchor in
      try TransformerPipeline.overlay(mark, name: "a", anchor: anchor).run(bitmap)
    }
    for (index, place) in places.enumerated() { #expect(!places[..<index].contains(place)) }
  }

  static let equals: [(TransformerPipeline, TransformerPipeline)] = [
    (TransformerPipeline.roundCorners(5, borderWidth: 3), TransformerPipeline.roundCorners(5)),
    (.roundCorners(0), .roundCorners(5, corners: [])), (.pad(0, color: .white), .pad(0)),
    (.resize(width: 5, height: 0, mode: .fill), .resize(width: 5)),
    (.resize(width: 5, height: 0, mode: .fit), .resize(width: 5)),
    (.resize(width: 5, height: 9, gravity: .north), .resize(width: 5, height: 9)),
    (.resize(width: 5, height: 0, mode: .fill, gravity: .north), .resize(width: 5)),
    (.crop(width: 5, height: 9, gravity: .focalPoint(x: 0.5, y: 0.5)), .crop(width: 5, height: 9)),
    (.crop(width: 5, height: 9, gravity: .center.inset(x: .share(0), y: .share(-0))), .crop(width: 5, height: 9)),
    (.crop(ratioWidth: 32, ratioHeight: 18), .crop(ratioWidth: 16, ratioHeight: 9)),
    (.trim(color: .clear), .trim(color: PixelColor(red: 9, green: 9, blue: 9, alpha: 0))),
    (.rotate(degrees: 400), .rotate(degrees: 40)), (.rotate(degrees: 180, fit: false), .rotate(degrees: -180)),
    (
      .extend(ratioWidth: 2, ratioHeight: 1, color: PixelColor(red: 1, green: 2, blue: 3, alpha: 0)),
      .extend(ratioWidth: 4, ratioHeight: 2)
    ),
    (.duotone(shadows: .clear, highlights: .white), .duotone(shadows: .black, highlights: .white)),
    (
      .duotone(shadows: .white, highlights: .black, amount: 0), .duotone(shadows: .black, highlights: .white, amount: 0)
    ),
    (.sharpen(0, radius: 3), .sharpen(1, radius: 0)), (.tint(.white, mode: .clear), .tint(.black, mode: .clear)),
    (
      .resize(width: 5, height: 5, filter: .nearest, fidelity: .faithful),
      .resize(width: 5, height: 5, filter: .nearest)
    ),
  ]

  @Test(arguments: equals)
  func whatMakesNoDifferenceIsNotInTheKey(one: TransformerPipeline, other: TransformerPipeline) throws {
    let bitmap = try Bitmap.noise(30, 24, .rgba8)
    #expect(one.cacheKey == other.cacheKey)
    #expect(try one.run(bitmap) == other.run(bitmap))
  }

  static let nonsense: [TransformerPipeline] = [
    TransformerPipeline.blur(-1), .blur(.nan), .blur(.infinity), .roundCorners(-1), .roundCorners(.nan),
    .roundCorners(1, borderWidth: -1, borderColor: .white), .rotate(radians: .nan), .rotate(radians: .infinity),
    .resize(width: 0, height: 0), .resize(width: -3, height: 4), .crop(x: 0, y: 0, width: 0, height: 5),
    .crop(x: -5, y: 0, width: 5, height: 5), .crop(x: 100, y: 0, width: 5, height: 5), .pad(-1), .sharpen(-1),
    .crop(width: 0, height: 0), .crop(width: -1, height: 4), .crop(width: .share(0), height: .pixels(4)),
    .crop(width: .share(1.5), height: .pixels(4)), .crop(width: .share(.nan), height: .pixels(4)),
    .crop(width: 3, height: 4, gravity: .focalPoint(x: -0.1, y: 0)),
    .crop(width: 3, height: 4, gravity: .focalPoint(x: 0, y: 1.1)),
    .crop(width: 3, height: 4, gravity: .focalPoint(x: .nan, y: 0)),
    .crop(width: 3, height: 4, gravity: .focalPoint(x: 1e308, y: 0)),
    .crop(width: 3, height: 4, gravity: .north.inset(x: .share(1e308), y: .pixels(0))),
    .crop(width: 3, height: 4, gravity: .north.inset(x: .pixels(0), y: .share(.nan))),
    .resize(width: 3, height: 4, mode: .fill, gravity: .focalPoint(x: 2, y: 0)),
    .crop(shareX: -0.1, shareY: 0, shareWidth: 0.5, shareHeight: 0.5),
    .crop(shareX: 0, shareY: 1, shareWidth: 0.5, shareHeight: 0.5),
    .crop(shareX: 0.6, shareY: 0, shareWidth: 0.5, shareHeight: 0.5),
    .crop(shareX: 0, shareY: 0, shareWidth: 0, shareHeight: 0.5),
    .crop(shareX: 0, shareY: 0, shareWidth: 0.5, shareHeight: 1e308),
    .crop(shareX: .nan, shareY: 0, shareWidth: 0.5, shareHeight: 0.5),
    .crop(shareX: 0, shareY: 0, shareWidth: .nan, shareHeight: 0.5),
    .crop(ratioWidth: 0, ratioHeight: 0), .crop(ratioWidth: 0, ratioHeight: 1), .crop(ratioWidth: 1, ratioHeight: 0),
    .crop(ratioWidth: -16, ratioHeight: -9), .crop(ratioWidth: .nan, ratioHeight: 1),
    .crop(ratioWidth: 1e308, ratioHeight: 1e-308), .crop(ratioWidth: 1e-308, ratioHeight: 1e308),
    .crop(ratioWidth: 1, ratioHeight: 1, gravity: .focalPoint(x: 0, y: -1)),
    .extend(ratioWidth: 0, ratioHeight: 0), .extend(ratioWidth: -1, ratioHeight: 1),
    .extend(ratioWidth: .nan, ratioHeight: 1), .extend(ratioWidth: 1e308, ratioHeight: 1e-308),
    .extend(ratioWidth: 1, ratioHeight: 1, gravity: .focalPoint(x: 2, y: 0)),
    .trim(tolerance: -1), .trim(tolerance: 256), .trim(tolerance: .nan), .trim(tolerance: 1e308),
    .pixelate(0), .pixelate(-3), .duotone(shadows: .black, highlights: .white, amount: 1.1),
    .duotone(shadows: .black, highlights: .white, amount: -0.1),
    .duotone(shadows: .black, highlights: .white, amount: .nan),
    .grayscale(1.5), .sepia(-0.1), .brightness(-1), .contrast(.nan), .saturation(.infinity), .invert(2),
    .colorMatrix(
      Bitmap.ColorMatrix(rows: [[.nan, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]])),
  ]

  @Test(arguments: nonsense)
  func parametersWithoutSenseAreRefused(pipeline: TransformerPipeline) throws {
    let bitmap = try Bitmap.noise(30, 24, .rgba8)
    let error = #expect(throws: ImageError.self, "\(pipeline.cacheKey)") { try pipeline.run(bitmap) }
    #expect(error?.code == .transformFailed)
  }
}
