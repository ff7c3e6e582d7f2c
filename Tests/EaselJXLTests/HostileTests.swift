import EaselCore
import EaselTestPixels
import Testing

@testable import EaselJXL

/// Files that claim more than they have.
struct HostileTests {
  private typealias T = JXLTesting

  /// A codestream, written bit by bit.
  private struct Codestream {
    private(set) var bytes: [UInt8] = [0xFF, 0x0A]
    private var free = 0

    mutating func add(_ value: UInt64, _ count: Int) {
      for place in 0..<count {
        if free == 0 {
          bytes.append(0)
          free = 8
        }
        bytes[bytes.count - 1] |= UInt8(value >> UInt64(place) & 1) << UInt8(8 - free)
        free -= 1
      }
    }

    /// A side of up to 30 bits.
    mutating func addSide(_ side: UInt64) {
      add(3, 2)
      add(side - 1, 30)
    }

    /// A number of any size: 12 bits, and then 8 at a time.
    mutating func addLong(_ value: UInt64) {
      add(3, 2)
      add(value & 4095, 12)
      var (rest, shift) = (value >> 12, 12)
      while rest > 0 {
        add(1, 1)
        add(rest & 255, shift == 60 ? 4 : 8)
        rest >>= 8
        shift += 8
      }
      add(0, 1)
    }

    /// The size, and a header of 8 bits in RGB; with a profile its length follows.
    init(_ width: UInt64, _ height: UInt64, profile: UInt64? = nil) {
      add(0, 1)
      addSide(height)
      add(0, 3)
      addSide(width)
      guard let profile else {
        add(1, 1)
        return
      }
      // No fields beyond the usual, no floating point, 8 bits, small buffers, no extra channels, no XYB.
      for (value, count) in [(0, 1), (0, 1), (0, 1), (0, 2), (1, 1), (0, 2), (0, 1)] { add(UInt64(value), count) }
      // Colours that are not the default but RGB with a profile, no extensions, the usual transforms.
      for (value, count) in [(0, 1), (1, 1), (0, 2), (0, 2), (1, 1)] { add(UInt64(value), count) }
      addLong(profile)
    }
  }

  private func failure(_ bytes: [UInt8], limits: Limits = Limits()) -> ImageError? {
    #expect(throws: ImageError.self) {
      try T.decode(ImageBytes(bytes), work: WorkContext(limits: limits)) { $0.damaged = .show }
    }
  }

  @Test func sidesAreCheckedBeforeMemoryIsTaken() {
    for (width, height) in [(1 << 30, 1 << 30), (1 << 30, 1), (1, 1 << 30), (65_536, 65_536)] as [(UInt64, UInt64)] {
      let error = failure(Codestream(width, height).bytes + [UInt8](repeating: 0, count: 100))
      #expect(error?.code == .limitExceeded, "\(width)x\(height): \(String(describing: error))")
    }
  }

  @Test func aHeaderThatIsWrittenByHandIsOne() throws {
    var stream = Codestream(24, 18)
    stream.add(1, 1)
    // The frame is missing, not the header.
    #expect(failure(stream.bytes)?.message.contains("ends") == true)
  }

  @Test(arguments: [1 << 32, 1 << 32 - 1, 1 << 40, 1 << 63, 1 << 28, 200_000_000] as [UInt64])
  func aProfileOfGigabytesIsAnError(count: UInt64) {
    for rest in [0, 1, 1000] {
      for byte in [0, 0x5A, 0xFF] as [UInt8] {
        let bytes = Codestream(24, 18, profile: count).bytes + [UInt8](repeating: byte, count: rest)
        #expect(failure(bytes)?.code == .badImageData)
      }
    }
  }

  @Test func aMillionBoxesAreRefused() throws {
    let picture = try T.encode(Image(.noise(12, 10, .rgba8))) { $0.keepsMetadata = true }.array
    let container: [UInt8] =
      JXLSignature.container + [0, 0, 0, 20] + Array("ftypjxl \0\0\0\0jxl ".utf8)
    let empty = [0, 0, 0, 8] + Array("free".utf8) as [UInt8]
    var boxes: [UInt8] = []
    boxes.reserveCapacity(8_000_000)
    for _ in 0..<1_000_000 { boxes += empty }
    let size = picture.count + 8
    let last = [UInt8(size >> 24), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)]
    let codestream = last + Array("jxlc".utf8) + picture
    #expect(failure(container + boxes + codestream)?.code == .limitExceeded)
    #expect(failure(container + codestream + boxes)?.code == .limitExceeded)
    // Few of them are none of anybody's business.
    #expect(try T.decode(ImageBytes(container + boxes.prefix(80) + codestream)).size.width == 12)
  }

  @Test func sizesOfBoxesMayLie() throws {
    let picture = try T.encode(Image(.noise(12, 10, .rgba8))).array
    let container: [UInt8] =
      JXLSignature.container + [0, 0, 0, 20] + Array("ftypjxl \0\0\0\0jxl ".utf8)
    for head in [
      [0, 0, 0, 7], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 9], [0x80, 0, 0, 0], [0, 0, 0, 2],
    ] as [[UInt8]] {
      #expect(failure(container + head + Array("jxlc".utf8) + Array(picture.prefix(4))) != nil)
    }
    // A long size of almost 2 to the 64, and one that is smaller than its own head.
    for long in [
      [UInt8](repeating: 0xFF, count: 8), [0, 0, 0, 0, 0, 0, 0, 15], [0x7F] + Array(repeating: 0xFF, count: 7),
    ] {
      let bytes = container + [0, 0, 0, 1] + Array("jxlc".utf8) + long + picture
      _ = try? T.decode(ImageBytes(bytes))
      #expect(try T.coder.metadataBytes(of: ImageBytes(bytes), work: WorkContext()) == nil)
    }
  }
}
