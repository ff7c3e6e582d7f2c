import EaselCore
import EaselTestPixels
import Testing

@testable import EaselAVIF

/// Boxes whose numbers are far too large.
struct BoxTests {
  private typealias T = AVIFTesting

  private func file(_ boxes: [UInt8]...) -> ImageBytes {
    ImageBytes(T.box("ftyp", Array("avif".utf8), T.number(0, 4), Array("mif1".utf8)) + boxes.flatMap { $0 })
  }

  private func meta(_ boxes: [UInt8]...) -> [UInt8] { T.box("meta", T.number(0, 4), boxes.flatMap { $0 }) }

  private func isRefused(_ bytes: ImageBytes) {
    let error = #expect(throws: ImageError.self) { try AVIFTesting.probe(bytes) }
    #expect(error?.code == .badImageData || error?.code == .limitExceeded)
  }

  /// An item has 65,535 places that take no bytes of the table, and there are 10,000 such items.
  @Test func placesWithoutBytesAreNotCountedForEver() {
    let items = (0..<10_000).flatMap { T.number(UInt64($0), 2) + T.number(0, 2) + T.number(0xFFFF, 2) }
    isRefused(file(meta(T.box("iloc", T.number(0, 4), T.number(0, 2), T.number(10_000, 2), items))))
  }

  /// Each cell would get a decoder of half a megabyte.
  @Test func aGridOfThousandsOfCellsIsRefused() {
    func grid(of cells: Int, alpha: Int) -> ImageBytes {
      func parts(_ from: UInt64, _ count: Int) -> [UInt8] {
        T.box(
          "dimg", T.number(from, 2), T.number(UInt64(count), 2),
          Array(repeating: T.number(3, 2), count: count).flatMap { $0 }
        )
      }
      let auxiliary = T.box("auxC", T.number(0, 4), Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))
      let links = T.box("ipma", T.number(0, 4), T.number(1, 4), T.number(2, 2), [1, 1])
      let references = T.box(
        "iref", T.number(0, 4), parts(1, cells), parts(2, alpha),
        T.box("auxl", T.number(2, 2), T.number(1, 2), T.number(1, 2)))
      return file(
        meta(T.box("pitm", T.number(0, 4), T.number(1, 2)), references, T.box("iprp", T.box("ipco", auxiliary), links)))
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
    let place = T.number(most - 10, 8) + T.number(5, 8)
    let long = T.number(0, 8) + T.number(most, 8)
    func item(_ id: UInt64, _ place: [UInt8]) -> [UInt8] {
      T.number(id, 2) + T.number(0, 2) + T.number(2, 2) + place + place
    }
    let table = T.box("iloc", T.number(0, 4), T.number(0x8800, 2), T.number(2, 2), item(1, place), item(2, long))
    isRefused(file(meta(table), T.box("moov", meta(table), meta(table))))
  }

  @Test func samplesWithoutEndAreNoOverflow() {
    let most = T.number(0xFFFF_FFFF, 4)
    let tables = T.box(
      "stbl", T.box("stsz", T.number(0, 4), most, most),
      T.box("stsc", T.number(0, 4), T.number(1, 4), T.number(1, 4), most, T.number(1, 4)),
      T.box("stco", T.number(0, 4), T.number(1, 4), T.number(0, 4)))
    let handler = T.box("hdlr", T.number(0, 8), Array("pict".utf8), T.number(0, 12))
    isRefused(file(T.box("moov", T.box("trak", T.box("mdia", handler, T.box("minf", tables))))))
  }
}
