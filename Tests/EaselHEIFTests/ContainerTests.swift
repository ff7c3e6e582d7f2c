import EaselCore
import EaselTestPixels
import Testing

@testable import EaselHEIF

/// Boxes that are cut, changed, or made to do harm.
struct ContainerTests {
  private typealias T = HEIFTesting
  private typealias B = HEIFBuilder

  private func code(_ bytes: [UInt8]) -> ImageError.Code? {
    #expect(throws: ImageError.self) { try T.decode(bytes) }?.code
  }

  private func full() -> HEIFBuilder {
    var builder = T.grid(100, 100)
    builder.add(.halves, as: 4, claiming: (64, 64), B.auxiliary(B.alphaName))
    builder.add("Exif", B.number(0, 4) + Array("MM\0*\0\0\0\u{8}\0\0".utf8), as: 5)
    builder.references += [("auxl", 4, [1]), ("thmb", 3, [1]), ("cdsc", 5, [1])]
    return builder
  }

  @Test func cutAtEveryByteItNeverPassesForWhole() throws {
    for bytes in [full().bytes, T.single().bytes] {
      let whole = try T.decode(bytes).bitmap
      for count in 0..<bytes.count {
        let cut = Array(bytes[..<count])
        #expect(throws: ImageError.self, "\(count)") { try T.decode(cut) { $0.damaged = .refuse } }
        // Only what no picture needs may be missing.
        let image = try? T.decode(cut)
        if let image { #expect(image.bitmap == whole, "\(count)") }
        #expect(try T.coder.metadataBytes(of: ImageBytes(cut), work: WorkContext()) == nil, "\(count)")
        guard let part = try? T.decode(cut, { $0.damaged = .show }) else { continue }
        #expect(part.traits.contains(.partial) || image != nil, "\(count)")
      }
    }
  }

  @Test func everyByteMayBeWrong() throws {
    for damaged in WrongBytes(of: full().bytes) {
      _ = try? T.decode(damaged, work: WorkContext(limits: Limits(framePixels: 1 << 16))) { $0.damaged = .show }
      _ = try? T.coder.metadataBytes(of: ImageBytes(damaged), work: WorkContext())
    }
  }

  // MARK: Sizes

  /// An encoder may fill its last blocks without saying so; what a coding lacks, no reader can show.
  @Test func ofACodingOfAnotherSizeTheTopLeftIsShown() throws {
    let whole = try T.decode(T.single().bytes).bitmap
    for (claimed, width, height) in [((63, 50), 63, 50), ((64, 65), 64, 64), ((640, 40), 64, 40)] {
      var builder = HEIFBuilder()
      builder.add(.quarters, as: 1, claiming: claimed, B.turn(1))
      let size = PixelSize(width: width, height: height)
      #expect(try T.probe(builder.bytes).storedSize == size)
      let part = try whole.cropped(to: PixelRect(x: 0, y: 0, width: width, height: height))
      #expect(try T.decode(builder.bytes).bitmap == part.oriented(.left))
      #expect(try T.decode(builder.bytes) { $0.thumbnailSize = PixelSize(width: 20, height: 20) }.size.width <= 20)
    }
  }

  @Test func cellsOfAnotherSizeThanTheyClaimAreRefused() throws {
    var builder = T.grid()
    builder.items[1].properties[1] = B.size(60, 64)
    let error = #expect(throws: ImageError.self) { try T.probe(builder.bytes) }
    #expect(error?.code == .badImageData && error?.message.contains("64x64") == true)
  }

  @Test func sizesAreCheckedBeforeAnythingIsDecoded() throws {
    for (size, expected) in [
      ((65_536, 10), ImageError.Code.limitExceeded), ((60_000, 60_000), .limitExceeded), ((0, 10), .badImageData),
      ((Int(UInt32.max), Int(UInt32.max)), .limitExceeded),
    ] {
      var builder = HEIFBuilder()
      builder.add(.quarters, as: 1, claiming: size)
      #expect(code(builder.bytes) == expected)
    }
  }

  @Test func limitsBind() throws {
    var builder = full()
    builder.items[1].properties.append(B.box("colr", Array("prof".utf8), Array(repeating: 0, count: 30)))
    for limits in [Limits(side: 99), Limits(framePixels: 9999), Limits(metadataBytes: 20)] {
      let error = #expect(throws: ImageError.self) { try T.decode(builder.bytes, work: WorkContext(limits: limits)) }
      #expect(error?.code == .limitExceeded && error?.message.hasPrefix("HEIF: ") == true)
    }
  }

  // MARK: Items

  @Test func chainsWithoutEndAreRefused() throws {
    var builder = T.single()
    for (item, source) in [(2, 3), (3, 2)] {
      builder.items.append(.init(number: item, kind: "iden", data: [], properties: [B.size(64, 64)]))
      builder.references.append(("dimg", item, [source]))
    }
    builder.primary = 2
    #expect(code(builder.bytes) == .badImageData)
    builder.references = [("dimg", 2, [2])]
    #expect(code(builder.bytes) == .badImageData)
  }

  @Test func aGridOfItselfIsRefused() throws {
    var builder = HEIFBuilder()
    builder.addGrid(1, 1, of: (64, 64), cells: [1], as: 1)
    #expect(code(builder.bytes) == .unsupportedFormat)
  }

  @Test func pictureItemsThatAreMissingOrUnknownAreNamed() throws {
    var builder = T.single()
    builder.primary = 7
    #expect(code(builder.bytes) == .badImageData)
    builder.primary = 1
    builder.items[0].kind = "jpeg"
    #expect(code(builder.bytes) == .unsupportedFormat)
    builder.items[0].kind = "hvc1"
    builder.items[0].properties.removeFirst()
    #expect(code(builder.bytes) == .badImageData)
    builder.items[0].properties = []
    #expect(code(builder.bytes) == .badImageData)
  }

  @Test func dataMayLieInManyPlaces() throws {
    var builder = T.single()
    builder.items[0].pieces = 5
    #expect(try T.decode(builder.bytes).bitmap == T.decode(T.single().bytes).bitmap)
    builder.items[0].isInside = true
    #expect(try T.decode(builder.bytes).bitmap == T.decode(T.single().bytes).bitmap)
    builder.items[0].data += [UInt8](repeating: 0, count: 2000)
    builder.items[0].pieces = 1025
    #expect(code(builder.bytes) == .limitExceeded)
  }

  @Test func aPropertyThatIsNeededMustBeKnown() throws {
    let unknown = B.box("warp", [1, 2, 3, 4])
    var builder = T.single()
    builder.items[0].optionalProperties = [unknown]
    #expect(try T.decode(builder.bytes).bitmap == T.decode(T.single().bytes).bitmap)
    builder.items[0].properties.append(unknown)
    #expect(code(builder.bytes) == .unsupportedFormat)
  }

  @Test func aCellMayNeedNothingUnknownEither() throws {
    var builder = T.grid()
    #expect(try T.decode(builder.bytes).size == PixelSize(width: 128, height: 128))
    let cell = builder.items.firstIndex { $0.kind == "hvc1" }!
    builder.items[cell].properties.append(B.box("warp", [1, 2, 3, 4]))
    #expect(code(builder.bytes) == .unsupportedFormat)
  }

  @Test func theBrandMayBeTheLastOfMany() throws {
    var builder = T.single()
    builder.brands = "mif1\0\0\0\0" + String(repeating: "miafMiHE", count: 25) + "heic"
    let bytes = ImageBytes(builder.bytes)
    #expect(try CoderRegistry([T.coder]).format(of: bytes) == .heic)
    #expect(try CoderRegistry([T.coder]).decode(bytes, options: DecodeOptions(), work: WorkContext()).size.width == 64)
  }

  /// The place of an item is that of the table of places itself.
  @Test func anItemOfBoxesHasNoPicture() throws {
    let bytes = T.single().bytes
    let table = try #require(bytes.firstRange(of: Array("iloc".utf8))).lowerBound
    var lying = bytes
    // Behind version, sizes, the count of items, and number, method, source and count of places of the first item.
    lying.replaceSubrange(table + 20..<table + 24, with: B.number(table, 4))
    #expect(lying != bytes && code(lying) == .badImageData)
  }

  @Test func manyItemsTakeNoLongerThanTheyAreMany() throws {
    var builder = T.single()
    for number in 2..<65_000 { builder.items.append(.init(number: number, kind: "hvc1", data: [], properties: [])) }
    for number in 2..<65_000 { builder.references.append(("thmb", number, [1])) }
    let bytes = builder.bytes
    #expect(try T.decode(bytes).size == PixelSize(width: 64, height: 64))
    #expect(try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: 9, height: 9) }.size.width == 9)
  }

  @Test func manyCellsOfOnePictureAreOneSet() throws {
    var builder = HEIFBuilder()
    builder.addGrid(200, 2, of: (12_800, 128), cells: Array(repeating: 2, count: 400), as: 1)
    builder.add(.orange, as: 2)
    let small = try T.decode(builder.bytes) { $0.thumbnailSize = PixelSize(width: 100, height: 100) }
    #expect(small.size == PixelSize(width: 100, height: 1))
    #expect(T.colors(of: small.bitmap, at: (50, 0)) == ["orange"])
  }

  // MARK: Coding

  @Test func parametersThatAreDamagedAreRefused() throws {
    let parameters = T.single().items[0].properties[0]
    for count in 8..<parameters.count {
      var builder = T.single()
      builder.items[0].properties[0] = B.number(count, 4) + parameters[4..<count]
      // The last bytes belong to parameters that the decoder misses.
      #expect(throws: ImageError.self, "\(count)") { try T.decode(builder.bytes) }
    }
  }

  @Test func aPictureThatRefersToOthersIsRefused() throws {
    var builder = T.single()
    // The slice is said to be one of a picture between others.
    let place = try #require(builder.items[0].data.indices.first { $0 == 4 })
    builder.items[0].data[place] = 1 << 1
    let error = #expect(throws: ImageError.self) { try T.decode(builder.bytes) }
    #expect(error?.code == .badImageData)
  }

  @Test func onlyTheFirstPictureOfAnItemIsDecoded() throws {
    var builder = T.single()
    builder.items[0].data += CodedPicture.orange.slices
    #expect(try T.decode(builder.bytes).bitmap == T.decode(T.single().bytes).bitmap)
  }

  @Test func nothingIsNoPicture() throws {
    for bytes in [[], [0], Array(T.single().bytes.prefix(16)), Array("<svg/>".utf8), B.box("meta", [0, 0, 0, 0])] {
      let error = #expect(throws: ImageError.self) { try T.decode(bytes) }
      #expect(error?.code == .badImageData && error?.message.hasPrefix("HEIF: ") == true)
    }
  }

  @Test func nothingIsWritten() throws {
    #expect(!((T.coder as any ImageCoder) is any EncodingCoder))
    let image = try T.decode(T.single().bytes)
    let error = #expect(throws: ImageError.self) {
      try CoderRegistry([T.coder]).encode(image, as: .heic, options: EncodeOptions(), work: WorkContext())
    }
    #expect(error?.code == .encodeFailed)
  }
}
