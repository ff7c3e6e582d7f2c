import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import Testing

@testable import EaselJXL

/// Files that are cut, changed or made to do harm.
struct DamageTests {
  private typealias T = JXLTesting

  /// What fails in pieces is read once more in one, with the rows that were taken before.
  @Test(arguments: [nil, PixelSize(width: 90, height: 70)])
  func damageAfterTheFirstPiecesIsFoundInBothReadings(size: PixelSize?) throws {
    let picture = try Image(Bitmap.noise(800, 600, .rgba8))
    var bytes = try T.encode(picture) {
      $0.lossless = true; $0.settings[.jxlEffort] = 1
    }.array
    try #require(bytes.count > 3 << 19)
    let sound = bytes
    for place in stride(from: bytes.count / 4 * 3, to: bytes.count - 8, by: 97) { bytes[place] ^= 0x5A }
    let error = #expect(throws: ImageError.self) { try T.decode(ImageBytes(bytes)) { $0.thumbnailSize = size } }
    #expect(error?.code == .badImageData && error?.message.contains("damaged") == true)
    let decoder = try #require(
      try T.coder.makeDecoder(prefix: Array(bytes[..<64]), options: DecodeOptions(), work: WorkContext()))
    for count in stride(from: 100_000, to: bytes.count, by: 300_000) {
      try decoder.update(ImageBytes(Array(bytes[..<count])))
      _ = try decoder.preview()
    }
    #expect(throws: ImageError.self) { try decoder.finish(ImageBytes(bytes)) }
    #expect(try T.decode(ImageBytes(sound)).bitmap == picture.bitmap)
  }

  /// A codestream ends where the file does if it is bare, or in a box that is open to the end.
  @Test(arguments: [false, true])
  func aSequenceCutInItsLastFrameIsPartial(isBoxed: Bool) throws {
    let frames = try T.moving()
    let codestream = try T.encode(frames.image, T.lossless).array
    try #require(codestream.starts(with: [0xFF, 0x0A]))
    let type: [UInt8] = [0, 0, 0, 20] + Array("ftypjxl \0\0\0\0jxl ".utf8)
    let head = isBoxed ? JXLSignature.container + type + [0, 0, 0, 0] + Array("jxlc".utf8) : []
    let bytes = head + codestream
    #expect(try T.probe(ImageBytes(bytes)).frameCount == 4)
    #expect(try T.decode(ImageBytes(bytes + [0, 0, 0])).frames?.count == 4, "Bytes after the end do no harm.")

    // The last frame is noise, so it takes about a fourth of the file.
    for missing in [1, 2, 10, 100, codestream.count / 5] {
      let cut = ImageBytes(Array(bytes.dropLast(missing)))
      let error = #expect(throws: ImageError.self) { try T.decode(cut) }
      #expect(error?.code == .badImageData && error?.message.contains("in the middle of frame 3") == true)
      #expect(try T.probe(cut).frameCount == 3)
      let part = try T.decode(cut) { $0.damaged = .show }
      #expect(part.traits == .partial && part.bitmap == frames.bitmaps[0])
      let read = try #require(part.frames)
      #expect(read.count == 3)
      for index in 0..<3 { #expect(try read.frame(at: index) == frames.bitmaps[index], "frame \(index)") }
    }
  }

  @Test(.tags(.alone)) func nothingIsPrinted() async throws {
    let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for image in try [Image(Bitmap.noise(12, 10, .rgba8)), JXLTesting.moving(.rgba8).image] {
        let sound = try JXLTesting.encode(image).array
        for place in PlacesInTurn(upTo: sound.count) {
          var damaged = sound
          damaged[place] ^= 0x55
          _ = try? JXLTesting.decode(ImageBytes(damaged)) { $0.damaged = .show }
        }
      }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self) == "")
  }
}
