import CEaselPixels
import Testing

extension SerializedPixelTests {
  /// Compares kernels that process many pixels at once with their formulas applied to single samples.
  @Suite struct ReferenceTests {
    @Test func aTintOfAWholePictureIsThatOfItsRows() {
      var noise = Noise(21)
      let color: [Float] = [0.8, 0.1, 0.5, 0.6]
      for mode in (Array(0...11) + Array(16...26)).map({ easel_blend_mode(UInt32($0)) }) {
        let picture = PixelBuffer(random: 41, 40, EASEL_FORMAT_RGBA8, &noise)
        let whole = PixelBuffer(copy: picture), rows = PixelBuffer(copy: picture)
        easel_blend_color(EASEL_FORMAT_RGBA8, mode, color, whole.bytes, 164, EASEL_ALPHA_OPAQUE, 41, 40)
        for y in 0..<40 {
          easel_blend_color(EASEL_FORMAT_RGBA8, mode, color, rows.bytes + y * 164, 164, EASEL_ALPHA_OPAQUE, 41, 1)
        }
        #expect(whole.contents == rows.contents, "mode \(mode.rawValue)")
      }
    }

    @Test(
      arguments: [EASEL_ALPHA_OPAQUE, EASEL_ALPHA_STRAIGHT, EASEL_ALPHA_PREMULTIPLIED],
      [
        EASEL_ALPHA_OPAQUE, EASEL_ALPHA_PREMULTIPLIED,
      ])
    func aNormalBlendIsThatOfItsFormula(sourceAlpha: easel_alpha, targetAlpha: easel_alpha) {
      var noise = Noise(25)
      for (width, opacity) in [(1, 0.5), (2, 0), (7, 1), (64, 0.5), (75, 0.3), (31, 0.999), (40, 1e-7)]
        as [(Int, Float)]
      {
        let source = PixelBuffer(random: width, 3, EASEL_FORMAT_RGBA8, &noise)
        let backdrop = PixelBuffer(random: width, 3, EASEL_FORMAT_RGBA8, &noise)
        for (picture, alpha) in [(source, sourceAlpha), (backdrop, targetAlpha)]
        where alpha == EASEL_ALPHA_PREMULTIPLIED {
          easel_premultiply(EASEL_FORMAT_RGBA8, picture.bytes, picture.stride, picture.bytes, picture.stride, width, 3)
        }
        let results = atEveryLevel {
          let target = PixelBuffer(copy: backdrop)
          easel_blend(
            EASEL_FORMAT_RGBA8, EASEL_BLEND_NORMAL, opacity, source.bytes, source.stride, sourceAlpha, target.bytes,
            target.stride, targetAlpha, width, 3)
          return target.contents
        }
        #expect(results.allSatisfy { $0 == results[0] })
        for index in 0..<width * 3 {
          let result = Array(results[0][(4 * index)...].prefix(4))
          let exact = blended(
            source[index % width, index / width], sourceAlpha, backdrop[index % width, index / width], targetAlpha,
            Double(opacity))
          #expect(zip(result, exact).allSatisfy { abs(Double($0) - $1) < 0.51 }, "\(result) for \(exact)")
        }
      }
    }

    /// One pixel over another, not rounded.
    private func blended(
      _ source: [UInt8], _ sourceAlpha: easel_alpha, _ target: [UInt8], _ targetAlpha: easel_alpha, _ opacity: Double
    ) -> [Double] {
      let alpha = sourceAlpha == EASEL_ALPHA_OPAQUE ? 255 : Double(source[3])
      let weight = alpha / 255 * opacity
      return (0..<4).map { index in
        let color =
          sourceAlpha == EASEL_ALPHA_PREMULTIPLIED ? Double(source[index]) * opacity : Double(source[index]) * weight
        let backdrop = index == 3 && targetAlpha == EASEL_ALPHA_OPAQUE ? 255 : Double(target[index])
        return min(255, (index == 3 ? 255 * weight : color) + backdrop * (1 - weight))
      }
    }

    @Test(arguments: [true, false])
    func aMatrixMixesEachPixelOnItsOwn(isOpaque: Bool) {
      var noise = Noise(22)
      let matrix: [Float] = [
        0.3, 0.6, 0.1, 0, 0, 0.2, 0.7, 0.1, 0.1, -0.1, 0, 0.5, 1.5, 0, 0, 0.1, 0, 0, 0.9, 0,
      ]
      for width in [1, 7, 63, 64, 65, 200] {
        let source = PixelBuffer(random: width, 3, EASEL_FORMAT_RGBA8, &noise)
        let target = PixelBuffer(width, 3)
        let alpha = isOpaque ? EASEL_ALPHA_OPAQUE : EASEL_ALPHA_STRAIGHT
        easel_color_matrix(
          EASEL_FORMAT_RGBA8, alpha, source.bytes, source.stride, target.bytes, target.stride, width, 3, matrix)
        for y in 0..<3 {
          for x in 0..<width {
            var pixel = source[x, y].map { Float($0) / 255 }
            if isOpaque { pixel[3] = 1 }
            var mixed = (0..<4).map { row -> UInt8 in
              let sum = (0..<4).reduce(matrix[row * 5 + 4]) { $0 + matrix[row * 5 + $1] * pixel[$1] }
              return UInt8(min(max(sum, 0), 1) * 255 + 0.5)
            }
            if isOpaque { mixed[3] = 255 }
            #expect(target[x, y] == mixed, "\(source[x, y]) in \(width)")
          }
        }
      }
    }

    @Test(arguments: [EASEL_ALPHA_OPAQUE, EASEL_ALPHA_STRAIGHT])
    func aTurnOfBytesIsThatOfWords(alpha: easel_alpha) {
      var noise = Noise(23)
      let source = PixelBuffer(random: 90, 70, EASEL_FORMAT_RGBA8, &noise)
      let deepSource = PixelBuffer(90, 70, EASEL_FORMAT_RGBA16)
      easel_rgba8_to_rgba16(source.bytes, source.stride, deepSource.bytes, deepSource.stride, 90, 70)
      for radians in [0.01, 0.4, 2, -1.3] {
        let turned = PixelBuffer(110, 100), deep = PixelBuffer(110, 100, EASEL_FORMAT_RGBA16)
        let expected = PixelBuffer(110, 100)
        for (from, to) in [(source, turned), (deepSource, deep)] {
          // The rows are processed in two parts, as callers may do.
          for rows in [0..<37, 37..<100] {
            easel_rotate(
              from.format, alpha, true, from.bytes, from.stride, 90, 70, to.bytes, to.stride,
              EASEL_ALPHA_PREMULTIPLIED, 110, 100, radians, rows.lowerBound, rows.count)
          }
        }
        easel_rgba16_to_rgba8(deep.bytes, deep.stride, expected.bytes, expected.stride, 110, 100)
        let farthest = zip(turned.contents, expected.contents).map { abs(Int($0) - Int($1)) }.max()
        #expect(farthest! <= 1)
        #expect(expected.contents.contains { $0 > 200 })
      }
    }

    @Test(arguments: KernelTests.formats)
    func aBlurIsThatOfItsLines(format: easel_format) {
      var noise = Noise(24)
      for (width, height) in [(1, 1), (5, 19), (37, 3), (17, 33)] {
        let source = PixelBuffer(random: width, height, format, &noise)
        for radius in [0.4, 2.3, 20.7] {
          let target = PixelBuffer(width, height, format), expected = PixelBuffer(width, height, format)
          #expect(
            easel_blur_rows(
              format, EASEL_ALPHA_OPAQUE, radius, 2, source.bytes, source.stride, target.bytes, target.stride, width,
              height) == EASEL_OK)
          #expect(
            easel_blur_columns(
              format, EASEL_ALPHA_OPAQUE, radius, 2, target.bytes, target.stride, width, height, 0, width) == EASEL_OK)
          blurLines(of: source, into: expected, radius)
          #expect(target.contents == expected.contents, "\(width)x\(height) by \(radius)")
        }
      }
    }

    /// Two passes over the rows and two over the columns, sample by sample.
    private func blurLines(of source: PixelBuffer, into target: PixelBuffer, _ radius: Double) {
      let sampleBytes = source.format == EASEL_FORMAT_RGBA16 ? 2 : 1
      let perRow = source.stride / sampleBytes, perPixel = source.pixelBytes / sampleBytes
      func load(_ index: Int) -> UInt64 {
        guard sampleBytes == 2 else { return UInt64(source.bytes.load(fromByteOffset: index, as: UInt8.self)) }
        return UInt64(source.bytes.load(fromByteOffset: 2 * index, as: UInt16.self))
      }
      var samples = (0..<source.count / sampleBytes).map(load)
      for (step, count) in [(perPixel, source.width), (perRow, source.height)] {
        let starts =
          step == perPixel
          ? (0..<source.height).flatMap { y in (0..<perPixel).map { y * perRow + $0 } } : Array(0..<perRow)
        for start in starts {
          for _ in 0..<2 {
            let line = boxed((0..<count).map { samples[start + $0 * step] }, radius)
            for (index, value) in line.enumerated() { samples[start + index * step] = value }
          }
        }
      }
      for (index, value) in samples.enumerated() {
        if sampleBytes == 2 {
          target.bytes.storeBytes(of: UInt16(value), toByteOffset: 2 * index, as: UInt16.self)
        } else {
          target.bytes.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
        }
      }
    }

    private func boxed(_ line: [UInt64], _ radius: Double) -> [UInt64] {
      let whole = Int(radius), one = UInt64(1) << 24, samples = UInt64(2 * whole + 1)
      var inner = UInt64(Float(one) / (Float(radius) * 2 + 1))
      while inner * samples > one { inner -= 1 }
      let outer = (one - samples * inner) / 2
      func at(_ index: Int) -> UInt64 { line[min(max(index, 0), line.count - 1)] }
      return line.indices.map { x in
        let sum = (x - whole...x + whole).reduce(0) { $0 + at($1) }
        return (sum * inner + (at(x - whole - 1) + at(x + whole + 1)) * outer + one / 2) >> 24
      }
    }
  }
}
