import CEaselPixels
import Testing

extension SerializedPixelTests {
  @Suite struct VisualBandTests {
    /// The errors of a picture and a copy of it, in bands of so many rows.
    private func sums(
      _ original: PixelBuffer, _ copy: PixelBuffer, _ alpha: easel_alpha, rowsInBand: Int, rowsAtOnce: Int = 7
    ) -> [easel_visual_sums] {
      func picture(_ buffer: PixelBuffer) -> easel_visual_picture {
        easel_visual_picture(
          pixels: buffer.bytes, stride: buffer.stride, format: buffer.format, alpha: alpha, is_bgr: false)
      }
      var pair = easel_visual_pair(
        pictures: (picture(original), picture(copy)), width: original.width, height: original.height, background: 0.1)
      return stride(from: 0, to: original.height, by: rowsInBand).map { first in
        var band: OpaquePointer?
        let end = min(original.height, first + rowsInBand)
        #expect(easel_visual_band_create(&pair, first, end, &band) == EASEL_OK)
        defer { easel_visual_band_destroy(band) }
        while !easel_visual_band_run(band, rowsAtOnce) {}
        var sums = easel_visual_sums()
        easel_visual_band_sums(band, &sums)
        return sums
      }
    }

    /// A picture, and one that is like it.
    private func pair(_ width: Int, _ height: Int, _ format: easel_format, _ noise: inout Noise) -> [PixelBuffer] {
      let original = PixelBuffer(random: width, height, format, &noise)
      let copy = PixelBuffer(copy: original)
      for index in 0..<copy.count where noise.next(in: 0...3) == 0 {
        let byte = copy.bytes.load(fromByteOffset: index, as: UInt8.self)
        copy.bytes.storeBytes(of: byte ^ 21, toByteOffset: index, as: UInt8.self)
      }
      return [original, copy]
    }

    private func bytes(_ sums: [easel_visual_sums]) -> [UInt8] {
      sums.flatMap { sum in withUnsafeBytes(of: sum) { Array($0) } }
    }

    private func score(_ pair: [PixelBuffer], _ sums: [easel_visual_sums]) -> Double {
      easel_visual_score(pair[0].width, pair[0].height, sums, sums.count)
    }

    @Test func everyLevelGivesTheSameBits() {
      var noise = Noise(46)
      for (width, height) in [(1, 1), (5, 40), (8, 8), (17, 9), (64, 33), (75, 100), (530, 12), (1041, 41)] {
        for format in KernelTests.formats {
          for alpha in [EASEL_ALPHA_OPAQUE, EASEL_ALPHA_STRAIGHT, EASEL_ALPHA_PREMULTIPLIED] {
            let pictures = pair(width, height, format, &noise)
            let results = atEveryLevel { bytes(sums(pictures[0], pictures[1], alpha, rowsInBand: 64)) }
            #expect(results.allSatisfy { $0 == results[0] }, "\(width)x\(height), format \(format.rawValue)")
          }
        }
      }
    }

    @Test(arguments: [(40, 33), (33, 64), (90, 129), (25, 321), (7, 640)])
    func bandsAreTheWhole(_ width: Int, _ height: Int) {
      var noise = Noise(UInt64(width))
      let pictures = pair(width, height, EASEL_FORMAT_RGBA8, &noise)
      let whole = score(pictures, sums(pictures[0], pictures[1], EASEL_ALPHA_STRAIGHT, rowsInBand: 1 << 20))
      #expect(whole < 99)
      for rows in [32, 64, 96, 320] {
        for rowsAtOnce in [1, 50, 10_000] {
          let bands = sums(pictures[0], pictures[1], EASEL_ALPHA_STRAIGHT, rowsInBand: rows, rowsAtOnce: rowsAtOnce)
          #expect(abs(score(pictures, bands) - whole) < 1e-9, "\(rows) rows in a band")
        }
      }
    }

    @Test func equalPicturesHaveNoErrors() {
      var noise = Noise(3)
      for format in KernelTests.formats {
        let picture = PixelBuffer(random: 77, 41, format, &noise)
        let errors = sums(picture, picture, EASEL_ALPHA_STRAIGHT, rowsInBand: 32)
        #expect(bytes(errors).allSatisfy { $0 == 0 } && score([picture, picture], errors) == 100)
      }
    }

    @Test func aBandKeepsAKilobyteForEachColumn() {
      func bytes(_ width: Int, _ height: Int) -> Int {
        let picture = PixelBuffer(width, height, EASEL_FORMAT_GRAY8)
        let part = easel_visual_picture(
          pixels: picture.bytes, stride: picture.stride, format: picture.format, alpha: EASEL_ALPHA_OPAQUE,
          is_bgr: false)
        var pair = easel_visual_pair(pictures: (part, part), width: width, height: height, background: 0.5)
        var band: OpaquePointer?
        #expect(easel_visual_band_create(&pair, 0, height, &band) == EASEL_OK)
        defer { easel_visual_band_destroy(band) }
        return easel_visual_band_bytes(band)
      }
      #expect(bytes(4000, 200) == bytes(4000, 2000))
      #expect(bytes(4000, 200) < 4000 * 1024 + 100_000)
    }

    @Test func wrongBandsAreRefused() {
      let picture = PixelBuffer(9, 70)
      let part = easel_visual_picture(
        pixels: picture.bytes, stride: picture.stride, format: picture.format, alpha: EASEL_ALPHA_OPAQUE, is_bgr: false)
      var pair = easel_visual_pair(pictures: (part, part), width: 9, height: 70, background: 0.5)
      var band: OpaquePointer?
      for (first, end) in [(1, 70), (0, 33), (32, 32), (64, 32)] {
        #expect(easel_visual_band_create(&pair, first, end, &band) == EASEL_BAD_ARGUMENT)
      }
      pair.width = 0
      #expect(easel_visual_band_create(&pair, 0, 70, &band) == EASEL_BAD_ARGUMENT)
      pair.width = .max
      #expect(easel_visual_band_create(&pair, 0, 70, &band) == EASEL_TOO_LARGE)
    }
  }
}
