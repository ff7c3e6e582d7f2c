import EaselCoding
import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJPEG

/// Gain maps of Ultra HDR pictures that the coder itself wrote.
struct GainMapTests {
  private let coder = JPEGCoder()
  private static let formula = GainMap.Formula(
    leastGain: SIMD3(repeating: -0.5), greatestGain: SIMD3(repeating: 2.5), alternateHeadroom: 2.5)

  private func image(_ size: (Int, Int) = (80, 60), map: Bitmap? = nil) throws -> Image {
    var image = Image(try Bitmap.waves(size.0, size.1).converted(to: .opaqueRGBA8))
    image.metadata.gainMap = GainMap(try map ?? Self.ramp(size.0 / 4, size.1 / 4), formula: Self.formula)
    return image
  }

  private static func ramp(_ width: Int, _ height: Int) throws -> Bitmap {
    try Bitmap(width, height, .gray8) { x, y in [x * 200 / width + y * 55 / height] }
  }

  private func written(_ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> ImageBytes {
    var options = EncodeOptions()
    change(&options)
    return try coder.encode(image, as: .jpeg, options: options, work: WorkContext())
  }

  private func read(_ bytes: ImageBytes, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
    try coder.decode(bytes, options: options, work: WorkContext())
  }

  /// The largest difference of two maps.
  private func difference(_ one: Bitmap?, _ other: Bitmap?) throws -> Int {
    let (one, other) = (try #require(one), try #require(other))
    guard one.size == other.size, one.format == other.format else { return .max }
    var most = 0
    for y in 0..<one.height {
      for x in 0..<one.width {
        for (a, b) in zip(one.components(x, y), other.components(x, y)) { most = max(most, abs(a - b)) }
      }
    }
    return most
  }

  @Test func aMapIsWrittenAndReadBack() throws {
    let image = try image()
    let bytes = try written(image)
    let again = try read(bytes)
    #expect(again.metadata.gainMap?.formula == Self.formula)
    #expect(again.metadata.gainMap?.bitmap.format == .gray8)
    #expect(try difference(again.metadata.gainMap?.bitmap, image.metadata.gainMap?.bitmap) <= 2)
    let header = try coder.probe(bytes, work: WorkContext())
    let map = try #require(header.gainMap)
    #expect(map.size == PixelSize(width: 20, height: 15) && map.formula == Self.formula)
    #expect(try Pictures.array(bytes).suffix(map.byteCount).starts(with: [0xFF, 0xD8, 0xFF]))
    #expect(header.notes.isEmpty && again.metadata.notes.isEmpty)
    #expect(again.memoryCost >= again.bitmap.memoryCost + 300)
  }

  @Test func aMapInColorsKeepsThem() throws {
    let map = try Bitmap(20, 15, .opaqueRGBA8) { x, y in [x * 12, y * 16, 255 - x * 12, 255] }
    let again = try read(written(image(map: map)))
    #expect(try difference(again.metadata.gainMap?.bitmap, map) <= 6)
  }

  @Test func theMapStaysWhenOtherMetadataGo() throws {
    var image = try image()
    image.metadata.exif = EXIF(orientation: .up).bytes
    let plain = try read(written(image))
    #expect(plain.metadata.exif == nil && plain.metadata.gainMap != nil)
    let none = try read(written(image) { $0.keepsGainMap = false })
    #expect(none.metadata.gainMap == nil && none.metadata.xmp == nil)
  }

  @Test func otherXMPIsKeptBesideTheMap() throws {
    var image = try image()
    image.metadata.xmp = Data("<x:xmpmeta><rdf:RDF><a dc:title='Seine'/></rdf:RDF></x:xmpmeta>".utf8)
    let once = try read(written(image) { $0.keepsMetadata = true })
    let twice = try read(written(once) { $0.keepsMetadata = true })
    #expect(twice.metadata.gainMap != nil)
    #expect(String(decoding: twice.metadata.xmp ?? Data(), as: UTF8.self).contains("dc:title='Seine'"))
    // A packet must not announce a map that is gone.
    var without = twice
    without.metadata.gainMap = nil
    let gone = try read(written(without) { $0.keepsMetadata = true })
    #expect(gone.metadata.gainMap == nil && gone.metadata.notes.isEmpty)
    #expect(String(decoding: gone.metadata.xmp ?? Data(), as: UTF8.self).contains("dc:title='Seine'"))
  }

  @Test func aPacketThatFillsTheSegmentGivesWay() throws {
    var image = try image()
    image.metadata.xmp = Data(repeating: 32, count: 65_400) + Data("</rdf:RDF>".utf8)
    #expect(try read(written(image) { $0.keepsMetadata = true }).metadata.gainMap != nil)
  }

  @Test func mapsThatCannotBeShownAreNotWritten() throws {
    var image = try image()
    image.metadata.gainMap?.formula.gamma = .zero
    #expect(try read(written(image)).metadata.gainMap == nil)
  }

  @Test func theMapCountsForTheSizeOfTheFile() throws {
    var image = Image(try Bitmap.waves(320, 240).converted(to: .opaqueRGBA8))
    image.metadata.gainMap = GainMap(try Bitmap.noise(80, 60, .gray8), formula: Self.formula)
    let whole = try written(image).count
    for limit in [whole * 3 / 4, whole / 2, 6000] {
      let bytes = try written(image) { $0.maxFileBytes = limit }
      #expect(bytes.count <= limit)
      let again = try read(bytes)
      let map = try #require(again.metadata.gainMap)
      #expect(abs(map.bitmap.width * 4 - again.size.width) <= 4)
    }
  }

  @Test func aSmallerPictureGetsASmallerMap() throws {
    let image = try image((160, 120))
    let again = try read(written(image) { $0.maxPixelSize = PixelSize(width: 80, height: 80) })
    #expect(again.size == PixelSize(width: 80, height: 60))
    let expected = try image.metadata.gainMap?.bitmap.resized(to: PixelSize(width: 20, height: 15))
    #expect(try difference(again.metadata.gainMap?.bitmap, expected) <= 2)
  }

  @Test func aThumbnailHasAMapOfItsRatio() throws {
    let bytes = try written(image((160, 120)))
    let options = DecodeOptions(thumbnailSize: PixelSize(width: 40, height: 40))
    let small = try read(bytes, options)
    #expect(small.size == PixelSize(width: 40, height: 30))
    #expect(small.metadata.gainMap?.bitmap.size == PixelSize(width: 10, height: 8))
  }

  @Test(arguments: [ImageMetadata.Orientation.up, .right])
  func aPictureForAResizeHasAMapThatSuffices(orientation: ImageMetadata.Orientation) throws {
    var image = try image((1600, 1200), map: Self.ramp(1600, 1200))
    image.metadata.orientation = orientation
    let bytes = try written(image)
    let whole = try read(bytes)
    var options = DecodeOptions()
    options.leastSize = whole.size.thumbnail(in: PixelSize(width: 200, height: 200))
    let small = try read(bytes, options)
    let map = try #require(small.metadata.gainMap)
    #expect(small.size.area < whole.size.area / 40 && map.bitmap.size.area == whole.size.area / 16)
    #expect(map.fullSize == whole.size && whole.metadata.gainMap?.fullSize == nil)
    let target = whole.size.thumbnail(in: PixelSize(width: 100, height: 100))
    #expect(try difference(map.bitmap.resized(to: target), whole.metadata.gainMap?.bitmap.resized(to: target)) <= 2)
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func theMapIsSetUprightWithThePicture(orientation: ImageMetadata.Orientation) throws {
    var image = try image()
    image.metadata.orientation = orientation
    let bytes = try written(image)
    let map = try #require(image.metadata.gainMap?.bitmap)
    #expect(try difference(read(bytes).metadata.gainMap?.bitmap, map.oriented(orientation)) <= 2)
    let raw = try read(bytes, DecodeOptions(appliesOrientation: false))
    #expect(try difference(raw.metadata.gainMap?.bitmap, map) <= 2)
    #expect(raw.metadata.orientation == orientation)
  }

  @Test(arguments: [1, 100, 5000]) func inPiecesTheMapIsTheSame(length: Int) throws {
    let bytes = try Pictures.array(written(image()))
    let decoder = try #require(
      try coder.makeDecoder(prefix: Array(bytes.prefix(64)), options: DecodeOptions(), work: WorkContext()))
    for end in stride(from: length, to: bytes.count, by: length) {
      try decoder.update(ImageBytes(Array(bytes[..<end])))
      #expect(try decoder.preview()?.metadata.gainMap == nil)
    }
    let whole = try read(ImageBytes(bytes))
    #expect(try decoder.finish(ImageBytes(bytes)).metadata == whole.metadata)
  }

  // MARK: Counting metadata

  @Test func theEncodersOwnMapIsNoMetadata() throws {
    let bytes = try written(image())
    #expect(try coder.metadataBytes(of: bytes, work: WorkContext()) == 0)
    let colored = try written(image(map: Bitmap.noise(20, 15, .opaqueRGBA8)))
    #expect(try coder.metadataBytes(of: colored, work: WorkContext()) == 0)
    #expect(try coder.metadataBytes(of: ImageBytes(Pictures.array(bytes) + [7]), work: WorkContext()) ?? 0 > 1000)
  }

  @Test func anythingElseInTheMapIsMetadata() throws {
    let bytes = try Pictures.array(written(image()))
    let parts = try split(ImageBytes(bytes))
    // Other text, in the packet of the picture and in that of the map; the lengths stay.
    for text in ["Primary", "GainMapMin"] {
      let place = try #require(
        (0..<bytes.count - 20).first { Array(bytes[$0..<$0 + text.utf8.count]) == Array(text.utf8) })
      var changed = bytes
      changed[place] = UInt8(ascii: "x")
      #expect(try coder.metadataBytes(of: ImageBytes(changed), work: WorkContext()) ?? 0 > 500, "\(text)")
    }
    // A comment in the map.
    let comment = parts.second.prefix(2) + [0xFF, 0xFE, 0, 4, 65, 66] + parts.second.dropFirst(2)
    let longer = JPEGMapWriter.joined(Data(parts.first), Data(comment))
    #expect(try coder.metadataBytes(of: ImageBytes(longer), work: WorkContext()) ?? 0 > 500)
    var image = try image()
    image.metadata.xmp = Data("<x:xmpmeta><rdf:RDF>secret</rdf:RDF></x:xmpmeta>".utf8)
    let kept = try written(image) { $0.keepsMetadata = true }
    #expect(try coder.metadataBytes(of: kept, work: WorkContext()) ?? 0 > 500)
  }

  // MARK: Bad maps

  /// Where the second picture begins.
  private func split(_ bytes: ImageBytes) throws -> (first: [UInt8], second: [UInt8]) {
    let count = try #require(try coder.probe(bytes, work: WorkContext()).gainMap?.byteCount)
    let all = try Pictures.array(bytes)
    return (Array(all.dropLast(count)), Array(all.suffix(count)))
  }

  private func expectIgnored(_ bytes: [UInt8], _ reason: String) throws {
    let bytes = ImageBytes(bytes)
    let image = try read(bytes)
    #expect(image.size == PixelSize(width: 80, height: 60) && image.metadata.gainMap == nil)
    let notes = image.metadata.notes
    #expect(notes.count == 1 && notes[0].contains(reason), "\(notes)")
    let header = try coder.probe(bytes, work: WorkContext())
    #expect(header.gainMap == nil || header.notes.isEmpty)
  }

  @Test func aMapThatIsNoJPEGIsIgnored() throws {
    let (first, second) = try split(written(image()))
    try expectIgnored(first + second.map { _ in 7 }, "no JPEG where it must be")
    try expectIgnored(first, "no JPEG where it must be")
    try expectIgnored(first + second.prefix(3), "no JPEG where it must be")
    try expectIgnored(first + [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: second.count - 3), "has no pixels")
  }

  @Test func aMapThatIsCutIsIgnored() throws {
    let (first, second) = try split(written(image()))
    var cut = second
    cut.replaceSubrange((second.count - 30)..., with: [UInt8](repeating: 0, count: 30))
    try expectIgnored(first + cut, "damaged")
  }

  @Test func aMapLargerThanThePictureIsIgnored() throws {
    let first = try split(written(image())).first
    let large = try split(written(image((800, 600)))).second
    try expectIgnored([UInt8](JPEGMapWriter.joined(Data(first), Data(large))), "200x150 are more than twice the 80x60")
    // Some writers make maps a little larger than the picture.
    let map = try #require(try read(written(image(map: Bitmap.noise(90, 20, .gray8)))).metadata.gainMap)
    #expect(map.bitmap.size == PixelSize(width: 90, height: 20))
  }

  @Test func numbersOutOfRangeAreIgnored() throws {
    let (first, second) = try split(written(image()))
    var text = second
    let gamma = Array("hdrgm:Gamma=\"1.0\"".utf8)
    let place = try #require((0..<text.count - gamma.count).first { Array(text[$0..<$0 + gamma.count]) == gamma })
    text.replaceSubrange(place..<place + gamma.count, with: Array("hdrgm:Gamma=\"0.0\"".utf8))
    // The block of the standard is read first, so the picture still has its map.
    #expect(try read(ImageBytes(first + text)).metadata.gainMap != nil)
    let name = Array("urn:iso:std:iso:ts:21496:-1".utf8)
    let block = try #require((0..<text.count - name.count).first { Array(text[$0..<$0 + name.count]) == name })
    text[block] = 0
    try expectIgnored(first + text, "numbers are missing or out of range")
  }

  @Test func anIndexWithAnyNumbersDoesNoHarm() throws {
    let bytes = try Pictures.array(written(image()))
    let marker = MultiPictureIndex.marker
    let start = try #require((0..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == marker }) + 4
    var random = SeededRandom(seed: 9)
    for round in 0..<150 {
      var changed = bytes
      for _ in 0...round % 4 {
        let place = start + Int.random(in: 0..<82, using: &random)
        changed[place] = [0, 255, 127, 128, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)!
      }
      // The directory in XMP still finds the map.
      #expect(try read(ImageBytes(changed)).metadata.gainMap != nil)
    }
  }

  @Test func anIndexIsReadInBothByteOrdersAndBounded() throws {
    let content = MultiPictureIndex.content(firstBytes: 100, secondBytes: 20, secondOffset: 95)
    #expect(MultiPictureIndex(content, at: 5)?.places == [100..<120])
    // The last number of an entry has no meaning here.
    for count in 0..<content.count - 4 {
      let places = MultiPictureIndex(Array(content.prefix(count)), at: 5)?.places ?? []
      #expect(places.isEmpty)
    }
    func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    var little: [UInt8] = [0x49, 0x49, 0x2A, 0] + word(8) + [1, 0, 2, 0xB0, 7, 0] + word(.max) + word(26) + word(0)
    little += [UInt8](repeating: 0, count: 16)
    for _ in 0..<20 { little += word(0) + word(.max) + word(.max) + word(0) }
    let places = try #require(MultiPictureIndex(little, at: 3)?.places)
    #expect(places.count == 7 && places[0].lowerBound == 3 + Int(UInt32.max))
  }

  @Test func aFileThatOnlyHasAnIndexIsNoUltraHDRPicture() throws {
    let plain = try Pictures.array(written(image()) { $0.keepsGainMap = false })
    let index = MultiPictureIndex.marker + MultiPictureIndex.content(firstBytes: 9, secondBytes: 9, secondOffset: 20)
    let bytes = plain.prefix(2) + [0xFF, 0xE2, 0, UInt8(index.count + 2)] + index + plain.dropFirst(2)
    let read = try read(ImageBytes(Array(bytes)))
    #expect(read.metadata.gainMap == nil && read.metadata.notes.isEmpty)
  }

  @Test func aCancelledDecodeIsNotTakenForABadMap() throws {
    let bytes = try written(image())
    #expect(throws: ImageError.self) {
      try coder.decode(bytes, options: DecodeOptions(), work: WorkContext(isCancelled: true))
    }
  }
}

@Suite(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct GainMapCorpusTests {
  private let coder = JPEGCoder()

  private func bytes(_ name: String) throws -> ImageBytes {
    try ImageBytes(contentsOfFile: #require(Corpus.otherFormats).directory + "/uhdr/gainmap/" + name)
  }

  @Test(arguments: [
    ("gainmap-js--03.jpg", 0.0), ("gainmap-js--08.jpg", 4), ("gainmap-js--pisa-4k.jpg", 3.13443),
    ("glide--small_gainmap_image.jpg", 2.3218), ("libavif--paris_exif_xmp_gainmap_bigendian.jpg", 3.5),
    ("libavif--paris_exif_xmp_gainmap_littleendian.jpg", 3.5), ("libavif--seine_sdr_different_gainmap_srgb.jpg", 1.3),
  ])
  func everyMapOfTheCorpusIsFoundAndWrittenAgain(name: String, headroom: Double) throws {
    let bytes = try bytes(name)
    let header = try coder.probe(bytes, work: WorkContext())
    let found = try #require(header.gainMap, "\(header.notes)")
    if headroom > 0 { #expect(abs(found.formula.alternateHeadroom - headroom) < 0.001) }
    let image = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
    let map = try #require(image.metadata.gainMap)
    let turned = header.orientation.swapsSides ? found.size.transposed : found.size
    #expect(map.bitmap.size == turned && map.formula == found.formula)
    let again = try coder.decode(
      coder.encode(image, as: .jpeg, options: EncodeOptions(), work: WorkContext()), options: DecodeOptions(),
      work: WorkContext())
    let kept = try #require(again.metadata.gainMap)
    #expect(kept.bitmap.size == map.bitmap.size)
    for channel in 0..<3 {
      #expect(abs(kept.formula.greatestGain[channel] - map.formula.greatestGain[channel]) < 1e-5)
      #expect(abs(kept.formula.gamma[channel] - map.formula.gamma[channel]) < 1e-5)
    }
  }

  /// The file has its numbers twice, by two writers.
  @Test func bothFormsOfTheNumbersAgree() throws {
    let all = try Pictures.array(bytes("glide--small_gainmap_image.jpg"))
    let count = try #require(coder.probe(ImageBytes(all), work: WorkContext()).gainMap?.byteCount)
    var scanner = JPEGScanner(limits: Limits())
    try scanner.advance(over: ImageBytes(Array(all.suffix(count))), isWhole: true, work: WorkContext())
    let block = try #require(scanner.file?.isoGainMap.flatMap { GainMap.Formula(iso21496: $0) })
    let packet = try #require(scanner.file?.metadata.xmp.flatMap { XMPGainMap($0.bytes)?.formula })
    #expect(abs(block.greatestGain.x - packet.greatestGain.x) < 1e-3)
    #expect(abs(block.alternateHeadroom - packet.alternateHeadroom) < 1e-3 && block.gamma == packet.gamma)
  }
}
