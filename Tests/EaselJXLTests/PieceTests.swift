import CEaselJXL
import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselJXL

/// Files that libjxl refuses in pieces and reads in one.
///
/// Here the bytes are wrong as long as they are read in pieces.
struct PieceTests {
  private typealias T = JXLTesting

  /// Mends the bytes as soon as the reader begins anew.
  private final class Mender {
    let reader: OpaquePointer
    let bytes: UnsafeMutableRawBufferPointer
    private let sound: [UInt8]
    private var consumed = 0
    private(set) var isDone = false
    var rows: [[UInt8]] = []

    init(_ sound: [UInt8]) {
      self.sound = sound
      bytes = .allocate(byteCount: sound.count, alignment: 16)
      bytes.copyBytes(from: sound)
      for place in stride(from: sound.count / 4 * 3, to: sound.count - 8, by: 97) { bytes[place] ^= 0x5A }
      var reading = easel_jxl_reading()
      reading.threads = 1
      reading.reads_pixels = true
      reader = easel_jxl_reader_create(&reading)
    }

    deinit {
      easel_jxl_reader_destroy(reader)
      bytes.deallocate()
    }

    func look() {
      let now = easel_jxl_reader_consumed(reader)
      if now < consumed {
        bytes.copyBytes(from: sound)
        isDone = true
      }
      consumed = now
    }

    func next() -> easel_jxl_event {
      easel_jxl_reader_next(
        reader, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count,
        {
          Unmanaged<Mender>.fromOpaque($0!).takeUnretainedValue().look()
          return true
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Reads up to the place where the pixels have a target.
    func findPixels() { while [EASEL_JXL_HEADER, EASEL_JXL_COLORS, EASEL_JXL_FRAME].contains(next()) {} }
  }

  private func file(_ bitmap: Bitmap) throws -> [UInt8] {
    let bytes = try T.encode(Image(bitmap)) {
      $0.lossless = true
      $0.settings[.jxlEffort] = 1
    }.array
    try #require(bytes.count > 3 << 19)
    return bytes
  }

  @Test func thePixelsAreWrittenOnceMore() throws {
    let bitmap = try Bitmap.noise(800, 600, .rgba8)
    let mender = try Mender(file(bitmap))
    mender.findPixels()
    var read = try Bitmap(unfilled: bitmap.size, format: .rgba8)
    let event = read.withUnsafeMutableBytes { pixels in
      _ = easel_jxl_reader_set_target(mender.reader, false, pixels.baseAddress, pixels.count)
      return mender.next()
    }
    #expect(event == EASEL_JXL_PIXELS && mender.isDone && read == bitmap)
  }

  @Test func rowsThatWereTakenAreNotTakenAgain() throws {
    let bitmap = try Bitmap.noise(800, 600, .rgba8)
    let mender = try Mender(file(bitmap))
    mender.findPixels()
    let isSet = easel_jxl_reader_set_rows(
      mender.reader, false,
      { context, row, count in
        let mender = Unmanaged<Mender>.fromOpaque(context!).takeUnretainedValue()
        mender.rows.append(Array(UnsafeRawBufferPointer(start: row, count: count)))
        return true
      }, Unmanaged.passUnretained(mender).toOpaque())
    #expect(isSet && mender.next() == EASEL_JXL_PIXELS && mender.isDone)
    let expected = bitmap.withUnsafeBytes { bytes in
      (0..<bitmap.height).map { Array(bytes[$0 * bitmap.bytesPerRow..<$0 * bitmap.bytesPerRow + 4 * bitmap.width]) }
    }
    #expect(mender.rows == expected)
  }
}
