import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselManager

extension EncodeOptions.Setting<Int> {
  fileprivate static var speed: EncodeOptions.Setting<Int> { EncodeOptions.Setting("toy-speed") }
}

extension EncodeOptions.Setting<String> {
  fileprivate static var label: EncodeOptions.Setting<String> { EncodeOptions.Setting("label") }
}

/// The suffix that a recipe gives a key, and the way back.
struct EncodeRecipeTests {
  private let webp = ImageFormat.webp

  private func text(_ options: EncodeOptions, _ format: ImageFormat = .webp) throws -> String {
    try EncodingKey.text([(format, options)])
  }

  private func key(of recipe: EncodeRecipe) throws -> String {
    try EncodingKey.text(recipe.formats.map { ($0, recipe.formatOptions[$0] ?? recipe.options) })
  }

  @Test func defaultsAreLeftOutAndTheRestIsSpelledOut() throws {
    #expect(try text(EncodeOptions()) == "Encode(webp,80)")
    var usual = EncodeOptions()
    usual.defaultQuality = 0.755
    #expect(try text(usual) == "Encode(webp,75.5)")
    var options = EncodeOptions(
      quality: 1, lossless: true, maxPixelSize: PixelSize(width: 3, height: 4), maxFileBytes: 5,
      backgroundColor: PixelColor(red: 1, green: 2, blue: 3), firstFrameOnly: true, progressive: true,
      chromaSubsampling: .halfWidth, compressionLevel: 9, allowsPalette: true, keepsMetadata: true,
      keepsCopyright: true, keepsGainMap: false)
    options.settings[.speed] = 6
    options.settings[.label] = "a,b)"
    #expect(
      try text(options, .jpeg)
        == "Encode(jpeg,q100,lossless,max=5,within={3,4},background=#ff010203,first,progressive,chroma=422,level=9,"
        + "palette,metadata,copyright,nogainmap,label:a%2cb%29,toy-speed:6)")
    options.chromaSubsampling = .full
    #expect(try text(options).contains(",chroma=444,"))
  }

  @Test(arguments: [
    (EncodeOptions(quality: 0.8), "q80"), (EncodeOptions(lossless: false), "80,lossy"),
    (EncodeOptions(progressive: false), "80,baseline"), (EncodeOptions(chromaSubsampling: .quarter), "80,chroma=420"),
    (EncodeOptions(compressionLevel: 6), "80,level=6"),
  ])
  func aDefaultThatWasAskedForIsSpelledOutToo(_ options: EncodeOptions, _ expected: String) throws {
    let text = try text(options)
    #expect(text == "Encode(webp,\(expected))" && options != EncodeOptions())
    #expect(try EncodeRecipe(parsing: text).options == options)
  }

  /// A coder may choose another resolution by the picture, so the usual one is not the same as none.
  @Test func aResolutionOfColoursThatWasAskedForIsAlwaysSpelledOut() throws {
    let options = EncodeOptions(quality: 0.8, progressive: false, chromaSubsampling: .quarter)
    #expect(try EncodingKey.text([(.jpeg, options)], tellsAsked: false) == "Encode(jpeg,80,chroma=420)")
    #expect(try EncodingKey.text([(.jpeg, EncodeOptions())], tellsAsked: false) == "Encode(jpeg,80)")
  }

  @Test func aSettingWithoutATextIsLeftOut() throws {
    var options = EncodeOptions()
    options.settings[.label] = ""
    options.settings[.speed] = 6
    #expect(try text(options) == "Encode(webp,80,toy-speed:6)")
  }

  @Test func aValueThatIsSetComesBeforeTheDefault() {
    var options = EncodeOptions()
    options.defaultQuality = 0.3
    #expect(options.quality == 0.3)
    options.quality = 0.8
    options.defaultQuality = 0.2
    #expect(options.quality == 0.8 && !options.lossless && !options.progressive)
    #expect(options.chromaSubsampling == .quarter && options.compressionLevel == 6)
    #expect(EncodeOptions(quality: nil) == EncodeOptions())
  }

  @Test(arguments: ["image/svg+xml", "image/x-a", "video/mp4", "image/a/b", "image/", "x"])
  func everyFormatIsReadBack(_ type: String) throws {
    let format = ImageFormat(mimeType: type)
    let recipe = try EncodeRecipe(parsing: try text(EncodeOptions(), format))
    if type == "x" {
      // A type without a slash is none; it is taken for a kind of picture.
      #expect(recipe.formats == [ImageFormat(mimeType: "image/x")])
    } else {
      #expect(recipe.formats == [format])
    }
  }

  @Test func whatIsWrittenIsReadBack() throws {
    var random = SeededRandom(seed: 18)
    for _ in 0..<500 {
      let options = EncodeOptions.random(&random)
      let text = try text(options, .jpeg)
      let recipe = try EncodeRecipe(parsing: text)
      #expect(try key(of: recipe) == text)
      var expected = options
      expected.takeQuality(of: options) { EncodingKey.quality(ofPercent: EncodingKey.percent(of: $0)) }
      #expect(recipe.options == expected)
    }
  }

  @Test(arguments: [
    "", "Encode", "Encode(", "Encode()", "Encode(webp)", "Encode(,80)", "Encode(webp,high)", "Encode(webp,101)",
    "Encode(webp,-1)", "Encode(webp,nan)", "Encode(webp,80,)", "Encode(webp,80,max=)", "Encode(webp,80,max=x)",
    "Encode(webp,q)", "Encode(webp,q101)", "Encode(webp,qq80)", "Encode(q80)",
    "Encode(webp,80,within={3})", "Encode(webp,80,within={3,x})", "Encode(webp,80,background=#12345)",
    "Encode(webp,80,background=#gggggggg)", "Encode(webp,80,level=x)", "Encode(webp,80,what)", "Encode(webp,80,1a:2)",
    "Encode(original:)", "Encode(original:webp)", "Encode(original:webp,80;)", "Encode(original:webp,80;webp,70)",
    "Encode(smallest:)", "Encode(smallest:webp)", "Encode(smallest:webp,80;webp,70)",
    "Encode(webp,80;png,80)", "Encode(webp,80,a:%zz)", "Encode(webp,80,:2)", "Resize({1,1},0)", "Encode(webp,80) ",
  ])
  func whatIsNoRecipeIsRefusedWithTheText(_ text: String) {
    let error = #expect(throws: ImageError.self) { try EncodeRecipe(parsing: text) }
    #expect(error?.code == .encodeFailed)
    #expect(error?.message.contains("'\(text)'") == true)
  }

  @Test func severalFilesAreReadBack() throws {
    var random = SeededRandom(seed: 20)
    for _ in 0..<200 {
      let files: [(ImageFormat, EncodeOptions)] = [ImageFormat.jpeg, .png, .webp].map { ($0, .random(&random)) }
      let text = try EncodingKey.text(files)
      #expect(text.hasPrefix("Encode(original:jpeg,"))
      let recipe = try EncodeRecipe(parsing: text)
      #expect(recipe.keepsFormat && recipe.formats == [.jpeg, .png, .webp])
      #expect(try key(of: recipe) == text)
    }
  }

  @Test func spoiledTextsAreRefusedOrMeanOneThing() throws {
    var random = SeededRandom(seed: 7)
    let letters = Array("Encode(webp,80)lossless=max:{}%#,0123456789.-+e\u{0}é")
    for _ in 0..<3000 {
      var text = Array(try text(.random(&random), .webp))
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(letters.randomElement(using: &random)!, at: place)
        default: text[place] = letters.randomElement(using: &random)!
        }
      }
      guard let recipe = try? EncodeRecipe(parsing: String(text)) else { continue }
      let key = try key(of: recipe)
      let again = try EncodeRecipe(parsing: key)
      #expect(try self.key(of: again) == key, "\(String(text))")
    }
  }

  @Test func settingsAreTypedAndTheirOrderDoesNotMatter() {
    var first = EncodeOptions.Settings()
    #expect(first.isEmpty && first[.speed] == nil)
    first[.speed] = 6
    first[.label] = "x"
    var second = EncodeOptions.Settings()
    second[.label] = "y"
    second[.label] = "x"
    second[.speed] = 6
    #expect(first == second && first[.speed] == 6 && first[.label] == "x")
    second[.speed] = nil
    #expect(first != second && second[.speed] == nil)
    second["toy-speed"] = "fast"
    #expect(second[.speed] == nil)
  }

  // MARK: The form

  private func form(_ recipe: EncodeRecipe, _ coders: [any ImageCoder] = [ToyCoder()]) throws -> ResolvedRecipe {
    try ResolvedRecipe(recipe, coders: coders)
  }

  @Test func theFirstFormatThatACoderWritesIsChosen() throws {
    let recipe = EncodeRecipe(.webp, ToyImage.writtenFormat, ToyImage.format)
    #expect(try form(recipe).files.map(\.format) == [ToyImage.writtenFormat])
    #expect(try form(recipe).suffix == form(EncodeRecipe(ToyImage.writtenFormat)).suffix)
  }

  @Test func theFormatOfTheOriginalIsKeptIfItIsNamed() throws {
    var recipe = EncodeRecipe(.webp, ToyImage.writtenFormat, ToyImage.format, ToyImage.format)
    recipe.keepsFormat = true
    let form = try form(recipe)
    #expect(form.suffix.text == "Encode(original:x-easel-print,80;x-easel-toy,80)")
    func image(_ picture: ToyImage) throws -> Image {
      try ToyCoder().decode(picture.imageBytes, options: DecodeOptions(), work: WorkContext())
    }
    let still = try image(.small)
    let moving = try image(ToyImage(width: 8, height: 6, frameCount: 2))
    #expect(form.file(for: still).format == ToyImage.format)
    var strange = still
    strange.format = .gif
    #expect(form.file(for: strange).format == ToyImage.writtenFormat)
    strange.format = nil
    #expect(form.file(for: strange).format == ToyImage.writtenFormat)
    // Only one of the formats can move.
    strange = moving
    strange.format = .gif
    #expect(form.file(for: strange).format == ToyImage.format)
    #expect(form.optionsForFrames == .transformAnimated)
  }

  @Test func ofSeveralFilesTheSmallestCounts() throws {
    var recipe = EncodeRecipe(.webp, ToyImage.writtenFormat, ToyImage.format, ToyImage.format)
    recipe.takesSmallest = true
    let form = try form(recipe)
    let text = "Encode(smallest:x-easel-print,80;x-easel-toy,80)"
    #expect(form.takesSmallest && form.suffix.text == text && form.suffix(mayBeOriginal: false).text == text)
    let again = try EncodeRecipe(parsing: text)
    #expect(again.takesSmallest && !again.keepsFormat && again.formats == [ToyImage.writtenFormat, ToyImage.format])
    // The format of the original has no say, and only one of the formats can move.
    let moving = try ToyCoder().decode(
      ToyImage(width: 8, height: 6, frameCount: 2).imageBytes, options: DecodeOptions(), work: WorkContext())
    #expect(form.candidates(for: moving).map(\.format) == [ToyImage.format])
    #expect(form.candidates(for: moving.withoutFrames).map(\.format) == form.files.map(\.format))
    #expect(form.file(for: moving.withoutFrames).format == ToyImage.writtenFormat)
    recipe.formats = [.webp, ToyImage.format]
    #expect(
      try !self.form(recipe).takesSmallest
        && self.form(recipe).suffix == self.form(EncodeRecipe(ToyImage.format)).suffix)
  }

  @Test func theFormatOfTheOriginalIsNoChoiceIfOnlyOneIsWritten() throws {
    var recipe = EncodeRecipe(.webp, ToyImage.writtenFormat)
    recipe.keepsFormat = true
    #expect(try form(recipe).suffix == form(EncodeRecipe(ToyImage.writtenFormat)).suffix)
  }

  @Test func aFormatCanHaveOptionsOfItsOwn() throws {
    var recipe = EncodeRecipe(
      ToyImage.writtenFormat, ToyImage.format, options: EncodeOptions(quality: 0.5))
    recipe.keepsFormat = true
    recipe.formatOptions[ToyImage.format] = EncodeOptions(quality: 0.3)
    let form = try form(recipe)
    #expect(form.files.map(\.options.quality) == [0.5, 0.3])
    recipe.formatOptions[ToyImage.format] = EncodeOptions(quality: 7)
    #expect(throws: ImageError.self) { try self.form(recipe) }
  }

  @Test func qualitiesThatTheKeyCannotTellApartGiveTheSameBytes() throws {
    let near = try form(EncodeRecipe(ToyImage.format, quality: 0.700_001))
    #expect(near.suffix.text == "Encode(x-easel-toy,q70)" && near.files[0].options.quality == 0.7)
  }

  @Test(arguments: [
    (EncodeOptions(quality: .nan), "quality"), (EncodeOptions(quality: -0.1), "quality"),
    (EncodeOptions(quality: 1e308), "quality"), (EncodeOptions(quality: .infinity), "quality"),
    (EncodeOptions(maxFileBytes: 0), "bytes"), (EncodeOptions(maxFileBytes: -5), "bytes"),
    (EncodeOptions(maxPixelSize: PixelSize(width: 0, height: 0)), "0x0"),
    (EncodeOptions(maxPixelSize: PixelSize(width: 10, height: -1)), "10x-1"),
    (EncodeOptions(compressionLevel: 10), "level"), (EncodeOptions(compressionLevel: -1), "level"),
  ])
  func aValueWithoutMeaningIsRefused(_ options: EncodeOptions, _ word: String) {
    let error = #expect(throws: ImageError.self) { try form(EncodeRecipe(ToyImage.format, options: options)) }
    #expect(error?.code == .encodeFailed && error?.message.contains(word) == true)
  }

  @Test func aRecipeThatNobodyCanCarryOutSaysWhy() {
    #expect(throws: ImageError.self) { try form(EncodeRecipe(firstOf: [])) }
    let error = #expect(throws: ImageError.self) { try form(EncodeRecipe(.webp, .gif)) }
    #expect(error?.message.contains("image/webp, image/gif") == true)
  }

  @Test func aCoderFromTheContextComesFirst() throws {
    let (own, usual) = (ToyCoder(identifier: "own"), ToyCoder())
    #expect(try form(EncodeRecipe(ToyImage.format), [own, usual]).files[0].coder.identifier == "own")
  }
}

extension EncodeOptions {
  /// Random options whose values have a meaning.
  static func random(_ random: inout SeededRandom) -> EncodeOptions {
    var options = EncodeOptions(
      lossless: [nil, true, false].randomElement(using: &random)!, firstFrameOnly: .random(using: &random),
      progressive: [nil, true, false].randomElement(using: &random)!,
      chromaSubsampling: [nil, .full, .halfWidth, .quarter].randomElement(using: &random)!,
      compressionLevel: [nil, 0, 5, 6, 9].randomElement(using: &random)!, allowsPalette: .random(using: &random),
      keepsMetadata: .random(using: &random), keepsCopyright: .random(using: &random))
    let quality = Double.random(in: 0...1, using: &random)
    if Bool.random(using: &random) { options.quality = quality } else { options.defaultQuality = quality }
    if Bool.random(using: &random) { options.maxFileBytes = .random(in: 1 ... .max, using: &random) }
    if Bool.random(using: &random) {
      options.maxPixelSize = PixelSize(
        width: .random(in: 1...9999, using: &random), height: .random(in: 1...9999, using: &random))
    }
    if Bool.random(using: &random) {
      options.backgroundColor = PixelColor(
        red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
        blue: .random(in: 0...255, using: &random), alpha: .random(in: 0...255, using: &random))
    }
    if Bool.random(using: &random) { options.settings[.speed] = .random(in: -5...5, using: &random) }
    if Bool.random(using: &random) {
      let letters = Array("ab ,:;(){}%=-\"é\n\u{0}")
      options.settings[.label] = String((0..<5).map { _ in letters.randomElement(using: &random)! })
    }
    return options
  }
}
