import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselHEIF

/// Pictures that are laid together from others.
struct OverlayTests {
  private typealias T = HEIFTesting
  private typealias B = HEIFBuilder

  /// Quarters in the corner, and orange over its end and at the left edge.
  private func overlay(
    fill: [Int] = [0x20E0, 0x2000, 0xE000, 0xFFFF], isLong: Bool = false, _ properties: [UInt8]...
  ) -> HEIFBuilder {
    var builder = HEIFBuilder()
    builder.addOverlay(of: (112, 96), fill: fill, [(2, 0, 0), (3, 48, 40), (3, -48, 70)], as: 1, isLong: isLong)
    builder.items[0].properties += properties
    builder.add(.quarters, as: 2)
    builder.add(.orange, as: 3)
    return builder
  }

  private func code(_ bytes: [UInt8]) -> ImageError.Code? {
    #expect(throws: ImageError.self) { try T.decode(bytes) }?.code
  }

  @Test(arguments: [false, true]) func laterPicturesLieOverEarlierOnes(isLong: Bool) throws {
    let bytes = overlay(isLong: isLong).bytes
    #expect(try T.probe(bytes).storedSize == PixelSize(width: 112, height: 96))
    let bitmap = try T.decode(bytes).bitmap
    #expect(bitmap.format == .opaqueRGBA8)
    #expect(
      T.colors(of: bitmap, at: (8, 8), (60, 8), (56, 50), (110, 60), (4, 90), (8, 50), (90, 8), (30, 90))
        == ["red", "green", "orange", "orange", "orange", "blue", "blue", "blue"])
    let small = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: 28, height: 24) }
    #expect(try small.bitmap == bitmap.resized(to: small.size, linearLight: true) && small.traits == .thumbnail)
  }

  @Test func theCanvasMayBeSeenThrough() throws {
    let bytes = overlay(fill: [0, 0, 0, 0]).bytes
    #expect(try T.probe(bytes).hasAlpha)
    let bitmap = try T.decode(bytes).bitmap
    #expect(bitmap.format == PixelFormat(.rgba8, alpha: .straight))
    #expect(bitmap.components(90, 8)[3] == 0 && bitmap.components(56, 50)[3] == 255)
    #expect(T.colors(of: bitmap, at: (8, 8), (56, 50)) == ["red", "orange"])
  }

  @Test func partsMayHaveAlphaAndTurnsOfTheirOwn() throws {
    var builder = overlay()
    builder.items[1].properties.append(B.turn(2))
    builder.add(.halves, as: 4, claiming: (64, 64), B.auxiliary(B.alphaName))
    builder.references.append(("auxl", 4, [3]))
    let bitmap = try T.decode(builder.bytes).bitmap
    // The left half of orange is transparent.
    #expect(
      T.colors(of: bitmap, at: (8, 8), (56, 8), (40, 50), (56, 50), (110, 60), (90, 50), (70, 90))
        == ["grey", "blue", "red", "red", "orange", "orange", "blue"])
  }

  @Test func anOverlayIsCroppedAndTurnedAsAWhole() throws {
    let whole = try T.decode(overlay().bytes).bitmap
    let bytes = overlay(fill: [0x20E0, 0x2000, 0xE000, 0xFFFF], B.crop(50, 1, 40, 1, 0, 1, 0, 1), B.turn(1)).bytes
    let part = try whole.cropped(to: PixelRect(x: 31, y: 28, width: 50, height: 40))
    #expect(try T.decode(bytes).bitmap == part.oriented(.left))
  }

  @Test func oneOverlayInAnotherIsRefusedByName() throws {
    var builder = overlay()
    builder.addOverlay(of: (64, 64), fill: [0, 0, 0, 0], [(3, 0, 0)], as: 5)
    builder.references[0].to = [2, 3, 5]
    let error = #expect(throws: ImageError.self) { try T.decode(builder.bytes) }
    #expect(error?.code == .unsupportedFormat && error?.message.contains("overlay") == true)
    // Or in itself.
    builder.references[0].to = [1, 1, 1]
    #expect(code(builder.bytes) == .unsupportedFormat)
  }

  @Test func hostileOverlaysAreRefused() throws {
    var builder = overlay()
    builder.items[0].data.removeLast(3)
    #expect(code(builder.bytes) == .badImageData)
    builder = overlay()
    builder.references[0].to = Array(repeating: 2, count: 257)
    #expect(code(builder.bytes) == .limitExceeded)
    builder = HEIFBuilder()
    builder.addOverlay(of: (70_000, 70_000), fill: [0, 0, 0, 0], [(2, 0, 0)], as: 1, isLong: true)
    builder.add(.orange, as: 2)
    #expect(code(builder.bytes) == .limitExceeded)
    let work = WorkContext(limits: Limits(totalPixels: 3 * 64 * 64 - 1))
    let error = #expect(throws: ImageError.self) { try T.decode(overlay().bytes, work: work) }
    #expect(error?.code == .limitExceeded)
    // Pictures far outside are not seen.
    builder = HEIFBuilder()
    builder.addOverlay(
      of: (16, 16), fill: [0, 0, 0, 0xFFFF],
      [(2, Int(Int32.min), 0), (2, Int(Int32.max), Int(Int32.max))], as: 1, isLong: true)
    builder.add(.orange, as: 2)
    #expect(try T.decode(builder.bytes).bitmap.components(8, 8) == [0, 0, 0, 255])
  }

  @Test func everyByteMayBeWrong() throws {
    for damaged in WrongBytes(of: overlay().bytes) {
      _ = try? T.decode(damaged, work: WorkContext(limits: Limits(framePixels: 1 << 16))) { $0.damaged = .show }
    }
  }
}
