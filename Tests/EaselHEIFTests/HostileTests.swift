import EaselCore
import EaselTestPixels
import EaselTestTags
import Testing

@testable import EaselHEIF

/// Files that claim too much, refer to themselves, or come from newer phones.
struct HostileTests {
  private typealias T = HEIFTesting
  private typealias B = HEIFBuilder

  private func code(_ bytes: [UInt8]) -> ImageError.Code? {
    #expect(throws: ImageError.self) { try T.decode(bytes) }?.code
  }

  // MARK: Sizes

  @Test func sidesOfTwoToTheThirtyOneAreRefusedEverywhere() throws {
    for side in [1 << 31, 1 << 31 - 1, Int(UInt32.max)] {
      var builder = HEIFBuilder()
      builder.add(.quarters, as: 1, claiming: (side, side))
      #expect(code(builder.bytes) == .limitExceeded)
      #expect(code(T.grid(side, side).bytes) == .limitExceeded)
      var alpha = T.single()
      alpha.add(.halves, as: 2, claiming: (side, 1), B.auxiliary(B.alphaName))
      alpha.references.append(("auxl", 2, [1]))
      #expect(code(alpha.bytes) == .limitExceeded)
    }
  }

  /// Its 65,536 cells are one small picture each time.
  @Test func aGridOf256By256OfOneCellIsOverTheLimit() throws {
    var builder = HEIFBuilder()
    builder.addGrid(256, 256, of: (16_384, 16_384), cells: Array(repeating: 2, count: 65_535), as: 1)
    builder.add(.orange, as: 2)
    #expect(code(builder.bytes) == .limitExceeded)
    // Within the limits a list of 65,535 cells is one too short.
    let error = #expect(throws: ImageError.self) {
      try T.decode(builder.bytes, work: WorkContext(limits: Limits(framePixels: 1 << 30)))
    }
    #expect(error?.code == .badImageData && error?.message.contains("65535") == true)
  }

  @Test func ofManyCellsOnlyABandIsInMemoryAndCancellingStops() throws {
    var builder = HEIFBuilder()
    builder.addGrid(64, 64, of: (4096, 4096), cells: Array(repeating: 2, count: 4096), as: 1)
    builder.add(.orange, as: 2)
    let small = try T.decode(builder.bytes) { $0.thumbnailSize = PixelSize(width: 16, height: 16) }
    #expect(small.size == PixelSize(width: 16, height: 16))
    #expect(T.colors(of: small.bitmap, at: (0, 0), (15, 15)) == ["orange", "orange"])
  }

  /// Where both have half the resolution of colours, the last sample counts for one pixel.
  @Test(arguments: [(63, 64), (64, 63), (63, 63), (1, 1), (33, 17)])
  func sidesMayBeOdd(width: Int, height: Int) throws {
    var builder = HEIFBuilder()
    builder.addGrid(1, 1, of: (width, height), cells: [2], as: 1)
    builder.add(.quarters, as: 2)
    let (whole, part) = (try T.decode(T.single().bytes).bitmap, try T.decode(builder.bytes).bitmap)
    #expect(part.size == PixelSize(width: width, height: height))
    for y in 0..<max(1, height - 2) {
      for x in 0..<max(1, width - 2) where x < width - 2 && y < height - 2 {
        #expect(part.components(x, y) == whole.components(x, y))
      }
    }
    let cropped = try T.decode(T.single(.quarters, B.crop(width, 1, height, 1, 0, 1, 0, 1)).bytes)
    #expect(cropped.size == PixelSize(width: width, height: height))
  }

  @Test(arguments: [
    [-10, 1, 10, 1, 0, 1, 0, 1], [10, -1, 10, 1, 0, 1, 0, 1], [10, 0, 10, 1, 0, 1, 0, 1],
    [10, 1, 10, 1, -100, 1, 0, 1],
    [10, 1, 10, 1, 0, 0, 0, 1], [1 << 31, 1, 1 << 31, 1, 0, 1, 0, 1], [1, 1 << 31 - 1, 1, 1, 0, 1, 0, 1],
    [10, 1, 10, 1, 1 << 31 - 1, 1, 1 << 31, 1], [0, 1, 0, 1, 0, 1, 0, 1],
  ])
  func cropsThatMakeNoSenseAreIgnored(_ numbers: [Int]) throws {
    let crop = B.box("clap", numbers.flatMap { B.number($0, 4) })
    #expect(try T.decode(T.single(.quarters, crop).bytes).size == PixelSize(width: 64, height: 64))
    // Cut off, or in front of and behind another one.
    #expect(try T.decode(T.single(.quarters, B.box("clap", Array(crop[8..<30]))).bytes).size.width == 64)
    #expect(try T.decode(T.single(.quarters, crop, B.crop(8, 1, 8, 1, 0, 1, 0, 1), crop).bytes).size.width <= 64)
  }

  // MARK: Properties and items

  /// Boxes inside boxes lead nowhere.
  @Test func propertiesInPropertiesAreNotFollowed() throws {
    var nested = B.size(64, 64)
    for _ in 0..<5000 { nested = B.box("ipco", nested) }
    var builder = T.single()
    builder.items[0].optionalProperties = [nested]
    #expect(try T.decode(builder.bytes).size.width == 64)
  }

  @Test func numbersOfPropertiesThatDoNotExistAreIgnored() throws {
    let bytes = T.single().bytes
    let list = try #require(bytes.firstRange(of: Array("ipma".utf8))).lowerBound
    for index in [0, 3, 0x7FFF] {
      var changed = bytes
      // Behind version, count, item and number of properties: the second, which is the size.
      changed.replaceSubrange(list + 17..<list + 19, with: B.number(0x8000 | index, 2))
      #expect(changed != bytes && code(changed) == .badImageData)
    }
  }

  /// An item whose type follows its kind, of which the file has less and less.
  @Test func entriesOfItemsMayEndAnywhere() throws {
    var builder = T.single()
    builder.add("mime", Array("<x:xmpmeta/>".utf8), as: 2, contentType: "application/rdf+xml")
    let bytes = builder.bytes
    let place = try #require(bytes.firstRange(of: Array("mime".utf8))).lowerBound
    let start = place - 16
    #expect(Array(bytes[start + 4..<start + 8]) == Array("infe".utf8))
    for count in 8..<42 {
      var changed = bytes
      changed.replaceSubrange(start..<start + 4, with: B.number(count, 4))
      _ = try? T.decode(changed)
      _ = try? T.coder.metadataBytes(of: ImageBytes(changed), work: WorkContext())
    }
  }

  @Test func manyPropertiesCountOnce() throws {
    var builder = T.single()
    builder.items[0].properties += Array(repeating: B.turn(1), count: 253)
    #expect(try T.decode(builder.bytes).bitmap == T.decode(T.single(.quarters, B.turn(1)).bytes).bitmap)
  }

  @Test func sixtyFiveThousandItemsWithReferencesToAllAreRead() throws {
    var builder = T.single()
    let others = Array(2..<65_535)
    for number in others { builder.items.append(.init(number: number, kind: "hvc1", data: [], properties: [])) }
    builder.references = [("thmb", 1, others), ("auxl", 1, others), ("dimg", 1, others), ("cdsc", 1, others)]
    builder.references += others.prefix(2000).map { ("auxl", $0, [1]) }
    #expect(try T.decode(builder.bytes).size.width == 64)
  }

  /// Each item is all of the file again.
  @Test func itemsThatShareAllBytesTakeNoMore() throws {
    var builder = T.single()
    builder.items[0].data += [UInt8](repeating: 0, count: 4000)
    builder.items[0].pieces = 1000
    for number in 2..<500 {
      var copy = builder.items[0]
      copy.number = number
      copy.data = []
      builder.items.append(copy)
    }
    #expect(try T.decode(builder.bytes).size.width == 64)
  }

  // MARK: Newer phones

  /// Since iOS 18 one gain map belongs to several pictures, and an item of kind tmap to both.
  @Test func auxiliaryPicturesMayBeShared() throws {
    var builder = T.single()
    builder.add(.orange, as: 2)
    for (number, name) in [(3, "urn:com:apple:photo:2020:aux:hdrgainmap"), (4, "urn:mpeg:hevc:2015:auxid:2")] {
      builder.add(.halves, as: number, claiming: (64, 64), B.auxiliary(name))
      builder.references.append(("auxl", number, [1, 2, 5]))
    }
    builder.add("tmap", [0, 0, 0, 0, 0] + Array(repeating: 1, count: 56), as: 5)
    builder.references.append(("dimg", 5, [1, 3]))
    builder.brands = "heic\0\0\0\0mif1MiHBMiHEMiPrmiafheictmap"
    let image = try T.decode(builder.bytes)
    #expect(image.bitmap.format.alpha == .opaque && image.frames == nil)
    #expect(try image.bitmap == T.decode(T.single().bytes).bitmap)
    #expect(try !T.probe(builder.bytes).hasAlpha)
    // A tone-mapped picture alone is none that is read.
    builder.primary = 5
    #expect(code(builder.bytes) == .unsupportedFormat)
  }

  @Test func oneAlphaMayBelongToAGridAndItsCells() throws {
    var builder = T.grid(64, 128)
    builder.items[0].data[3] = 0
    builder.references[0].to = [2, 3]
    builder.add(.halves, as: 4, claiming: (64, 64), B.auxiliary(B.alphaName))
    builder.references.append(("auxl", 4, [1, 2, 3]))
    let image = try T.decode(builder.bytes)
    #expect(image.size == PixelSize(width: 64, height: 128) && image.bitmap.format.alpha != .opaque)
  }

  @Test(.tags(.alone)) func nothingIsPrinted() async throws {
    let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for sound in [HEIFTesting.single().bytes, HEIFTesting.grid().bytes] {
        for place in stride(from: 0, to: sound.count, by: 3) {
          var damaged = sound
          damaged[place] ^= 0x55
          _ = try? HEIFTesting.decode(damaged, work: WorkContext(limits: Limits(framePixels: 1 << 16)))
        }
      }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self) == "")
  }
}
