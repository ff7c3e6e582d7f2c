import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct GeometryTests {
  static let red = PixelColor(red: 255, green: 0, blue: 0)
  static let clear = [0, 0, 0, 0]

  static let sizes: [(TransformerPipeline, PixelSize, PixelSize)] = [
    (.resize(width: 320), PixelSize(width: 640, height: 427), PixelSize(width: 320, height: 214)),
    (.resize(height: 10), PixelSize(width: 1, height: 1), PixelSize(width: 10, height: 10)),
    (.resize(width: 10), PixelSize(width: 1000, height: 3), PixelSize(width: 10, height: 1)),
    (.resize(width: 7, height: 9), PixelSize(width: 1, height: 50), PixelSize(width: 7, height: 9)),
    (
      .resize(within: PixelSize(width: 20, height: 20)), PixelSize(width: 40, height: 10),
      PixelSize(width: 20, height: 5)
    ),
    (
      .resize(within: PixelSize(width: 400, height: 300)), PixelSize(width: 500, height: 345),
      PixelSize(width: 400, height: 276)
    ),
    (
      .resize(within: PixelSize(width: 20, height: 20)), PixelSize(width: 10, height: 20),
      PixelSize(width: 10, height: 20)
    ),
    (.resize(within: PixelSize(width: 20, height: 20)), PixelSize(width: 7, height: 5), PixelSize(width: 7, height: 5)),
    (
      .resize(within: PixelSize(width: 20, height: 20), enlarges: true), PixelSize(width: 7, height: 5),
      PixelSize(width: 20, height: 14)
    ),
    (
      .resize(within: PixelSize(width: 20, height: 7), enlarges: true), PixelSize(width: 40, height: 40),
      PixelSize(width: 7, height: 7)
    ),
    (
      .resize(within: PixelSize(width: 20, height: 20), enlarges: true), PixelSize(width: 100, height: 1),
      PixelSize(width: 20, height: 1)
    ),
    // A side of zero is free.
    (
      .resize(within: PixelSize(width: 20, height: 0)), PixelSize(width: 7, height: 50), PixelSize(width: 7, height: 50)
    ),
    (
      .resize(within: PixelSize(width: 20, height: 0)), PixelSize(width: 40, height: 50),
      PixelSize(width: 20, height: 25)
    ),
    (
      .resize(within: PixelSize(width: 0, height: 20), enlarges: true), PixelSize(width: 7, height: 5),
      PixelSize(width: 28, height: 20)
    ),
    (.rotate(degrees: 90), PixelSize(width: 3, height: 5), PixelSize(width: 5, height: 3)),
    (.rotate(degrees: 90, fit: false), PixelSize(width: 3, height: 5), PixelSize(width: 3, height: 5)),
    (.rotate(degrees: 30, fit: false), PixelSize(width: 3, height: 5), PixelSize(width: 3, height: 5)),
    (.rotate(degrees: 45), PixelSize(width: 100, height: 100), PixelSize(width: 142, height: 142)),
    (.rotate(degrees: 45), PixelSize(width: 1, height: 1), PixelSize(width: 2, height: 2)),
    (.crop(x: 2, y: 1, width: 100, height: 100), PixelSize(width: 5, height: 5), PixelSize(width: 3, height: 4)),
    (.pad(top: 1, left: 2, bottom: 3, right: 4), PixelSize(width: 5, height: 5), PixelSize(width: 11, height: 9)),
  ]

  @Test(arguments: sizes)
  func sizesAreExact(pipeline: TransformerPipeline, from: PixelSize, to: PixelSize) throws {
    #expect(try pipeline.run(Bitmap.noise(from.width, from.height, .rgba8)).size == to)
    #expect(try pipeline.run(Bitmap.noise(from.width, from.height, .gray8)).size == to)
  }

  @Test(arguments: [PixelFormat.opaqueRGBA8, .gray8, .rgba8, PixelFormat(.rgba16, alpha: .opaque)])
  func aspectFitCentresOnTransparentBars(format: PixelFormat) throws {
    let bitmap = try Bitmap(40, 20, .white, format)
    let fitted = try TransformerPipeline.resize(width: 21, height: 21, mode: .pad).run(bitmap)
    #expect(fitted.format.alpha == .straight)
    let top = format.layout == .rgba16 ? 65_535 : 255
    #expect(fitted.size == PixelSize(width: 21, height: 21))
    // The picture is 21 by 11 (10.5 rounded), with five rows above and below.
    #expect(fitted.components(0, 4) == Self.clear && fitted.components(20, 16) == Self.clear)
    #expect(fitted.components(0, 5) == [top, top, top, top] && fitted.components(20, 15) == [top, top, top, top])
  }

  @Test func aspectFitWithoutBarsStaysOpaque() throws {
    let fitted = try TransformerPipeline.resize(width: 20, height: 10, mode: .pad).run(
      Bitmap(40, 20, Self.red, .opaqueRGBA8))
    #expect(try fitted == Bitmap(20, 10, Self.red, .opaqueRGBA8))
  }

  @Test func aspectFillCutsBothSidesEqually() throws {
    let bitmap = try Bitmap(40, 10, .gray8) { x, _ in [x < 15 || x >= 25 ? 0 : 200] }
    let filled = try TransformerPipeline.resize(width: 5, height: 5, mode: .fill, filter: .box).run(bitmap)
    #expect(try filled == Bitmap(5, 5, .gray8) { _, _ in [200] })
  }

  @Test func fillStretches() throws {
    let bitmap = try Bitmap(2, 1, .gray8) { x, _ in [x * 200] }
    let filled = try TransformerPipeline.resize(width: 4, height: 3, filter: .nearest).run(bitmap)
    #expect(try filled == Bitmap(4, 3, .gray8) { x, _ in [x < 2 ? 0 : 200] })
  }

  @Test func aQuarterTurnWithoutFitIsCutInTheMiddle() throws {
    let bitmap = try Bitmap(5, 3, .opaqueRGBA8) { x, y in [x * 10, y * 10, 7, 255] }
    let turned = try TransformerPipeline.rotate(degrees: 90, fit: false).run(bitmap)
    #expect(turned.size == bitmap.size && turned.format.alpha == .straight)
    #expect(turned.components(0, 1) == Self.clear && turned.components(4, 1) == Self.clear)
    // The centre stays; the pixel to its right moves above it.
    #expect(turned.components(2, 1) == [20, 10, 7, 255] && turned.components(2, 0) == [30, 10, 7, 255])
    #expect(turned.components(1, 1) == [20, 0, 7, 255])
  }

  @Test(arguments: [PixelFormat.gray8, .rgba8, .opaqueRGBA8, .rgba16, PixelFormat(.rgba8, alpha: .premultiplied)])
  func fourQuartersAndTwoFlipsAreTheIdentity(format: PixelFormat) throws {
    for (width, height) in [(1, 1), (1, 6), (7, 1), (13, 8)] {
      let bitmap = try Bitmap.noise(width, height, format)
      let turn = TransformerPipeline.rotate(degrees: 90)
      #expect(try turn.then(turn).then(turn).then(turn).run(bitmap) == bitmap)
      let flip = TransformerPipeline.flip(horizontal: true, vertical: true)
      #expect(try flip.then(flip).run(bitmap) == bitmap)
      #expect(try flip.run(bitmap) == TransformerPipeline.rotate(degrees: 180).run(bitmap))
    }
  }

  @Test func anAngleLeavesTransparentCorners() throws {
    let turned = try TransformerPipeline.rotate(degrees: 45).run(Bitmap(50, 50, Self.red, .opaqueRGBA8))
    #expect(turned.components(0, 0) == Self.clear && turned.components(70, 70) == Self.clear)
    #expect(turned.components(35, 35) == [255, 0, 0, 255])
    #expect((1..<255).contains(turned.components(18, 18)[3]) || turned.components(17, 17)[3] < 255)
  }

  @Test func aPadHasItsColourAndThePictureItsOwnAlpha() throws {
    let hole = try Bitmap(2, 2, .rgba8) { _, _ in [9, 9, 9, 40] }
    let padded = try TransformerPipeline.pad(1, color: Self.red).run(hole)
    #expect(padded.components(0, 0) == [255, 0, 0, 255] && padded.components(1, 1) == [9, 9, 9, 40])
    let opaque = try Bitmap(2, 2, .white, .opaqueRGBA8)
    #expect(try TransformerPipeline.pad(1, color: Self.red).run(opaque).format.alpha == .opaque)
    #expect(try TransformerPipeline.pad(1).run(opaque).format.alpha == .straight)
    let grey = try Bitmap(2, 2, .white, .gray8)
    #expect(try TransformerPipeline.pad(1, color: .black).run(grey).format == .gray8)
    #expect(try TransformerPipeline.pad(1, color: Self.red).run(grey).components(0, 0) == [255, 0, 0, 255])
  }

  static let extensions: [(Double, Double, TransformerPipeline.Gravity, PixelSize, Int, Int)] = [
    (2, 1, .center, PixelSize(width: 12, height: 6), 4, 0), (2, 1, .west, PixelSize(width: 12, height: 6), 0, 0),
    (2, 1, .east.inset(x: 3, y: 1), PixelSize(width: 12, height: 6), 5, 0),
    (1, 3, .south, PixelSize(width: 4, height: 12), 0, 6), (4, 6, .south, PixelSize(width: 4, height: 6), 0, 0),
    (1, 3, .focalPoint(x: 0, y: 0.4), PixelSize(width: 4, height: 12), 0, 2),
  ]

  @Test(arguments: extensions)
  func anExtensionAddsBars(
    width: Double, height: Double, gravity: TransformerPipeline.Gravity, size: PixelSize, x: Int, y: Int
  ) throws {
    let pipeline = TransformerPipeline.extend(
      ratioWidth: width, ratioHeight: height, color: Self.red, gravity: gravity)
    for format in [PixelFormat.rgba8, .opaqueRGBA8, .rgba16, PixelFormat(.rgba8, alpha: .premultiplied)] {
      let bitmap = try Bitmap.noise(4, 6, format)
      let result = try pipeline.run(bitmap)
      #expect(result.size == size && result.format == format)
      #expect(try result.cropped(to: PixelRect(x: x, y: y, width: 4, height: 6)) == bitmap)
      let top = format.layout == .rgba16 ? 65_535 : 255
      if size.width > 4 && x > 0 { #expect(result.components(0, 0) == [top, 0, 0, top]) }
      if size.height > 6 && y > 0 { #expect(result.components(0, 0) == [top, 0, 0, top]) }
    }
  }

  @Test func aCropOutsideIsAnErrorThatNamesThePicture() throws {
    let error = #expect(throws: ImageError.self) {
      try TransformerPipeline.crop(x: 10, y: 0, width: 5, height: 5).run(Bitmap.noise(10, 10, .rgba8))
    }
    #expect(error?.code == .transformFailed && error?.message.contains("10x10") == true)
  }

  static let growing: [TransformerPipeline] = [
    .resize(width: 2000), .resize(width: 40, height: 40, mode: .pad), .pad(20), .rotate(degrees: 45),
    .resize(width: .max), .resize(width: .max, height: .max), .pad(.max), .rotate(degrees: 10),
    .extend(ratioWidth: 2, ratioHeight: 1), .extend(ratioWidth: 1e300, ratioHeight: 1),
    .extend(ratioWidth: 1, ratioHeight: 1e300),
  ]

  @Test(arguments: growing)
  func limitsBindWhatIsMade(pipeline: TransformerPipeline) throws {
    var limits = Limits()
    limits.framePixels = 30 * 30
    let error = #expect(throws: ImageError.self) {
      try pipeline.run(Bitmap.noise(30, 30, .rgba8), limits: limits)
    }
    #expect(error?.code == .limitExceeded)
  }

  /// Some of the other sides are beyond the largest `Int`, but not beyond the largest `UInt`.
  @Test(arguments: [
    (TransformerPipeline.resize(width: .max), 4, 5), (.resize(height: .max), 5, 4), (.resize(height: .max - 1), 7, 6),
    (.resize(within: PixelSize(width: 0, height: .max), enlarges: true), 9, 5),
    (.resize(within: PixelSize(width: .max, height: .max), enlarges: true), 5, 4),
    (.resize(width: .max, height: .max, mode: .pad), 5, 4), (.resize(height: .max / 3 * 2 + 1), 3, 2),
  ])
  func noSideOverflows(pipeline: TransformerPipeline, width: Int, height: Int) throws {
    let error = #expect(throws: ImageError.self) { try pipeline.run(Bitmap.noise(width, height, .rgba8)) }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.result") == true)
    _ = pipeline.plan(for: PixelSize(width: 5 * width, height: 5 * height))
  }

  @Test(arguments: growing, [Limits(resultSide: 31), Limits(resultPixels: 30 * 31)])
  func resultsHaveLimitsOfTheirOwn(pipeline: TransformerPipeline, limits: Limits) throws {
    let error = #expect(throws: ImageError.self, "\(pipeline.cacheKey)") {
      try pipeline.run(Bitmap.noise(30, 30, .rgba8), limits: limits)
    }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.result") == true)
  }

  static let keeping: [TransformerPipeline] = [
    .grayscale, .flip(horizontal: true), .rotate(degrees: 90), .rotate(degrees: 90, fit: false),
    .rotate(degrees: 20, fit: false), .blur(1), .roundCorners(3), .pad(0), .trim(),
    .crop(x: -1, y: 0, width: 900, height: 900), .resize(within: PixelSize(width: 30, height: 4)),
    .resize(width: 30), .resize(width: 20, height: 4), .extend(ratioWidth: 15, ratioHeight: 2),
    [.crop(width: 25, height: 4), .resize(width: 20)], [.rotate(degrees: 90), .crop(width: 4, height: 20)],
  ]

  @Test(arguments: keeping)
  func aPictureOverTheLimitsOfResultsIsNotRefusedForItsSize(pipeline: TransformerPipeline) throws {
    let bitmap = try Bitmap.noise(30, 4, .rgba8)
    for limits in [Limits(resultSide: 20), Limits(resultPixels: 80)] {
      _ = try pipeline.run(bitmap, limits: limits)
    }
  }

  @Test(arguments: [
    TransformerPipeline.crop(width: 25, height: 4), .resize(width: 25, height: 4), .resize(width: 40), .pad(top: 1),
    [.rotate(degrees: 90), .crop(width: 4, height: 25)],
    [.crop(width: 25, height: 4), .resize(within: PixelSize(width: 25, height: 25))],
    .trim(color: .white),
    .closure(key: "Cut()") { Image(try $0.bitmap.cropped(to: PixelRect(x: 0, y: 0, width: 25, height: 4))) },
  ])
  func aPictureOverTheLimitsOfResultsMayOnlyBecomeOneWithin(pipeline: TransformerPipeline) throws {
    let bitmap = try Bitmap.noise(30, 4, .rgba8).placed(
      at: PixelRect(x: 0, y: 0, width: 30, height: 4), on: PixelSize(width: 31, height: 4), background: .white)
    for limits in [Limits(resultSide: 20), Limits(resultPixels: 80)] {
      let error = #expect(throws: ImageError.self, "\(pipeline.cacheKey)") { try pipeline.run(bitmap, limits: limits) }
      #expect(error?.code == .limitExceeded && error?.message.contains("Limits.result") == true)
    }
  }

  @Test func aResizeInsideHasNoBars() throws {
    let fitted = try TransformerPipeline.resize(within: PixelSize(width: 21, height: 21), enlarges: true).run(
      Bitmap(40, 20, Self.red, .opaqueRGBA8))
    #expect(try fitted == Bitmap(21, 11, Self.red, .opaqueRGBA8))
    let small = try Bitmap.noise(7, 5, .rgba8)
    #expect(try TransformerPipeline.resize(within: PixelSize(width: 21, height: 21)).run(small) == small)
  }

  /// No transformer changes the picture's own properties.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func everyTransformerKeepsMetadataFormatScaleAndTraits(seed: UInt64) throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 400, height: 300), orientation: .right)
    metadata.exif = .init([1, 2, 3])
    metadata.xmp = .init([4, 5])
    metadata.iccProfile = .init([6])
    metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 150)
    var image = Image(try Bitmap.noise(40, 30, .rgba8), format: .png, metadata: metadata, traits: [.thumbnail])
    image.scaleFactor = 2
    var transformers = try TestTransformers(seed: seed)
    let others = transformers.all().filter { !$0.cacheKey.hasPrefix("Crop(") }
    for transformer in transformers.all() + [TransformerPipeline(others)] {
      let result = try transformer.transform(image, work: WorkContext())
      #expect(result.metadata == metadata && result.format == .png, "\(transformer.cacheKey)")
      #expect(result.scaleFactor == 2 && result.traits == [.thumbnail], "\(transformer.cacheKey)")
    }
  }
}
