import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselGIF

struct DecodingTests {
  private let coder = GIFCoder()

  private func frame(
    _ x: Int, _ y: Int, _ width: Int, _ height: Int, _ indices: [UInt8], disposal: Int = 0, delay: Int = 10,
    transparent: Int? = nil
  ) -> HandmadeGIF.Frame {
    HandmadeGIF.Frame(
      rect: PixelRect(x: x, y: y, width: width, height: height), indices: indices,
      control: (disposal, delay, transparent))
  }

  private func still(_ width: Int, _ height: Int, _ indices: [UInt8]) -> HandmadeGIF {
    HandmadeGIF(screen: PixelSize(width: width, height: height), frames: [frame(0, 0, width, height, indices)])
  }

  private func decode(_ file: HandmadeGIF, damaged: DamagePolicy = .whole) throws -> Image {
    var options = DecodeOptions()
    options.damaged = damaged
    return try coder.decode(ImageBytes(file.bytes), options: options, work: WorkContext())
  }

  private func header(_ file: HandmadeGIF) throws -> ImageHeader {
    try coder.probe(ImageBytes(file.bytes), work: WorkContext())
  }

  /// The indices of the visible colours; -1 for transparent pixels.
  private func seen(_ bitmap: Bitmap) -> [Int] {
    (0..<bitmap.height).flatMap { y in
      (0..<bitmap.width).map { x in
        let color = bitmap.components(x, y)
        return color[3] == 0 ? -1 : HandmadeGIF.colors.firstIndex { $0.map(Int.init) == Array(color[..<3]) } ?? -2
      }
    }
  }

  @Test func onlyTheWholeSignaturesAreRecognised() {
    #expect(coder.canDecode(prefix: Array("GIF87a..".utf8)))
    #expect(coder.canDecode(prefix: Array("GIF89a".utf8)))
    #expect(!coder.canDecode(prefix: Array("GIF89".utf8)))
    #expect(!coder.canDecode(prefix: Array("GIF88a".utf8)))
  }

  @Test func indicesBecomeColours() throws {
    let image = try decode(still(3, 2, [0, 1, 2, 3, 2, 1]))
    #expect(image.bitmap.format == .opaqueRGBA8)
    #expect(seen(image.bitmap) == [0, 1, 2, 3, 2, 1])
    #expect(image.traits == [] && image.frames == nil)
  }

  @Test(arguments: 1...12)
  func interlacedRowsComeToTheirPlaces(height: Int) throws {
    let order = stride(from: 0, to: height, by: 8).map { $0 } + stride(from: 4, to: height, by: 8).map { $0 }
    let rows = order + stride(from: 2, to: height, by: 4).map { $0 } + stride(from: 1, to: height, by: 2).map { $0 }
    var file = still(2, height, rows.flatMap { [UInt8($0 % 4), UInt8(($0 + 1) % 4)] })
    file.frames[0].isInterlaced = true
    #expect(try seen(decode(file).bitmap) == (0..<height).flatMap { [$0 % 4, ($0 + 1) % 4] })
  }

  @Test(arguments: 2...8)
  func codesMayBeginLongerThanTheTableNeeds(size: Int) throws {
    var file = still(3, 3, [0, 1, 2, 3, 2, 1, 0, 0, 1])
    file.frames[0].codeSize = size
    #expect(try seen(decode(file).bitmap) == [0, 1, 2, 3, 2, 1, 0, 0, 1])
  }

  @Test(arguments: [0, 12, 13, 255])
  func codesOfASizeThatDoesNotExistAreAnError(size: Int) throws {
    var bytes = still(1, 1, [1]).bytes
    let place = try #require(bytes.firstIndex(of: 0x2C)) + 10
    bytes[place] = UInt8(size)
    let error = #expect(throws: ImageError.self) {
      try coder.decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext())
    }
    #expect(error?.message == "GIF: the pixels contain an invalid code.")
  }

  @Test func aFrameHasItsOwnTableWhereItStatesOne() throws {
    var file = still(2, 1, [0, 1])
    file.frames[0].table = HandmadeGIF.colors[2] + HandmadeGIF.colors[3]
    #expect(try seen(decode(file).bitmap) == [2, 3])
  }

  @Test func transparentPixelsLetTheCanvasThrough() throws {
    var file = still(2, 1, [0, 1])
    file.frames[0].control = (0, 10, 1)
    #expect(try header(file).hasAlpha)
    #expect(try seen(decode(file).bitmap) == [0, -1])
  }

  @Test func whatLiesOutsideOfTheScreenIsCutOff() throws {
    var file = HandmadeGIF(screen: PixelSize(width: 2, height: 2))
    file.frames = [frame(1, 1, 3, 2, [1, 2, 3, 1, 2, 3], transparent: 0)]
    #expect(try seen(decode(file).bitmap) == [-1, -1, -1, 1])
    file.frames[0].rect.x = 9
    #expect(try seen(decode(file).bitmap) == [-1, -1, -1, -1])
  }

  @Test func whatNoFrameCoversIsTransparentOrHasTheFirstColour() throws {
    var file = HandmadeGIF(screen: PixelSize(width: 2, height: 1), frames: [frame(1, 0, 1, 1, [3])])
    #expect(try seen(decode(file).bitmap) == [0, 3])
    #expect(try decode(file).bitmap.format == .opaqueRGBA8)
    file.frames[0].control?.transparent = 1
    #expect(try seen(decode(file).bitmap) == [-1, 3])
  }

  @Test func aScreenWithoutASizeHasThatOfTheFirstFrame() throws {
    var file = HandmadeGIF(screen: PixelSize(width: 0, height: 0), frames: [frame(0, 0, 2, 2, [0, 1, 2, 3])])
    #expect(try seen(decode(file).bitmap) == [0, 1, 2, 3])
    file.screen = PixelSize(width: 3, height: 0)
    #expect(try header(file).storedSize == PixelSize(width: 3, height: 2))
  }

  @Test func framesAreTakenAwayAsTheyAsk() throws {
    var file = HandmadeGIF(screen: PixelSize(width: 3, height: 1), repeats: 0)
    file.frames = [
      frame(0, 0, 3, 1, [1, 1, 1], disposal: 1, transparent: 0),
      frame(0, 0, 2, 1, [2, 0], disposal: 3, transparent: 0),
      frame(2, 0, 1, 1, [3], disposal: 2, transparent: 0),
      frame(1, 0, 1, 1, [2], disposal: 0, transparent: 0),
    ]
    let expected = [[1, 1, 1], [2, 1, 1], [1, 1, 3], [1, 2, -1]]
    let frames = try #require(try decode(file).frames)
    for index in [0, 1, 2, 3, 1, 3, 0, 2] {
      #expect(try seen(frames.frame(at: index)) == expected[index], "frame \(index)")
    }
  }

  @Test func whatIsClearedWithoutATransparentColourHasThatOfTheBackground() throws {
    var file = HandmadeGIF(screen: PixelSize(width: 2, height: 1), background: 3)
    file.frames = [frame(0, 0, 2, 1, [1, 1], disposal: 2), frame(0, 0, 1, 1, [2])]
    let frames = try #require(try decode(file).frames)
    #expect(try seen(frames.frame(at: 1)) == [2, 3])
    #expect(try frames.frame(at: 1).format == .opaqueRGBA8)
  }

  @Test(arguments: [(nil, 1), (0, 0), (1, 2), (65_535, 65_536)] as [(Int?, Int)])
  func repeatsArePlaysLessOne(repeats: Int?, plays: Int) throws {
    var file = still(1, 1, [1])
    file.repeats = repeats
    file.frames.append(file.frames[0])
    #expect(try header(file).storedLoopCount == repeats)
    #expect(try header(file).loopCount == plays)
    #expect(try decode(file).frames?.loopCount == plays)
  }

  @Test func anotherNameForTheNumberOfRepeatsCounts() throws {
    var file = still(1, 1, [1])
    file.blocks = [HandmadeGIF.application("ANIMEXTS1.0", [1, 4, 0])]
    #expect(try header(file).storedLoopCount == 4)
    file.blocks = [HandmadeGIF.application("NETSCAPE2.0", [2, 4, 0, 0, 0])]
    #expect(try header(file).storedLoopCount == nil)
  }

  @Test func delaysAreKeptAsStoredAndPlayedAsViewersDo() throws {
    var file = still(1, 1, [1])
    file.frames = [0, 1, 2, 65_535].map { frame(0, 0, 1, 1, [1], delay: $0) }
    #expect(try header(file).storedDelays == [0, 10, 20, 655_350].map { Duration.milliseconds($0) })
    let frames = try #require(try decode(file).frames)
    #expect((0..<4).map(frames.duration) == [100, 100, 20, 655_350].map { Duration.milliseconds($0) })
  }

  @Test func tooManyFramesAndPixelsAreRefused() throws {
    var file = still(4, 4, Array(repeating: 1, count: 16))
    file.frames = Array(repeating: file.frames[0], count: 5)
    var limits = Limits()
    limits.frames = 4
    let bytes = ImageBytes(file.bytes)
    let error = #expect(throws: ImageError.self) { try coder.probe(bytes, work: WorkContext(limits: limits)) }
    #expect(error?.code == .limitExceeded)
    limits = Limits()
    limits.totalPixels = 79
    let work = WorkContext(limits: limits)
    #expect(throws: ImageError.self) { try coder.decode(bytes, options: DecodeOptions(), work: work) }
    #expect(try coder.probe(bytes, work: work).frameCount == 5)
    #expect(try coder.decode(bytes, options: DecodeOptions(firstFrameOnly: true), work: work).frames == nil)
    let small = DecodeOptions(thumbnailSize: PixelSize(width: 2, height: 2))
    #expect(try coder.decode(bytes, options: small, work: work).frames?.count == 5)
    file.screen = PixelSize(width: 65_535, height: 65_535)
    let large = #expect(throws: ImageError.self) { try header(file) }
    #expect(large?.message.hasPrefix("GIF: the screen descriptor claims 65535x65535, over the limit of") == true)
    // A frame may be larger than the screen.
    file.screen = PixelSize(width: 1, height: 1)
    file.frames[0].rect = PixelRect(x: 0, y: 0, width: 65_535, height: 65_535)
    #expect(throws: ImageError.self) { try header(file) }
  }

  @Test func missingPixelsAreAnErrorOrTransparent() throws {
    var file = still(2, 3, [1, 2, 3])
    let error = #expect(throws: ImageError.self) { try decode(file) }
    #expect(error?.message == "GIF: the pixels end before the last row.")
    let image = try decode(file, damaged: .show)
    #expect(image.traits == .partial)
    #expect(seen(image.bitmap) == [1, 2, 3, -1, -1, -1])
    file.frames[0].indices = []
    #expect(throws: ImageError.self) { try decode(file, damaged: .show) }
  }

  @Test func pixelsBehindTheLastDoNotMatter() throws {
    #expect(try seen(decode(still(2, 1, [1, 2, 3, 3, 3, 0, 1])).bitmap) == [1, 2])
  }

  @Test func aMissingTrailerIsNoted() throws {
    var file = still(2, 1, [1, 2])
    file.frames.append(file.frames[0])
    file.hasTrailer = false
    let error = #expect(throws: ImageError.self) { try decode(file, damaged: .refuse) }
    #expect(error?.message.contains("without its trailer") == true)
    for damaged in [DamagePolicy.whole, .show] {
      let image = try decode(file, damaged: damaged)
      #expect(image.traits == [] && image.frames?.count == 2)
      #expect(image.metadata.notes.count == 1 && image.metadata.notes[0].contains("without its trailer"))
    }
  }

  @Test func zerosInPlaceOfTheTrailerAreNoted() throws {
    var file = still(2, 1, [1, 2])
    file.hasTrailer = false
    for count in [1, 9, 100_000] {
      for end in [[], [0x3B]] as [[UInt8]] {
        let bytes = ImageBytes(file.bytes + [UInt8](repeating: 0, count: count) + end)
        #expect(throws: ImageError.self) {
          try coder.decode(bytes, options: DecodeOptions(damaged: .refuse), work: WorkContext())
        }
        let image = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
        #expect(seen(image.bitmap) == [1, 2] && image.traits == [] && image.metadata.notes.count == 1)
      }
    }
    // Behind them there was more.
    let more = ImageBytes(file.bytes + [0, 0, 0x21, 0xFE, 0, 0x3B])
    #expect(throws: ImageError.self) { try coder.decode(more, options: DecodeOptions(), work: WorkContext()) }
  }

  @Test func whatAnnouncesAnotherFrameMakesItAPart() throws {
    var file = still(2, 1, [1, 2])
    file.frames.append(file.frames[0])
    let bytes = file.bytes
    let second = try #require(bytes.lastIndex(of: 0x2C))
    for end in second - 8...second + 5 {
      let cut = ImageBytes(Array(bytes[..<end]))
      let image = try? coder.decode(cut, options: DecodeOptions(), work: WorkContext())
      let part = try coder.decode(cut, options: DecodeOptions(damaged: .show), work: WorkContext())
      // Nothing of the second frame has come.
      #expect((image != nil) == !part.traits.contains(.partial))
      if end > second { #expect(image == nil) }
    }
  }

  @Test func aFrameWithoutEndIsNotShownAmongOthers() throws {
    var file = still(2, 1, [1, 2])
    file.frames = [file.frames[0], file.frames[0], file.frames[0]]
    file.frames[2].isEnded = false
    file.hasTrailer = false
    let image = try decode(file, damaged: .show)
    #expect(image.frames?.count == 2)
  }

  @Test func aDamagedFrameIsAnErrorWhenItsTurnComes() throws {
    var file = still(2, 1, [1, 2])
    file.frames.append(frame(0, 0, 2, 1, [3]))
    let frames = try #require(try decode(file).frames)
    #expect(try seen(frames.frame(at: 0)) == [1, 2])
    let error = #expect(throws: ImageError.self) { try frames.frame(at: 1) }
    #expect(error?.message == "GIF: frame 1: the pixels end before the last row.")
    #expect(try seen(frames.frame(at: 0)) == [1, 2])
    let partial = try #require(try decode(file, damaged: .show).frames)
    #expect(try seen(partial.frame(at: 1)) == [3, 2])
    #expect(try seen(partial.frame(at: 0)) == [1, 2])
    #expect(try seen(partial.frame(at: 1)) == [3, 2])
  }

  @Test func anEmptyFrameIsDamage() throws {
    var file = still(2, 1, [1, 2])
    file.frames.append(frame(0, 0, 0, 1, []))
    let error = #expect(throws: ImageError.self) { try decode(file) }
    #expect(error?.message == "GIF: frame 2 claims 0x1, which has no pixels.")
  }

  @Test func aThumbnailHasItsExactSizeInEveryFrame() throws {
    var file = still(8, 4, Array(repeating: 1, count: 32))
    file.frames.append(frame(0, 0, 8, 4, Array(repeating: 2, count: 32)))
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 3, height: 3)
    let image = try coder.decode(ImageBytes(file.bytes), options: options, work: WorkContext())
    #expect(image.size == PixelSize(width: 3, height: 2))
    #expect(image.traits == .thumbnail)
    #expect(image.metadata.storedSize == PixelSize(width: 8, height: 4))
    #expect(try seen(#require(image.frames).frame(at: 1)) == Array(repeating: 2, count: 6))
  }

  @Test func rowsAndThenFramesAreShownWhileTheyCome() throws {
    var file = still(2, 40, (0..<80).map { UInt8($0 % 4) })
    file.frames.append(frame(0, 0, 2, 1, [3, 3]))
    file.frames.append(frame(0, 1, 2, 1, [2, 2]))
    let bytes = file.bytes
    let decoder = try #require(
      try coder.makeDecoder(prefix: Array(bytes.prefix(64)), options: DecodeOptions(), work: WorkContext()))
    var heights: [Int] = []
    var counts: [Int] = []
    for end in 1...bytes.count {
      try decoder.update(ImageBytes(Array(bytes[..<end])))
      guard let preview = try decoder.preview() else { continue }
      #expect(preview.traits == .partial)
      heights.append(seen(preview.bitmap).filter { $0 >= 0 }.count / 2)
      counts.append(preview.frames?.count ?? 1)
    }
    #expect(Set(heights).count > 20 && heights == heights.sorted())
    #expect(Array(Set(counts)).sorted() == [1, 2, 3] && counts == counts.sorted())
    let image = try decoder.finish(ImageBytes(bytes))
    #expect(try image.bitmap == decode(file).bitmap && image.frames?.count == 3 && image.traits == [])
  }
}
