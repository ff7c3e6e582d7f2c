import CEaselPixels
import Testing

extension SerializedPixelTests {
  @Suite struct ResamplerTests {
    static let filters = [
      EASEL_FILTER_NEAREST, EASEL_FILTER_BOX, EASEL_FILTER_BILINEAR, EASEL_FILTER_BICUBIC, EASEL_FILTER_LANCZOS3,
    ]

    func spec(
      _ source: PixelBuffer, _ width: Int, _ height: Int, _ filter: easel_filter, _ alpha: easel_alpha,
      linear: Bool = false
    ) -> easel_resample_spec {
      easel_resample_spec(
        format: source.format, alpha: alpha, filter: filter, source_width: source.width, source_height: source.height,
        box_x: 0, box_y: 0, box_width: Double(source.width), box_height: Double(source.height), width: width,
        height: height, linear_light: linear)
    }

    func resized(
      _ source: PixelBuffer, _ width: Int, _ height: Int, _ filter: easel_filter, _ alpha: easel_alpha,
      linear: Bool = false, band: Int = .max
    ) -> PixelBuffer {
      var spec = spec(source, width, height, filter, alpha, linear: linear)
      var resampler: OpaquePointer?
      #expect(easel_resampler_create(&spec, &resampler) == EASEL_OK)
      defer { easel_resampler_destroy(resampler) }
      let target = PixelBuffer(width, height, source.format)
      var finished = false
      while !finished {
        let status = easel_resampler_run(
          resampler, source.bytes, source.stride, target.bytes, target.stride, band, &finished)
        #expect(status == EASEL_OK)
        if status != EASEL_OK { break }
      }
      return target
    }

    // Unoptimised C is slow; the release build tests all sizes.
    #if DEBUG
      private static let constantRounds = 30
    #else
      private static let constantRounds = 400
    #endif

    @Test func aConstantOpaquePictureStaysConstant() {
      var noise = Noise(1)
      for _ in 0..<Self.constantRounds {
        let source = PixelBuffer(noise.next(in: 1...60), noise.next(in: 1...60))
        let pixel = (0..<3).map { _ in UInt8(noise.next(in: 0...255)) } + [255]
        source.fill(pixel)
        let (width, height) = (noise.next(in: 1...60), noise.next(in: 1...60))
        for filter in Self.filters {
          for alpha in [EASEL_ALPHA_OPAQUE, EASEL_ALPHA_STRAIGHT, EASEL_ALPHA_PREMULTIPLIED] {
            let target = resized(source, width, height, filter, alpha, linear: noise.next() % 4 == 0)
            let contents = target.contents
            let same = contents.indices.allSatisfy { contents[$0] == pixel[$0 % 4] }
            #expect(same, "\(source.width)x\(source.height) to \(width)x\(height), filter \(filter.rawValue)")
          }
        }
      }
    }

    @Test func transparentRedNeverShows() {
      let source = PixelBuffer(64, 64)
      for y in 0..<64 {
        for x in 0..<64 { source[x, y] = (x + y) % 2 == 0 ? [255, 0, 0, 0] : [255, 255, 255, 255] }
      }
      for filter in Self.filters where filter != EASEL_FILTER_NEAREST {
        for (width, height) in [(16, 16), (17, 9), (100, 130)] {
          let target = resized(source, width, height, filter, EASEL_ALPHA_STRAIGHT)
          for y in 0..<height {
            for x in 0..<width {
              let pixel = target[x, y]
              #expect(pixel[3] == 0 ? pixel == [0, 0, 0, 0] : pixel[1] >= 254 && pixel[2] >= 254)
            }
          }
        }
      }
    }

    @Test func everyLevelGivesTheSameBits() {
      var noise = Noise(2)
      for round in 0..<120 {
        let format = [EASEL_FORMAT_GRAY8, EASEL_FORMAT_RGBA8, EASEL_FORMAT_RGBA8, EASEL_FORMAT_RGBA16][round % 4]
        let source = PixelBuffer(random: noise.next(in: 1...70), noise.next(in: 1...70), format, &noise)
        let (width, height) = (noise.next(in: 1...70), noise.next(in: 1...70))
        let alpha = [EASEL_ALPHA_OPAQUE, EASEL_ALPHA_STRAIGHT, EASEL_ALPHA_PREMULTIPLIED][round % 3]
        for filter in Self.filters {
          let results = atEveryLevel {
            resized(source, width, height, filter, alpha, linear: round % 5 == 0).contents
          }
          #expect(results.allSatisfy { $0 == results[0] })
        }
      }
    }

    /// Opaque pixels of 8 bits have an engine of their own; half of the pictures become transparent in the middle.
    @Test func everyLevelGivesTheSameBitsOfLight() {
      var noise = Noise(7)
      for round in 0..<80 {
        let source = PixelBuffer(random: noise.next(in: 1...90), noise.next(in: 1...90), EASEL_FORMAT_RGBA8, &noise)
        let opaque = round % 4 < 2 ? source.width * source.height : source.width * source.height / 2
        for pixel in 0..<opaque { source.bytes.storeBytes(of: 255, toByteOffset: pixel * 4 + 3, as: UInt8.self) }
        let (width, height) = (noise.next(in: 1...90), noise.next(in: 1...90))
        let alpha = round % 2 == 0 ? EASEL_ALPHA_OPAQUE : EASEL_ALPHA_STRAIGHT
        for filter in Self.filters {
          let results = atEveryLevel { resized(source, width, height, filter, alpha, linear: true).contents }
          #expect(results.allSatisfy { $0 == results[0] })
          #expect(resized(source, width, height, filter, alpha, linear: true, band: 1).contents == results[0])
        }
      }
    }

    @Test func bandsOfRowsAndWholePicturesAgree() {
      var noise = Noise(3)
      for _ in 0..<40 {
        let source = PixelBuffer(random: noise.next(in: 1...50), noise.next(in: 1...50), EASEL_FORMAT_RGBA8, &noise)
        let (width, height) = (noise.next(in: 1...50), noise.next(in: 1...50))
        for filter in Self.filters {
          let whole = resized(source, width, height, filter, EASEL_ALPHA_STRAIGHT)
          #expect(resized(source, width, height, filter, EASEL_ALPHA_STRAIGHT, band: 1).contents == whole.contents)
        }
      }
    }

    @Test func aRowThatMustWaitIsRefused() {
      let source = PixelBuffer(2, 2)
      var spec = spec(source, 4, 8, EASEL_FILTER_BILINEAR, EASEL_ALPHA_OPAQUE)
      var resampler: OpaquePointer?
      #expect(easel_resampler_create(&spec, &resampler) == EASEL_OK)
      defer { easel_resampler_destroy(resampler) }
      #expect(easel_resampler_push_row(resampler, source.bytes) == EASEL_OK)
      #expect(easel_resampler_push_row(resampler, source.bytes) == EASEL_ROWS_PENDING)
    }

    @Test func aSizeOfNothingIsRefused() {
      var spec = spec(PixelBuffer(2, 2), 0, 1, EASEL_FILTER_BOX, EASEL_ALPHA_OPAQUE)
      var resampler: OpaquePointer?
      #expect(easel_resampler_create(&spec, &resampler) == EASEL_BAD_ARGUMENT)
      spec.width = 1 << 30
      #expect(easel_resampler_create(&spec, &resampler) == EASEL_TOO_LARGE)
      #expect(resampler == nil)
    }

    @Test func aThumbnailHoldsOnlyAStrip() {
      var spec = easel_resample_spec(
        format: EASEL_FORMAT_RGBA8, alpha: EASEL_ALPHA_STRAIGHT, filter: EASEL_FILTER_LANCZOS3, source_width: 8000,
        source_height: 6000, box_x: 0, box_y: 0, box_width: 8000, box_height: 6000, width: 320, height: 240,
        linear_light: false)
      var resampler: OpaquePointer?
      #expect(easel_resampler_create(&spec, &resampler) == EASEL_OK)
      defer { easel_resampler_destroy(resampler) }
      #expect(easel_resampler_bytes(resampler) < 1 << 20)
    }

    @Test func halvingWithABoxIsTheMean() {
      let source = PixelBuffer(4, 2, EASEL_FORMAT_GRAY8)
      for (index, value) in [10, 20, 250, 252, 30, 40, 252, 254].enumerated() {
        source[index % 4, index / 4] = [UInt8(value)]
      }
      #expect(resized(source, 2, 1, EASEL_FILTER_BOX, EASEL_ALPHA_OPAQUE).contents == [25, 252])
    }
  }
}
