import EaselCore
import EaselTestPixels
import Testing

@testable import EaselAVIF

/// Boxes whose numbers are far too large.
struct BoxTests {
  private func number(_ value: UInt64, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  private func box(_ name: String, _ contents: [UInt8]...) -> [UInt8] {
    let content = contents.flatMap { $0 }
    return number(UInt64(content.count + 8), 4) + Array(name.utf8) + content
  }

  private func file(_ boxes: [UInt8]...) -> ImageBytes {
    ImageBytes(box("ftyp", Array("avif".utf8), number(0, 4), Array("mif1".utf8)) + boxes.flatMap { $0 })
  }

  private func meta(_ boxes: [UInt8]...) -> [UInt8] { box("meta", number(0, 4), boxes.flatMap { $0 }) }

  private func isRefused(_ bytes: ImageBytes) {
    let error = #expect(throws: ImageError.self) { try AVIFTesting.probe(bytes) }
    #expect(error?.code == .badImageData || error?.code == .limitExceeded)
  }

  /// An item has 65,535 places that take no bytes of the table, and there are 10,000 such items.
  @Test func placesWithoutBytesAreNotCountedForEver() {
    let items = (0..<10_000).flatMap { number(UInt64($0), 2) + number(0, 2) + number(0xFFFF, 2) }
    isRefused(file(meta(box("iloc", number(0, 4), number(0, 2), number(10_000, 2), items))))
  }

  /// Each cell would get a decoder of half a megabyte.
  @Test func aGridOfThousandsOfCellsIsRefused() {
    func grid(of cells: Int, alpha: Int) -> ImageBytes {
      func parts(_ from: UInt64, _ count: Int) -> [UInt8] {
        box(
          "dimg", number(from, 2), number(UInt64(count), 2), Array(repeating: number(3, 2), count: count).flatMap { $0 }
        )
      }
      let auxiliary = box("auxC", number(0, 4), Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))
      let links = box("ipma", number(0, 4), number(1, 4), number(2, 2), [1, 1])
      let references = box(
        "iref", number(0, 4), parts(1, cells), parts(2, alpha), box("auxl", number(2, 2), number(1, 2), number(1, 2)))
      return file(
        meta(box("pitm", number(0, 4), number(1, 2)), references, box("iprp", box("ipco", auxiliary), links)))
    }
    for (cells, alpha, code) in [
      (1025, 0, .limitExceeded), (600, 600, .limitExceeded), (500, 500, .badImageData),
    ] as [(Int, Int, ImageError.Code)] {
      let error = #expect(throws: ImageError.self) { try AVIFTesting.probe(grid(of: cells, alpha: alpha)) }
      #expect(error?.code == code, "\(cells) \(alpha)")
    }
  }

  @Test func placesAtTheEndOfAllNumbersAreNoOverflow() {
    let most = UInt64(Int.max)
    let place = number(most - 10, 8) + number(5, 8)
    let long = number(0, 8) + number(most, 8)
    func item(_ id: UInt64, _ place: [UInt8]) -> [UInt8] { number(id, 2) + number(0, 2) + number(2, 2) + place + place }
    let table = box("iloc", number(0, 4), number(0x8800, 2), number(2, 2), item(1, place), item(2, long))
    isRefused(file(meta(table), box("moov", meta(table), meta(table))))
  }

  @Test func samplesWithoutEndAreNoOverflow() {
    let most = number(0xFFFF_FFFF, 4)
    let tables = box(
      "stbl", box("stsz", number(0, 4), most, most),
      box("stsc", number(0, 4), number(1, 4), number(1, 4), most, number(1, 4)),
      box("stco", number(0, 4), number(1, 4), number(0, 4)))
    let handler = box("hdlr", number(0, 8), Array("pict".utf8), number(0, 12))
    isRefused(file(box("moov", box("trak", box("mdia", handler, box("minf", tables))))))
  }
}
