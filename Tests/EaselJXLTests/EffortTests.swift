import CEaselJXL
import EaselCore
import EaselTestPixels
import Testing

@testable import EaselJXL

/// The time for what the pixels do not explain is known from the headers.
struct EffortTests {
  private typealias T = JXLTesting

  private func effort(_ bytes: ImageBytes) throws -> Duration {
    try #require(T.coder.probe(bytes, work: WorkContext()).effort)
  }

  @Test func aPhotoIsWhatItsPixelsSay() throws {
    let photo = try T.encode(Image(Bitmap.waves(400, 300))) { ($0.quality, $0.settings[.jxlEffort]) = (0.8, 1) }
    #expect(try effort(photo) == .zero)
  }

  @Test func manyBytesAreMuchWork() throws {
    let picture = Image(try Bitmap.noise(200, 150, .rgba8))
    let noise = try T.encode(picture) { ($0.lossless, $0.settings[.jxlEffort]) = (true, 1) }
    #expect(noise.count > 80_000)
    #expect(try effort(noise) > .milliseconds(10))
  }

  /// Layers that are put together into one picture, as large as it or larger.
  @Test func layersAndComponentsCount() throws {
    var stated = easel_jxl_header()
    (stated.width, stated.height, stated.depth) = (1000, 1000, 8)
    func effort(layers: Int, extra: UInt32 = 0) throws -> Duration {
      stated.extra_count = extra
      var header = try JXLHeader(stated, limits: Limits())
      var layer = easel_jxl_frame()
      (layer.width, layer.height) = (1000, 1000)
      for _ in 0..<layers { try header.take(layer, limits: Limits()) }
      return header.effort(byteCount: 20_000)
    }
    #expect(try effort(layers: 1) == .zero)
    #expect(try effort(layers: 11) == .milliseconds(500))
    #expect(try effort(layers: 1, extra: 4) == .milliseconds(60))
  }
}
