import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselJPEG

struct ProgressTests {
  @Test func baselineComesRowByRow() throws {
    let file = try Pictures.file(Image(Bitmap.waves(200, 300)))
    let (image, previews) = try Pictures.inPieces(file, of: file.count / 20)
    let whole = try Pictures.decode(file)
    #expect(image.bitmap == whole.bitmap && image.traits == whole.traits && image.metadata == whole.metadata)
    #expect(previews.count >= 12)
    var rows = 0
    for preview in previews {
      #expect(preview.traits.contains(.partial) && preview.size == whole.size)
      let seen = (0..<300).prefix { preview.bitmap.components(100, $0)[3] == 255 }.count
      #expect(seen > rows)
      #expect(preview.bitmap.components(3, rows) == whole.bitmap.components(3, rows))
      if seen < 300 { #expect(preview.bitmap.components(0, 299) == [0, 0, 0, 0]) }
      rows = seen
    }
  }

  @Test func progressiveComesRowByRowAndThenScanByScan() throws {
    let file = try Pictures.file(Image(Bitmap.waves(200, 300))) { $0.progressive = true }
    let (image, previews) = try Pictures.inPieces(file, of: file.count / 40)
    let whole = try Pictures.decode(file)
    #expect(image.bitmap == whole.bitmap && image.traits == whole.traits && image.metadata == whole.metadata)
    #expect(previews.count >= 20)
    let isFirstPartial = previews[0].bitmap.components(0, 299)[3] == 0
    #expect(isFirstPartial)
    let full = previews.filter { $0.bitmap.format == .opaqueRGBA8 }
    #expect(full.count >= 10)
    let noise = full.map { $0.bitmap.signalToNoise(against: whole.bitmap) }
    #expect(noise.last! > noise.first! + 5, "Later previews are nearer to the picture: \(noise)")
  }

  @Test(arguments: [false, true])
  func thumbnailsComeTheSameWay(progressive: Bool) throws {
    let file = try Pictures.file(Image(Bitmap.waves(400, 300))) { $0.progressive = progressive }
    let box = PixelSize(width: 60, height: 60)
    let (image, previews) = try Pictures.inPieces(file, of: file.count / 10) { $0.thumbnailSize = box }
    let whole = try Pictures.decode(file) { $0.thumbnailSize = box }
    #expect(image.bitmap == whole.bitmap && image.traits == whole.traits)
    #expect(!previews.isEmpty)
    #expect(previews.allSatisfy { $0.size == whole.size && $0.traits == [.partial, .thumbnail] })
  }

  @Test func aLookChangesNothing() throws {
    for progressive in [false, true] {
      let file = try Pictures.array(
        Pictures.file(Image(Bitmap.waves(120, 90))) { $0.progressive = progressive })
      let whole = try Pictures.decode(ImageBytes(file))
      for looks in [1, 3, 10_000] {
        let decoder = try #require(
          try JPEGCoder().makeDecoder(prefix: file, options: DecodeOptions(), work: WorkContext()))
        for end in stride(from: 61, to: file.count, by: 61) {
          try decoder.update(ImageBytes(Array(file[..<end])))
          if end / 61 % looks == 0 { _ = try decoder.preview() }
        }
        #expect(try decoder.finish(ImageBytes(file)).bitmap == whole.bitmap)
      }
    }
  }

  @Test func otherBytesGetNoDecoder() throws {
    let decoder = try JPEGCoder().makeDecoder(
      prefix: Array("GIF89a".utf8), options: DecodeOptions(), work: WorkContext())
    #expect(decoder == nil)
  }
}
