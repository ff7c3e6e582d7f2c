import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselTIFF

/// What files state besides their pixels, and how their pictures are found.
struct FileTests {
  private typealias T = TIFFTesting
  private typealias Page = HandmadeTIFF.Page

  private func bytes(_ pages: Page...) -> ImageBytes {
    var file = HandmadeTIFF()
    file.pages = pages
    return ImageBytes(file.bytes)
  }

  // MARK: Signatures

  @Test func onlyItsOwnNumbersAreRecognised() {
    for start in ["II*\0", "MM\0*", "II+\0", "MM\0+"] {
      #expect(T.coder.canDecode(prefix: Array(start.utf8)))
      #expect(!T.coder.canDecode(prefix: Array(start.utf8.dropLast())))
    }
    for start in ["II\0*", "MM*\0", "IM*\0", "II,\0", "", "BM*\0"] {
      #expect(!T.coder.canDecode(prefix: Array(start.utf8)), "\(start)")
    }
  }

  @Test func rawsAreRefusedByName() throws {
    func text(_ text: String) -> [Int] { text.utf8.map { Int($0) } + [0] }
    var negative = Page.gray(4, 4)
    negative.tags = [(50_706, 1, [1, 4, 0, 0])]
    var sensor = Page.gray(4, 4)
    sensor.photometric = 32_803
    sensor.tags = [(271, 2, text("NIKON CORPORATION"))]
    var hidden = Page.gray(4, 4)
    hidden.children = [sensor]
    hidden.tags = [(271, 2, text("SONY"))]
    var arw = Page.gray(4, 4)
    arw.tags = [(259, 3, [32_767])]
    var linear = Page.gray(4, 4)
    linear.photometric = 34_892
    var canon = HandmadeTIFF(Page.gray(4, 4)).bytes
    canon.replaceSubrange(8..<10, with: Array("CR".utf8))
    let cases: [([UInt8], String)] = [
      (HandmadeTIFF(negative).bytes, "DNG"), (HandmadeTIFF(sensor).bytes, "NEF"), (HandmadeTIFF(hidden).bytes, "ARW"),
      (HandmadeTIFF(arw).bytes, "ARW"), (HandmadeTIFF(linear).bytes, "camera raw"), (canon, "CR2"),
      (Array("IIRO\u{8}\0\0\0\0\0\0\0\0\0\0\0".utf8), "ORF"), (Array("IIU\0\u{18}\0\0\0\0\0\0\0\0\0\0\0".utf8), "RW2"),
    ]
    for (file, name) in cases {
      #expect(T.coder.canDecode(prefix: Array(file.prefix(64))), "\(name)")
      for read in [{ _ = try T.decode($0) }, { _ = try T.probe($0) }] as [(ImageBytes) throws -> Void] {
        let error = #expect(throws: ImageError.self) { try read(ImageBytes(file)) }
        #expect(error?.code == .unsupportedFormat && error?.message.contains(name) == true, "\(name): \(error as Any)")
      }
    }
  }

  // MARK: Orientation and metadata

  @Test(arguments: ImageMetadata.Orientation.allCases) func theOrientationIsAppliedOnce(
    _ orientation: ImageMetadata.Orientation
  ) throws {
    let bitmap = try Bitmap.noise(5, 3, .opaqueRGBA8)
    var metadata = ImageMetadata(storedSize: bitmap.size, orientation: orientation)
    metadata.exif = EXIF(orientation: orientation).bytes
    metadata.xmp = Data(
      "<x xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation=\"\(orientation.rawValue)\"/>".utf8)
    let bytes = try T.encode(Image(bitmap, metadata: metadata)) { $0.keepsMetadata = true }
    #expect(try T.probe(bytes).orientation == orientation)
    let upright = try T.decode(bytes)
    #expect(try upright.bitmap == bitmap.oriented(orientation) && upright.metadata.orientation == .up)
    #expect(upright.metadata.xmp.map { XMP($0).orientation } == .up)
    let raw = try T.decode(bytes) { $0.appliesOrientation = false }
    #expect(raw.bitmap == bitmap && raw.metadata.orientation == orientation)
    #expect(raw.metadata.xmp.map { XMP($0).orientation } == orientation)
  }

  @Test func metadataAreCollected() throws {
    var page = Page.gray(4, 4)
    page.tags = [
      (271, 2, Array("Easel\0".utf8).map { Int($0) }), (282, 5, [300, 1]), (283, 5, [1500, 10]), (296, 3, [2]),
      (700, 1, Array("<x/>".utf8).map { Int($0) }), (274, 3, [6]),
    ]
    for isBigEndian in [false, true] {
      let file = HandmadeTIFF(page, isBigEndian: isBigEndian).bytes
      let image = try T.decode(ImageBytes(file)) { $0.appliesOrientation = false }
      #expect(image.metadata.density == ImageMetadata.Density(horizontal: 300, vertical: 150))
      #expect(image.metadata.xmp == Data("<x/>".utf8))
      let exif = try #require(image.metadata.exif.flatMap(EXIF.init))
      #expect(exif.orientation == .right && exif.density == image.metadata.density)
      #expect(exif.bytes.firstRange(of: Data("Easel\0".utf8)) != nil)
      let header = try T.probe(ImageBytes(file))
      #expect(header.exifBytes == exif.bytes.count && header.storedSize == PixelSize(width: 4, height: 4))
    }
    // An orientation alone is no EXIF.
    page.tags = [(274, 3, [6])]
    #expect(try T.decode(bytes(page)).metadata.exif == nil)
    page.tags = [(282, 5, [118, 1]), (283, 5, [118, 1]), (296, 3, [3])]
    #expect(
      try T.decode(bytes(page)).metadata.density == ImageMetadata.Density(horizontal: 118 * 2.54, vertical: 118 * 2.54))
  }

  @Test(arguments: [false, true]) func theProfileIsUsed(isGray: Bool) throws {
    let profile = isGray ? LinearProfile.gray : LinearProfile.colors
    let profileTag = (tag: 34_675, type: 7, values: profile.map { Int($0) })
    let page = Page.row([isGray ? [128] : [128, 128, 128]], photometric: isGray ? 1 : 2, tags: [profileTag])
    let image = try T.decode(bytes(page))
    #expect(image.bitmap.components(0, 0)[0] == 188 && image.metadata.iccProfile == nil)
    let raw = try T.decode(bytes(page)) { $0.convertsColor = false }
    #expect(raw.bitmap.components(0, 0)[0] == 128 && raw.metadata.iccProfile == profile)
    #expect(try T.probe(bytes(page)).iccProfileBytes == profile.count)
  }

  // MARK: Pages

  @Test func pagesAreFramesWithoutDuration() throws {
    let bytes = bytes(.gray(6, 4, 10), .gray(6, 4, 20), .gray(6, 4, 30))
    let image = try T.decode(bytes)
    let frames = try #require(image.frames)
    #expect(frames.count == 3 && frames.loopCount == 1 && frames.totalDuration == .zero)
    for index in [2, 0, 1, 1] {
      #expect(try frames.frame(at: index).components(0, 0)[0] == 10 * (index + 1))
    }
    #expect(try T.probe(bytes).frameCount == 3)
    #expect(throws: ImageError.self) { try frames.frame(at: 3) }
    let first = try T.decode(bytes) { $0.firstFrameOnly = true }
    #expect(first.frames == nil && first.bitmap == image.bitmap)
  }

  @Test func pagesOfOtherSizesStandInTheMiddle() throws {
    var turned = Page.gray(2, 8, 50)
    turned.tags = [(274, 3, [6])]
    let frames = try #require(try T.decode(bytes(.gray(6, 4, 10), .gray(2, 2, 20), .gray(12, 4, 30), turned)).frames)
    let small = try frames.frame(at: 1)
    #expect(small.size == PixelSize(width: 6, height: 4))
    #expect(small.components(2, 1) == [20, 20, 20, 255] && small.components(1, 1) == [0, 0, 0, 0])
    let wide = try frames.frame(at: 2)
    #expect(wide.components(0, 1) == [30, 30, 30, 255] && wide.components(0, 0)[3] == 0)
    let upright = try frames.frame(at: 3)
    #expect(upright.components(0, 1) == [50, 50, 50, 255] && upright.components(0, 3)[3] == 0)
  }

  @Test func pagesStandAsTheFirstEvenIfItIsNotTurned() throws {
    var turned = Page.gray(2, 8, 50)
    turned.tags = [(274, 3, [6])]
    func raw(_ first: Page, _ second: Page) throws -> (first: Bitmap, second: Bitmap) {
      let frames = try #require(try T.decode(bytes(first, second)) { $0.appliesOrientation = false }.frames)
      return (try frames.frame(at: 0), try frames.frame(at: 1))
    }
    // The second is 8 by 2 when it is set upright, and is made as wide as the first.
    let (first, second) = try raw(.gray(6, 4, 10), turned)
    #expect(first.size == PixelSize(width: 6, height: 4) && second.size == first.size)
    #expect(second.components(0, 1) == [50, 50, 50, 255] && second.components(0, 3)[3] == 0)
    // A page that stands upright is laid on its side if the first lies there; both must then be turned alike.
    let (lying, laid) = try raw(turned, .gray(8, 1, 30))
    #expect(lying.size == PixelSize(width: 2, height: 8) && laid.size == lying.size)
    let upright = try #require(try T.decode(bytes(turned, .gray(8, 1, 30))).frames).frame(at: 1)
    #expect(try laid.oriented(.right) == upright)
    #expect(upright.size == PixelSize(width: 8, height: 2) && upright.components(3, 0) == [30, 30, 30, 255])
  }

  @Test(arguments: [false, true]) func pagesAreMadeSmallerAsMuchAsTheFirst(isTurned: Bool) throws {
    var other = isTurned ? Page.gray(60, 80, 50) : .gray(80, 60, 50)
    if isTurned { other.tags = [(274, 3, [6])] }
    for appliesOrientation in [true, false] {
      let image = try T.decode(bytes(.gray(160, 120, 10), other)) {
        $0.thumbnailSize = PixelSize(width: 40, height: 40)
        $0.appliesOrientation = appliesOrientation
      }
      #expect(image.size == PixelSize(width: 40, height: 30))
      let page = try #require(image.frames).frame(at: 1)
      #expect(page.size == image.size)
      // The middle half of each side.
      #expect(page.components(10, 8) == [50, 50, 50, 255] && page.components(29, 21) == [50, 50, 50, 255])
      #expect(page.components(9, 15)[3] == 0 && page.components(30, 15)[3] == 0)
    }
  }

  @Test func masksAndSmallerVersionsAreNoPages() throws {
    var mask = Page.gray(6, 4)
    mask.tags = [(254, 4, [4])]
    var small = Page.gray(3, 2)
    small.tags = [(254, 4, [1])]
    #expect(try T.probe(bytes(.gray(6, 4), mask, small, .gray(6, 4))).frameCount == 2)
  }

  @Test func chainsThatLoopEnd() throws {
    let one = HandmadeTIFF(.gray(4, 4, 9), .gray(4, 4, 8))
    var file = one.bytes
    // The last directory refers to the first.
    let first = Int(file[4]) | Int(file[5]) << 8
    let second = try #require(TIFFFile(ImageBytes(file), limits: Limits()).pages.last).directory
    let link = second.offset + second.byteCount - 4
    file.replaceSubrange(link..<link + 4, with: one.number(first, 4))
    let image = try T.decode(ImageBytes(file))
    #expect(image.frames?.count == 2 && !image.traits.contains(.partial))
  }

  @Test func smallerVersionsMakeThumbnails() throws {
    // Another grey shows which one was used.
    var chained = Page.gray(30, 20, 90)
    chained.tags = [(254, 4, [1])]
    var narrow = Page.gray(30, 10, 1)
    narrow.tags = [(254, 4, [1])]
    var main = Page.gray(60, 40, 50)
    main.children = [.gray(15, 10, 120), .gray(40, 5, 2)]
    let file = bytes(main, chained, narrow)
    #expect(try T.probe(file).frameCount == 1)
    for (side, value) in [(60, 50), (31, 50), (30, 90), (16, 90), (15, 120), (3, 120)] {
      let image = try T.decode(file) { ($0.thumbnailSize, $0.fidelity) = (PixelSize(width: side, height: side), .fast) }
      #expect(image.bitmap.components(1, 1)[0] == value, "\(side)")
      #expect(image.metadata.storedSize == PixelSize(width: 60, height: 40))
    }
    // Light is averaged of a version that has several times the size.
    for (side, value) in [(7, 50), (6, 90), (4, 90), (3, 120)] {
      let image = try T.decode(file) { $0.thumbnailSize = PixelSize(width: side, height: side) }
      #expect(image.bitmap.components(1, 1)[0] == value, "\(side)")
    }
    // A mask is no version.
    for (kind, photometric) in [(5, 1), (4, 1), (1, 4)] {
      var masked = main
      masked.children[0].tags = [(254, 4, [kind])]
      masked.children[0].photometric = photometric
      let image = try T.decode(bytes(masked)) { $0.thumbnailSize = PixelSize(width: 9, height: 9) }
      #expect(image.bitmap.components(1, 1)[0] == 50, "\(kind) \(photometric)")
    }
    // A version that is damaged, or has alpha of its own, is passed over.
    var broken = main
    broken.children[0].tags = [(259, 3, [8])]
    let image = try T.decode(bytes(broken)) { $0.thumbnailSize = PixelSize(width: 9, height: 9) }
    #expect(image.bitmap.components(1, 1)[0] == 50)
  }

  // MARK: Sizes
}

extension HandmadeTIFF {
  init() { self.init(Page.gray(1, 1)) }
}
