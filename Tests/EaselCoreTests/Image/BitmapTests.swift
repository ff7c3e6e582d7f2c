import EaselCore
import Testing

struct BitmapTests {
  private let size = PixelSize(width: 5, height: 3)

  private func first(_ bitmap: Bitmap) -> UInt8 { bitmap.withUnsafeBytes { $0[0] } }

  @Test(arguments: [
    (PixelFormat.gray8, 5), (.rgba8, 20), (.opaqueRGBA8, 20), (PixelFormat(.bgra8, alpha: .premultiplied), 20),
    (.rgba16, 40),
  ])
  func rowsArePackedUnlessToldOtherwise(format: PixelFormat, stride: Int) throws {
    let bitmap = try Bitmap(size: size, format: format)
    #expect(bitmap.bytesPerRow == stride)
    #expect(bitmap.byteCount == stride * 3)
    #expect(bitmap.withUnsafeBytes { $0.count } == stride * 3)
    #expect(bitmap.size == size)
    #expect(bitmap.memoryCost >= bitmap.byteCount)
  }

  @Test func widthAndHeightMakeTransparentPixels() throws {
    let bitmap = try Bitmap(width: 4, height: 3)
    #expect(bitmap.size == PixelSize(width: 4, height: 3) && bitmap.format == .rgba8)
    #expect(bitmap.pixels(in: PixelRect(covering: bitmap.size)).allSatisfy { $0.alpha == 0 })
    #expect(try Bitmap(width: 4, height: 3, format: .gray8).byteCount == 12)
    #expect(throws: ImageError.self) { try Bitmap(width: 0, height: 3) }
  }

  @Test(arguments: [1, 7, 64, 300, 1000]) func storageIsAligned(side: Int) throws {
    let bitmap = try Bitmap(size: PixelSize(width: side, height: side), format: .rgba8)
    #expect(bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) % 64 } == 0)
  }

  @Test func aNewBitmapIsAllZeroThoughItsMemoryWasUsedBefore() throws {
    // These bitmaps are large enough to come from the pool, which reuses the same memory.
    for _ in 0..<4 {
      var dirty = try Bitmap(unfilled: PixelSize(width: 211, height: 211), format: .rgba8)
      dirty.withUnsafeMutableBytes { bytes in
        for index in stride(from: 0, to: bytes.count, by: 509) { bytes[index] = 0xff }
      }
    }
    let clean = try Bitmap(size: PixelSize(width: 211, height: 211), format: .rgba8)
    let sum = clean.withUnsafeBytes { bytes in
      bytes.bindMemory(to: UInt32.self).reduce(into: UInt32(0)) { $0 |= $1 }
    }
    #expect(sum == 0)
  }

  @Test func aChangedCopyLeavesTheOtherAsItWas() throws {
    var first = try Bitmap(size: size, format: .rgba8)
    let second = first
    first.withUnsafeMutableBytes { $0[0] = 9 }
    #expect(self.first(first) == 9)
    #expect(self.first(second) == 0)
    #expect(first != second)
  }

  @Test func anUnsharedBitmapIsChangedInPlace() throws {
    var bitmap = try Bitmap(size: size, format: .rgba8)
    let before = bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    bitmap.withUnsafeMutableBytes { $0[0] = 1 }
    #expect(bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == before)
    let shared = bitmap
    bitmap.withUnsafeMutableBytes { $0[0] = 2 }
    #expect(bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } != before)
    #expect(shared.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == before)
  }

  @Test func aCopyKeepsTheWholeRowsOfAWideStride() throws {
    var bitmap = try Bitmap(size: size, format: .gray8, bytesPerRow: 16)
    bitmap.withUnsafeMutableBytes { for index in $0.indices { $0[index] = UInt8(index) } }
    var copy = bitmap
    copy.withUnsafeMutableBytes { $0[0] = 200 }
    #expect(copy.withUnsafeBytes { Array($0.dropFirst()) } == Array(1..<48))
  }

  @Test func equalityLooksAtPixelsAndNotAtPadding() throws {
    var wide = try Bitmap(size: size, format: .gray8, bytesPerRow: 16)
    var packed = try Bitmap(size: size, format: .gray8)
    wide.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 16 < 5 ? UInt8(index / 16 * 5 + index % 16) : 0xee }
    }
    packed.withUnsafeMutableBytes { for index in $0.indices { $0[index] = UInt8(index) } }
    #expect(wide == packed)
    packed.withUnsafeMutableBytes { $0[14] = 0 }
    #expect(wide != packed)
  }

  @Test func sizeAndFormatAreCompared() throws {
    let one = try Bitmap(size: size, format: .rgba8)
    #expect(try one != Bitmap(size: PixelSize(width: 3, height: 5), format: .rgba8))
    #expect(try one != Bitmap(size: size, format: .opaqueRGBA8))
    #expect(try one == Bitmap(size: size, format: .rgba8))
    var opaque = one
    opaque.assumeAlpha(.opaque)
    #expect(opaque.format == .opaqueRGBA8)
    #expect(try opaque == Bitmap(size: size, format: .opaqueRGBA8))
  }

  @Test func greyIsAlwaysOpaque() throws {
    #expect(PixelFormat(.gray8, alpha: .premultiplied) == .gray8)
    var grey = try Bitmap(size: size, format: .gray8)
    grey.assumeAlpha(.straight)
    #expect(grey.format.alpha == .opaque)
  }

  @Test(arguments: [(0, 0), (0, 1), (1, 0), (-1, 1), (-1, -1), (Int.min, Int.min)])
  func aSizeWithoutPixelsIsRefused(width: Int, height: Int) {
    let size = PixelSize(width: width, height: height)
    let error = #expect(throws: ImageError.self) { try Bitmap(size: size, format: .rgba8) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("\(size)") == true)
  }

  @Test(arguments: [
    (Int.max, 1), (1, Int.max), (Int.max, Int.max), (1 << 32, 1 << 32), (1 << 60, 2), (1 << 40, 1 << 20),
  ])
  func aSizeThatNoMemoryHoldsIsRefused(width: Int, height: Int) {
    let size = PixelSize(width: width, height: height)
    for format in [PixelFormat.gray8, .rgba8, .rgba16] {
      let error = #expect(throws: ImageError.self) { try Bitmap(size: size, format: format) }
      #expect(error?.code == .limitExceeded)
      #expect(error?.message.contains("-") == false, "no number may have wrapped around: \(error?.message ?? "")")
    }
  }

  @Test(arguments: [19, 0, -1, Int.min]) func aRowThatIsTooShortIsRefused(stride: Int) {
    let error = #expect(throws: ImageError.self) { try Bitmap(size: size, format: .rgba8, bytesPerRow: stride) }
    #expect(error?.message == "A row of 5 pixels of 4 bytes does not fit in \(stride) bytes.")
  }

  @Test func aStrideThatNoMemoryHoldsIsRefused() {
    #expect(throws: ImageError.self) { try Bitmap(size: size, format: .rgba8, bytesPerRow: .max) }
  }
}
