import EaselCore
import EaselPNG
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselBasic

/// Files that are cut, changed or made to do harm: each gives the right picture or an error that helps.
struct HostileTests {
  /// A small file of each form, and the coder that reads it.
  struct Victim: Sendable, CustomTestStringConvertible {
    let name: String
    let coder: any MetadataCountingCoder
    let bytes: [UInt8]

    var testDescription: String { name }
  }

  private static let three = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]

  static let victims: [Victim] = {
    let runs: [UInt8] = [2, 1, 3, 2, 0, 0, 0, 5, 0, 1, 2, 1, 0, 0, 0, 2, 1, 0, 2, 2, 0, 1]
    let bmps: [(String, HandmadeBMP)] = [
      (
        "1 bit",
        HandmadeBMP(
          width: 9, height: 2, bits: 1, colorCount: 2, colors: Array(three.prefix(2)),
          pixels: [
            1, 2, 0, 0, 3, 4, 0, 0,
          ])
      ),
      (
        "runs of bytes",
        HandmadeBMP(
          width: 5, height: 3, bits: 8, compression: 1, colorCount: 3, colors: three, pixels: runs)
      ),
      (
        "runs of half bytes",
        HandmadeBMP(
          width: 5, height: 3, bits: 4, compression: 2, colorCount: 3, colors: three, pixels: runs)
      ),
      (
        "masks",
        HandmadeBMP(
          headerBytes: 108, width: 2, height: 2, bits: 16, compression: 3, masks: [0xF000, 0xF00, 0xF0, 0xF],
          pixels: [1, 2, 3, 4, 5, 6, 7, 8])
      ),
      (
        "a profile",
        HandmadeBMP(
          headerBytes: 124, width: 1, height: 1, bits: 24, pixels: [1, 2, 3, 0],
          profile: Array(linearProfile(isGray: false)))
      ),
    ]
    var victims = bmps.map { Victim(name: "BMP, \($0.0)", coder: BMPCoder(), bytes: $0.1.bytes) }
    let noise = try! Bitmap.noise(7, 5, .rgba8)
    let png = try! PNGCoder().encode(Image(noise), as: .png, options: EncodeOptions(), work: WorkContext())
    let icon = HandmadeICO(.plain(3, blue: 9), .init(7, 5, try! png.withUnsafeBytes(Array.init)))
    victims.append(Victim(name: "ICO", coder: ICOCoder(), bytes: icon.bytes))
    for text in [
      "P1\n3 2\n1 0 1 # c\n0 1 0\n", "P2\n2 2\n99\n1 22 3\n4\n", "P3 1 1 255 1 2 3 ", "P4\n9 2\nabcd",
      "P6\n#c\n2 1\n255\nabcdef", "P5\n2 2\n65535\nabcdefgh",
      "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcdefgh",
    ] { victims.append(Victim(name: "PNM, P\(text.dropFirst().first!)", coder: PNMCoder(), bytes: Array(text.utf8))) }
    victims.append(Victim(name: "QOI", coder: QOICoder(), bytes: try! written(Image(noise), by: QOICoder())))
    return victims
  }()

  @Test(arguments: victims)
  func cutAtEveryByteNothingPassesForWhole(_ victim: Victim) throws {
    let whole = try read(victim.bytes, by: victim.coder)
    for count in 0..<victim.bytes.count {
      let cut = Array(victim.bytes[..<count])
      for damaged in DamagePolicy.allCases {
        do {
          let part = try read(cut, by: victim.coder, DecodeOptions(damaged: damaged))
          // A mark of the end may be missing, or blanks. Of an icon another picture may be whole.
          let isWhole = part.bitmap == whole.bitmap
          #expect(isWhole || part.traits.contains(.partial) || endsInNumber(victim, count), "\(count)")
        } catch {
          let error = try #require(error as? ImageError)
          #expect(error.code == .badImageData, "\(count): \(error)")
          #expect(error.message.contains(": ") && error.message.hasSuffix("."), "\(count): \(error)")
        }
      }
    }
  }

  /// Plain numbers are shorter when they are cut, and their file may still be whole.
  private func endsInNumber(_ victim: Victim, _ count: Int) -> Bool {
    victim.bytes[1] == UInt8(ascii: "2") && count > 0
      && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(
        victim.bytes[count - 1])
  }

  @Test(arguments: victims)
  func everyByteMayBeWrong(_ victim: Victim) throws {
    let limits = Limits(framePixels: 1 << 16, metadataBytes: 1 << 16)
    for damaged in WrongBytes(of: victim.bytes) {
      for options in [
        DecodeOptions(damaged: .show), DecodeOptions(thumbnailSize: PixelSize(width: 2, height: 2)),
      ] {
        guard let image = try? read(damaged, by: victim.coder, options, limits: limits) else { continue }
        #expect(image.size.area <= 1 << 16)
      }
      let count = try? victim.coder.metadataBytes(of: ImageBytes(damaged), work: WorkContext(limits: limits))
      #expect(count.flatMap { $0 }.map { (0...damaged.count).contains($0) } != false)
    }
  }

  @Test(arguments: victims)
  func whateverFollowsTheHeaderIsNoReasonToCrash(_ victim: Victim) {
    var random = SeededRandom(seed: 24)
    let limits = Limits(framePixels: 1 << 16)
    for _ in 0..<300 {
      let start = Int.random(in: 2...victim.bytes.count, using: &random)
      let noise = (0..<Int.random(in: 0...400, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let bytes = victim.bytes[..<start] + noise
      _ = try? read(Array(bytes), by: victim.coder, DecodeOptions(damaged: .show), limits: limits)
    }
  }

  @Test(.tags(.alone)) func nothingIsPrinted() async throws {
    let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for (turn, victim) in HostileTests.victims.enumerated() {
        for place in PlacesInTurn(upTo: victim.bytes.count, turn: turn) {
          var damaged = victim.bytes
          damaged[place] ^= 0x55
          _ = try? read(damaged, by: victim.coder, limits: Limits(framePixels: 1 << 16))
        }
      }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self) == "")
  }

  // MARK: BMP

  @Test func countsOfColoursMayLie() throws {
    for count in [4, 300, Int(UInt32.max)] {
      let file = HandmadeBMP(width: 3, height: 1, bits: 8, colorCount: count, colors: Self.three, pixels: [0, 1, 2, 0])
      // The table ends where the pixels begin.
      let image = try read(file.bytes, by: BMPCoder())
      #expect(image.bitmap.pixel(x: 2, y: 0) == PixelColor(red: 0, green: 0, blue: 255), "\(count)")
    }
  }

  @Test func profilesOutsideTheFileAreDamage() throws {
    let sound = HandmadeBMP(
      headerBytes: 124, width: 1, height: 1, bits: 24, pixels: [1, 2, 3, 0],
      profile: Array(linearProfile(isGray: false))
    ).bytes
    for (offset, count) in [(0, 8), (124, 1 << 31), (Int(UInt32.max), Int(UInt32.max)), (Int(UInt32.max), 8)] {
      var file = sound
      var place: [UInt8] = []
      place.appendLittle32(offset)
      place.appendLittle32(count)
      file.replaceSubrange(126..<134, with: place)
      let error = failure(file, by: BMPCoder())
      // A profile that begins within the header is none.
      let expected: ImageError.Code? = offset == 0 ? nil : count > 1 << 24 ? .limitExceeded : .badImageData
      #expect(error?.code == expected, "\(offset), \(count): \(error as Any)")
    }
  }

  @Test func movesAndRunsFarOutsideAreNoHarm() throws {
    let moves = (0..<2000).flatMap { _ in [0, 2, 255, 255] as [UInt8] }
    let file = HandmadeBMP(
      width: 7, height: 3, bits: 8, compression: 1, colorCount: 3, colors: Self.three,
      pixels: [0, 2, 255, 0, 255, 2] + moves)
    #expect(try read(file.bytes, by: BMPCoder()).size == PixelSize(width: 7, height: 3))
    // From the top no run is stored, but a file that does so has an obvious meaning.
    var topDown = file
    topDown.height = Int(Int32.min)
    #expect(failure(topDown.bytes, by: BMPCoder())?.code == .limitExceeded)
  }

  // MARK: ICO

  private func entry(_ offset: Int, _ count: Int) -> [UInt8] {
    var bytes: [UInt8] = [16, 16, 0, 0, 1, 0, 32, 0]
    bytes.appendLittle32(count)
    bytes.appendLittle32(offset)
    return bytes
  }

  private func directory(_ entries: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in [0, 1, entries.count] { bytes.appendLittle16(value) }
    return bytes + entries.joined()
  }

  @Test func entriesMayPointIntoOneAnotherAndAtThemselves() throws {
    let picture = HandmadeICO.Part.plain(4, blue: 7).bytes
    let start = 6 + 3 * 16
    let cases: [[(Int, Int)]] = [
      [(start, picture.count), (start, picture.count), (start + 1, picture.count)],
      [(start, 1 << 31), (0, 40), (6, 48)], [(start, picture.count), (Int(UInt32.max), 1), (start - 16, 300)],
    ]
    for entries in cases {
      let file = directory(entries.map { entry($0.0, $0.1) }) + picture
      let image = try? read(file, by: ICOCoder(), DecodeOptions(damaged: .show))
      #expect(image?.size == PixelSize(width: 4, height: 4))
      #expect(image?.bitmap.pixel(x: 1, y: 1)?.blue == 7)
      #expect(try MetadataCount.of(file, by: ICOCoder()) == nil)
    }
  }

  @Test func aPNGThatIsABombIsRefused() throws {
    let small = try PNGCoder().encode(
      Image(Bitmap.noise(9, 9, .rgba8)), as: .png, options: EncodeOptions(), work: WorkContext())
    var png = try small.withUnsafeBytes(Array.init)
    // Its header claims 30,000 x 30,000 pixels, in an entry for 16 x 16.
    png.replaceSubrange(16..<24, with: [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30])
    let file = directory([entry(22, png.count)]) + png
    for read in [
      { _ = try ICOCoder().decode($0, options: DecodeOptions(), work: WorkContext()) },
      { _ = try ICOCoder().probe($0, work: WorkContext()) },
    ] as [(ImageBytes) throws -> Void] {
      let error = #expect(throws: ImageError.self) { try read(ImageBytes(file)) }
      #expect(error?.code == .limitExceeded && error?.message.hasPrefix("ICO: ") == true, "\(error as Any)")
    }
  }

  @Test func whatIsNoPictureInAnIconIsNamed() {
    let inner = HandmadeICO(.plain(4, blue: 1)).bytes
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 200)
    for other in [inner, jpeg, [UInt8](repeating: 0, count: 200), [UInt8](repeating: 255, count: 200)] {
      let error = failure(directory([entry(22, other.count)]) + other, by: ICOCoder())
      #expect(error?.code == .badImageData)
      #expect(error?.message == "ICO: none of its 1 pictures is a bitmap or a PNG.")
    }
  }

  @Test func thousandsOfEntriesAreRefusedOrReadInTime() throws {
    let picture = HandmadeICO.Part.plain(4, blue: 7).bytes
    let count = 4000
    let file = directory(Array(repeating: entry(6 + 16 * count, picture.count), count: count)) + picture
    #expect(try read(file, by: ICOCoder()).size == PixelSize(width: 4, height: 4))
    var limits = Limits()
    limits.blocks = count - 1
    #expect(failure(file, by: ICOCoder(), limits: limits)?.code == .limitExceeded)
  }

  // MARK: PNM

  @Test func commentsAndNumbersWithoutEndAreErrors() throws {
    let long = String(repeating: "x", count: 3 << 20)
    var limits = Limits()
    limits.metadataBytes = 1 << 20
    for text in ["P6\n#\(long)", "P6\n#\(long)\n1 1\n255\nabc", "P7\n#\(long)\nWIDTH 1\n"] {
      let error = failure(Array(text.utf8), by: PNMCoder(), limits: limits)
      #expect(error?.code == .limitExceeded || error?.code == .badImageData, "\(error as Any)")
    }
    let zeros = String(repeating: "0", count: 1 << 20)
    let nines = String(repeating: "9", count: 1 << 20)
    for text in ["P6 \(nines) 1 255 ", "P5 1 1 \(nines) ", "P2 1 1 255 \(nines)", "P5 -1 1 255 ", "P5 0x9 1 255 "] {
      #expect(failure(Array(text.utf8), by: PNMCoder())?.code == .badImageData, "\(text.prefix(20))")
    }
    // Zeros in front change no number.
    let image = try? read(Array("P2 1 1 255 \(zeros)7 ".utf8), by: PNMCoder())
    #expect(image?.bitmap.pixel(x: 0, y: 0)?.red == 7)
  }

  @Test func linesOfAPAMThatRepeatAreRefused() {
    let lines = "P7\n" + String(repeating: "WIDTH 1\n", count: 1000) + "ENDHDR\n"
    #expect(failure(Array(lines.utf8), by: PNMCoder())?.code == .badImageData)
    let overflowing = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 99999999999999999999\nMAXVAL 255\nENDHDR\n"
    #expect(failure(Array(overflowing.utf8), by: PNMCoder())?.code == .badImageData)
  }

  // MARK: QOI

  @Test func runsPastTheEndAndFilesWithoutEndAreNoHarm() throws {
    let header = QOIHeader(size: PixelSize(width: 3, height: 2), hasAlpha: true).bytes
    // Far more pixels than the picture has.
    let many = header + [UInt8](repeating: 0xFD, count: 100_000)
    #expect(try read(many, by: QOICoder()).size == PixelSize(width: 3, height: 2))
    #expect(try MetadataCount.of(many, by: QOICoder()) == nil)
    let none = try read(header + [0xC5], by: QOICoder())
    #expect(none.bitmap.pixel(x: 2, y: 1) == PixelColor.black)
    for codes in [[], [0xFE], [0xFF, 1, 2], [0x80]] as [[UInt8]] {
      #expect(failure(header + codes, by: QOICoder())?.code == .badImageData)
    }
  }
}
