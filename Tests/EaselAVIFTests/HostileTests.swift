import EaselCore
import EaselPNG
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselAVIF

/// Files of good pixels whose boxes lie.
struct HostileTests {
  private typealias T = AVIFTesting

  private func translucent(_ width: Int, _ height: Int) throws -> [UInt8] {
    try T.encode(Image(T.softAlpha(width, height))).array
  }

  /// The places of the table's items: where the place of each item's bytes stands, and which bytes these are.
  private func places(in file: [UInt8]) throws -> [(entry: Int, bytes: Range<Int>)] {
    func value(_ place: Int, _ count: Int) -> Int { file[place..<place + count].reduce(0) { $0 << 8 | Int($1) } }
    let start = try #require(file.firstRange(of: Array("iloc".utf8))).upperBound
    #expect(value(start, 6) == 0x4400)
    return (0..<value(start + 6, 2)).map { item in
      let entry = start + 8 + 14 * item + 6
      let offset = value(entry, 4)
      return (entry, offset..<offset + value(entry + 4, 4))
    }
  }

  /// Reads a file in every way; each must end with a picture of the size that its header says, or with an error.
  private func endsWell(_ file: [UInt8], _ name: String) {
    let bytes = ImageBytes(file)
    let limits = Limits(framePixels: 1 << 16, frames: 100)
    let header = try? T.coder.probe(bytes, work: WorkContext(limits: limits))
    for isPartial in [false, true] {
      do {
        let image = try T.decode(bytes, work: WorkContext(limits: limits)) { $0.damaged = isPartial ? .show : .whole }
        #expect(image.bitmap.size == header?.storedSize, "\(name)")
        for index in 0..<(image.frames?.count ?? 0) { _ = try? image.frames?.frame(at: index) }
      } catch {
        let code = (error as? ImageError)?.code
        #expect(code == .badImageData || code == .limitExceeded || code == .unsupportedFormat, "\(name): \(error)")
      }
    }
    _ = try? T.coder.metadataBytes(of: bytes, work: WorkContext(limits: limits))
  }

  @Test func framesOfNoDurationAreAllThere() throws {
    let file = try T.encode(T.moving().image).array
    let table = try #require(file.firstRange(of: Array("stts".utf8))).upperBound
    let entries = file[table + 4..<table + 8].reduce(0) { $0 << 8 | Int($1) }
    var timeless = file
    for entry in 0..<entries {
      let place = table + 8 + 8 * entry + 4
      timeless.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0])
    }
    #expect(entries > 0 && timeless != file)
    let frames = try #require(try T.decode(ImageBytes(timeless)).frames)
    #expect(frames.count == 4)
    for index in 0..<4 {
      #expect(try frames.frame(at: index).size == PixelSize(width: 24, height: 18))
      #expect(frames.duration(at: index) >= .zero && frames.duration(at: index) < .seconds(1))
    }
  }

  @Test func itemsWhoseBytesAreTheFileItself() throws {
    let file = try translucent(40, 30)
    for (index, item) in try places(in: file).enumerated() {
      for (offset, count) in [(0, file.count), (item.entry, 8), (file.count, 1), (0xFFFF_FFFF, 0xFFFF_FFFF), (0, 0)] {
        var lying = file
        lying.replaceSubrange(item.entry..<item.entry + 8, with: T.number(offset, 4) + T.number(count, 4))
        endsWell(lying, "item \(index) at \(offset), \(count) bytes")
      }
    }
  }

  @Test func alphaOfAnotherSize() throws {
    let (file, other) = (try translucent(40, 30), try translucent(64, 48))
    let (items, others) = (try places(in: file), try places(in: other))
    try #require(items.count == 2 && others.count == 2)
    for index in 0..<2 {
      var mixed = file
      let (entry, count) = (items[index].entry, others[index].bytes.count)
      mixed.replaceSubrange(entry..<entry + 8, with: T.number(file.count, 4) + T.number(count, 4))
      endsWell(mixed + other[others[index].bytes], "item \(index)")
    }
  }

  @Test func referencesToThemselves() throws {
    let file = try translucent(40, 30)
    let reference = try #require(file.firstRange(of: Array("auxl".utf8))).upperBound
    for (from, to) in [(1, 1), (2, 2), (1, 2), (2, 65_535), (0, 0)] {
      var loop = file
      loop.replaceSubrange(reference..<reference + 6, with: T.number(from, 2) + T.number(1, 2) + T.number(to, 2))
      endsWell(loop, "\(from) to \(to)")
    }
  }

  @Test func everyNumberOfAProperty() throws {
    let file = try translucent(40, 30)
    let links = try #require(file.firstRange(of: Array("ipma".utf8)))
    let count = file[links.lowerBound - 4..<links.lowerBound].reduce(0) { $0 << 8 | Int($1) } - 8
    for place in links.upperBound..<links.upperBound + count {
      for value in [0, 1, 5, 0x7F, 0x80, 0xFF] as [UInt8] {
        var lying = file
        lying[place] = value
        endsWell(lying, "\(value) at \(place - links.upperBound)")
      }
    }
  }

  @Test func asManyItemsAsThereCanBe() throws {
    let entries = (1...65_535).flatMap {
      T.box("infe", [2, 0, 0, 0] + T.number($0, 2) + T.number(0, 2) + Array("av01\0".utf8))
    }
    let meta =
      T.number(0, 4) + T.box("hdlr", T.number(0, 8) + Array("pict".utf8) + T.number(0, 12) + [0])
      + T.box("pitm", T.number(0, 4) + T.number(1, 2)) + T.box("iinf", T.number(0, 4) + T.number(65_535, 2) + entries)
    let file = T.box("ftyp", Array("avif\0\0\0\0avifmif1".utf8)) + T.box("meta", meta)
    // libavif would go through all of them for each.
    let error = #expect(throws: ImageError.self) { try T.probe(ImageBytes(file)) }
    #expect(error?.code == .limitExceeded && error?.message.contains("have 65535 entries") == true)
    let few = try translucent(40, 30)
    let table = try #require(few.firstRange(of: Array("iinf".utf8))).upperBound + 4
    var claimed = few
    claimed.replaceSubrange(table..<table + 2, with: [0xFF, 0xFF])
    endsWell(claimed, "65,535 items, of which three are there")
  }

  @Test(.tags(.alone), .enabled(if: Avifenc.isThere, Avifenc.isMissing))
  func cropsThatAreNone() throws {
    let png = try PNGCoder().encode(
      Image(Bitmap.waves(40, 30)), as: .png, options: EncodeOptions(), work: WorkContext())
    let file = try #require(try Avifenc.written(["/usr/bin/avifenc", "--crop", "4,4,20,16"], of: png))
    let crop = try #require(file.firstRange(of: Array("clap".utf8))).upperBound
    #expect(try T.decode(ImageBytes(file)).bitmap.size == PixelSize(width: 20, height: 16))
    // Width, height and the distance of the middle, each with its divisor.
    let lies = [
      [-20, 1, 16, 1, -6, 1, -3, 1], [20, -1, 16, 1, -6, 1, -3, 1], [0, 1, 16, 1, 0, 1, 0, 1],
      [20, 0, 16, 0, 0, 0, 0, 0],
      [41, 1, 31, 1, 0, 1, 0, 1], [20, 1, 16, 1, -1000, 1, 1000, 1], [20, 3, 16, 3, 1, 3, 1, 3],
      [Int(Int32.min), -1, Int(Int32.min), -1, Int(Int32.min), -1, Int(Int32.min), -1],
      [Int(Int32.max), 1, Int(Int32.max), 1, Int(Int32.max), 1, Int(Int32.max), 1],
    ]
    for lie in lies {
      var lying = file
      lying.replaceSubrange(crop..<crop + 32, with: lie.flatMap { T.number($0, 4) })
      endsWell(lying, "\(lie)")
    }
  }

  /// A picture whose layers are said to take more bytes than it has, and of which a twelfth is wanted.
  @Test func layersThatAreNotThere() throws {
    let file = try T.encode(Image(Bitmap.waves(40, 30))).array
    let properties = try #require(file.firstRange(of: Array("ipco".utf8)))
    // A property that pictures can do without gives its place to one of the same size.
    let pixi = try #require(file.firstRange(of: Array("pixi".utf8)))
    #expect(pixi.lowerBound > properties.lowerBound)
    let count = file[pixi.lowerBound - 4..<pixi.lowerBound].reduce(0) { $0 << 8 | Int($1) } - 8
    for (name, content) in [
      ("a1op", [11]), ("a1op", [255]), ("lsel", [0, 11]), ("lsel", [255, 255]),
      ("a1lx", [0, 255, 255, 255, 255, 255, 255]), ("a1lx", [1, 255, 255, 255, 255, 255, 255]),
    ] as [(String, [UInt8])] {
      var lying = file
      lying.replaceSubrange(pixi, with: Array(name.utf8))
      let whole = content + Array(repeating: 0, count: max(0, count - content.count))
      lying.replaceSubrange(pixi.upperBound..<pixi.upperBound + count, with: whole.prefix(count))
      endsWell(lying, "\(name) \(content)")
    }
  }
}
