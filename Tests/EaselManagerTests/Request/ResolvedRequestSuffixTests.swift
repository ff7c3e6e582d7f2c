import EaselTestStudio
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

private enum Alpha: ImageContext.Key {
  static let name = "Alpha"
  static var impact: ImageContext.Impact<String> { .pixels { $0 } }
}

private enum AlphaBang: ImageContext.Key {
  static let name = "Alpha!"
  static var impact: ImageContext.Impact<String> { .pixels { $0 } }
}

private enum Zulu: ImageContext.Key {
  static let name = "Zulu"
  static var impact: ImageContext.Impact<String> { .pixels { $0 } }
}

/// The pixels that a request asks for.
struct ResolvedRequestSuffixTests {
  private func resolve(_ context: ImageContext = [], options: ImageOptions = []) throws -> ResolvedRequest {
    let request = ImageRequest("http://foo/a.png", options: options, context: context)
    return try #require(request.resolved(with: Stub.configuration(), by: Stub.Owner()))
  }

  private func suffixes(_ context: ImageContext = [], options: ImageOptions = []) throws -> [String] {
    try resolve(context, options: options).variantKey.suffixes.map(\.text)
  }

  @Test func everythingAtOnceStandsInThePromisedOrder() throws {
    var decode = DecodeOptions()
    decode.appliesOrientation = false
    decode.convertsColor = false
    decode.keeps16Bits = true
    decode.damaged = .show
    let context: ImageContext = [
      .setting(Zulu.self, "z"), .decodeOptions(decode), .coder(Stub.Coder(identifier: "mine")),
      .transformer([.custom(Stub.Named("Z(1)")), .custom(Stub.Named("A(1)"))]), .setting(Alpha.self, "a"),
      .scaleDownLimitBytes(1000), .thumbnailSize(PixelSize(width: 3, height: 4)), .preserveAspectRatio(false),
    ]
    #expect(
      try suffixes(context, options: [.scaleDownLarge, .transformAnimated]) == [
        "ScaleDown(1000)", "Thumbnail({3,4},0,1)", "Z(1)", "A(1)", "Alpha(a)", "Animated(1)", "Coder(mine)",
        "Color(raw)",
        "Depth(16)", "Orientation(raw)", "Partial(1)", "Zulu(z)",
      ])
  }

  @Test func theWishForHighRangeStandsInTheKey() throws {
    #expect(try suffixes([.keepsHighRange(true)]) == ["Range(high)"])
    let decode = DecodeOptions(keeps16Bits: true, keepsHighRange: true)
    #expect(try suffixes([.decodeOptions(decode)]) == ["Depth(16)", "Range(high)"])
  }

  /// Pictures that were cached before there was a choice keep their keys.
  @Test func theUsualTreatmentOfDamagedPicturesStandsInNoKey() throws {
    #expect(try suffixes([.damaged(.whole)]).isEmpty && suffixes([.decodeOptions(DecodeOptions())]).isEmpty)
    #expect(try suffixes([.damaged(.show)]) == ["Partial(1)"])
    #expect(try suffixes([.damaged(.refuse)]) == ["Damaged(refuse)"])
  }

  @Test func theManagersTreatmentOfDamagedPicturesComesLast() throws {
    var configuration = Stub.configuration()
    configuration.damaged = .show
    func texts(_ context: ImageContext) throws -> [String] {
      let request = ImageRequest("http://foo/a.png", context: context)
      let resolved = try #require(request.resolved(with: configuration, by: Stub.Owner()))
      return resolved.variantKey.suffixes.map(\.text)
    }
    #expect(try texts([]) == ["Partial(1)"])
    #expect(try texts([.damaged(.whole)]).isEmpty && texts([.decodeOptions(DecodeOptions())]).isEmpty)
    #expect(try texts([.decodeOptions(DecodeOptions()), .damaged(.show)]) == ["Partial(1)"])
  }

  @Test func theOrderInWhichTheContextWasFilledDoesNotCount() throws {
    let entries: [ImageContext.Entry] = [
      .setting(Zulu.self, "z"), .setting(Alpha.self, "a"), .thumbnailSize(PixelSize(width: 3, height: 4)),
      .coder(Stub.Coder(identifier: "mine")),
    ]
    func key(_ order: [Int]) throws -> CacheKey {
      var context = ImageContext()
      for index in order { context.merge([entries[index]]) }
      return try resolve(context).variantKey
    }
    #expect(try key([0, 1, 2, 3]) == key([3, 2, 1, 0]))
    #expect(try key([0, 1, 2, 3]) == key([1, 3, 0, 2]))
  }

  @Test func theRestIsSortedByNameAndNotByItsText() throws {
    #expect(try suffixes([.setting(AlphaBang.self, ""), .setting(Alpha.self, "x")]) == ["Alpha(x)", "Alpha!()"])
  }

  @Test func aThumbnailNamesItsFidelityUnlessItIsFast() throws {
    let box = PixelSize(width: 5, height: 6)
    for (fidelity, text) in [(Fidelity.fast, "1"), (.faithful, "1,1"), (.exact, "1,2")] {
      let options = DecodeOptions(fidelity: fidelity)
      #expect(try suffixes([.decodeOptions(options), .thumbnailSize(box)]) == ["Thumbnail({5,6},\(text))"])
      let plain = try resolve([.decodeOptions(options)])
      #expect(plain.variantKey.suffixes.isEmpty && plain.decodeOptions == DecodeOptions())
    }
  }

  @Test func aThumbnailWithAZeroSideIsThePlainPicture() throws {
    for box in [(0, 0), (0, 100), (100, 0), (-1, 100)] {
      let resolved = try resolve([.thumbnailSize(PixelSize(width: box.0, height: box.1))])
      #expect(resolved.variantKey == CacheKey(original: "http://foo/a.png"))
      #expect(resolved.decodeOptions.thumbnailSize == nil)
    }
    #expect(try suffixes([.preserveAspectRatio(false)]) == [])
  }

  @Test func aScaleDownLimitOfTheContextCountsAlsoAlone() throws {
    #expect(try suffixes([.scaleDownLimitBytes(1000)]) == ["ScaleDown(1000)"])
    #expect(try suffixes([.scaleDownLimitBytes(1000)], options: .scaleDownLarge) == ["ScaleDown(1000)"])
    #expect(try suffixes(options: .scaleDownLarge) == ["ScaleDown(67108864)"])
  }

  @Test func theScaleDownLimitOfDecodeOptionsIsKeptUnlessTheContextHasAnother() throws {
    var decode = DecodeOptions()
    decode.scaleDownLimitBytes = 500
    #expect(try suffixes([.decodeOptions(decode)]) == ["ScaleDown(500)"])
    #expect(try suffixes([.decodeOptions(decode)], options: .scaleDownLarge) == ["ScaleDown(500)"])
    #expect(try suffixes([.decodeOptions(decode), .scaleDownLimitBytes(70)]) == ["ScaleDown(70)"])
    #expect(try resolve([.decodeOptions(decode)]).decodeOptions.scaleDownLimitBytes == 500)
  }

  @Test func theKeysOfTheContextOverrideTheirPartsOfDecodeOptions() throws {
    var decode = DecodeOptions()
    decode.thumbnailSize = PixelSize(width: 1, height: 2)
    decode.preservesAspectRatio = false
    #expect(try suffixes([.decodeOptions(decode)]) == ["Thumbnail({1,2},0,1)"])
    let context: ImageContext = [
      .decodeOptions(decode), .thumbnailSize(PixelSize(width: 5, height: 6)), .preserveAspectRatio(true),
    ]
    #expect(try suffixes(context) == ["Thumbnail({5,6},1,1)"])
    #expect(try resolve(context).decodeOptions.thumbnailSize == PixelSize(width: 5, height: 6))
  }

  @Test func transformAnimatedIsInTheKeyOnlyWithATransformer() throws {
    #expect(try suffixes(options: .transformAnimated) == [])
    #expect(try suffixes([.transformer(.identity)], options: .transformAnimated) == [])
    #expect(
      try suffixes([.transformer([.custom(Stub.Named("T"))])], options: .transformAnimated) == ["T", "Animated(1)"])
  }

  @Test func theIdentitySwitchesTheManagersTransformerOff() throws {
    var configuration = Stub.configuration()
    configuration.transformer = [.custom(Stub.Named("M"))]
    func texts(_ context: ImageContext) -> [String]? {
      let request = ImageRequest("http://foo/a.png", context: context)
      return request.resolved(with: configuration, by: Stub.Owner())?.variantKey.suffixes.map(\.text)
    }
    #expect(texts([]) == ["M"])
    #expect(texts([.transformer(.identity)]) == [])
    #expect(texts([.transformer([.custom(Stub.Named("L"))])]) == ["L"], "never chained with the manager's")
  }

  @Test func aHintNamesTheCoderThatItDecides() throws {
    #expect(try suffixes([.typeHint(.png)]) == ["Coder(png)"])
    #expect(try suffixes([.typeHint(.webp)]) == [], "no coder is registered for it")
    let both = try resolve([.typeHint(.png), .coder(Stub.Coder(identifier: "mine"))])
    #expect(both.variantKey.suffixes.map(\.text) == ["Coder(mine)"])
    #expect(both.coder.identifier == "mine")
    var decode = DecodeOptions()
    decode.typeHint = .jpeg
    #expect(try suffixes([.decodeOptions(decode)]) == ["Coder(jpeg)"])
  }

  @Test func whoWroteASuffixIsPartOfIt() throws {
    let ofTransformer = try resolve([.transformer([.custom(Stub.Named("Alpha(a)"))])]).variantKey
    let ofKey = try resolve([.setting(Alpha.self, "a")]).variantKey
    #expect(ofTransformer.readable == ofKey.readable)
    #expect(ofTransformer != ofKey)
    #expect(ofTransformer.diskName != ofKey.diskName)
    let thumbnail = try resolve([.thumbnailSize(PixelSize(width: 3, height: 4))]).variantKey
    let fake = try resolve([.transformer([.custom(Stub.Named("Thumbnail({3,4},1,1)"))])]).variantKey
    #expect(thumbnail.readable == fake.readable && thumbnail != fake)
  }

  @Test func valuesThatLookAlikeButAreEncodedDifferentlyAreDifferentPixels() throws {
    let one = try resolve([.setting(Alpha.self, "caf\u{e9}")]).variantKey
    let other = try resolve([.setting(Alpha.self, "cafe\u{301}")]).variantKey
    #expect(one != other)
    #expect(one.diskName != other.diskName)
  }

  @Test func aTransformerWithoutANameIsStillAVariant() throws {
    let key = try resolve([.transformer([.custom(Stub.Named(""))])]).variantKey
    #expect(key.isVariant)
    #expect(key != CacheKey(original: "http://foo/a.png"))
  }
}
