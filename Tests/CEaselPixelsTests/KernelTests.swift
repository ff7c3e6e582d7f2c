import CEaselPixels
import Testing

extension SerializedPixelTests {
  @Suite struct KernelTests {
    static let formats = [EASEL_FORMAT_GRAY8, EASEL_FORMAT_RGBA8, EASEL_FORMAT_RGBA16]

    /// Runs a kernel from a random source into a target at every level and compares the results.
    func agree(
      _ name: String, formats: [easel_format] = formats, rounds: Int = 30,
      _ kernel: (PixelBuffer, PixelBuffer) -> Void
    ) {
      var noise = Noise(7)
      for _ in 0..<rounds {
        for format in formats {
          let (width, height) = (noise.next(in: 1...75), noise.next(in: 1...20))
          let source = PixelBuffer(random: width, height, format, &noise)
          let backdrop = PixelBuffer(random: width, height, format, &noise)
          let results = atEveryLevel {
            let target = PixelBuffer(copy: backdrop)
            kernel(source, target)
            return target.contents
          }
          #expect(results.allSatisfy { $0 == results[0] }, "\(name) \(width)x\(height), format \(format.rawValue)")
        }
      }
    }

    @Test func everyLevelGivesTheSameBits() {
      agree("premultiply") {
        easel_premultiply($0.format, $0.bytes, $0.stride, $1.bytes, $1.stride, $0.width, $0.height)
      }
      agree("unpremultiply") {
        easel_unpremultiply($0.format, $0.bytes, $0.stride, $1.bytes, $1.stride, $0.width, $0.height)
      }
      agree("swap") { easel_swap_red_blue($0.format, $0.bytes, $0.stride, $1.bytes, $1.stride, $0.width, $0.height) }
      agree("flip") { easel_flip($0.format, true, true, $0.bytes, $0.stride, $1.bytes, $1.stride, $0.width, $0.height) }
      let matrix: [Float] = [0.3, 0.6, 0.1, 0, 0, 0.2, 0.7, 0.1, 0.1, -0.1, 0, 0.5, 1.5, 0, 0, 0.1, 0, 0, 0.9, 0]
      let kernel: [Float] = [0, -1, 0, -1, 5, -1, 0, -1, 0]
      for alpha in [EASEL_ALPHA_OPAQUE, EASEL_ALPHA_STRAIGHT, EASEL_ALPHA_PREMULTIPLIED] {
        agree("matrix") {
          easel_color_matrix(
            $0.format, alpha, $0.bytes, $0.stride, $1.bytes, $1.stride, $0.width, $0.height, matrix)
        }
        agree("convolve") {
          easel_convolve(
            $0.format, alpha, $0.bytes, $0.stride, $1.bytes, $1.stride, $0.width, $0.height, 0, $0.height, kernel, 3, 3)
        }
        agree("unsharp") {
          easel_unsharp($0.format, alpha, $0.bytes, $0.stride, $1.bytes, $1.stride, $0.width, $0.height, 0.7, 0.02)
        }
        agree("blur") {
          #expect(
            easel_blur_rows($0.format, alpha, 2.3, 3, $0.bytes, $0.stride, $1.bytes, $1.stride, $0.width, $0.height)
              == EASEL_OK)
          #expect(
            easel_blur_columns($0.format, alpha, 2.3, 3, $1.bytes, $1.stride, $1.width, $1.height, 0, $1.width)
              == EASEL_OK)
        }
        agree("rotate") {
          easel_rotate(
            $0.format, alpha, true, $0.bytes, $0.stride, $0.width, $0.height, $1.bytes, $1.stride, alpha, $1.width,
            $1.height, 0.4, 0, $1.height)
        }
        for mode in Array(0...11) + Array(16...26) {
          agree("blend \(mode)", rounds: 4) {
            easel_blend(
              $0.format, easel_blend_mode(UInt32(mode)), 0.8, $0.bytes, $0.stride, alpha, $1.bytes, $1.stride, alpha,
              $0.width, $0.height)
          }
        }
      }
    }

    @Test(arguments: formats, [EASEL_ALPHA_OPAQUE, EASEL_ALPHA_STRAIGHT, EASEL_ALPHA_PREMULTIPLIED])
    func theEndsOfABorderAgreeWithTheReference(format: easel_format, alpha: easel_alpha) {
      var noise = Noise(8)
      let deep = format == EASEL_FORMAT_RGBA16
      let low: [UInt16] = [0, 0, 0, 0]
      let high: [UInt16] = deep ? [40_000, 40_000, 40_000, 65_535] : [150, 150, 150, 255]
      for _ in 0..<200 {
        // Rows are longer than the chunks in which vectors look.
        let width = noise.next(in: 1...300)
        let row = PixelBuffer(width, 1, format)
        let lit = (0..<noise.next(in: 0...2)).map { _ in noise.next(in: 0...(width - 1)) }
        for x in lit { row[x, 0] = [UInt8](repeating: 255, count: row.pixelBytes) }
        let results = atEveryLevel {
          var (first, end) = (-1, -1)
          let isThere = easel_find_outside(format, alpha, row.bytes, width, low, high, &first, &end)
          #expect(isThere == !lit.isEmpty)
          return isThere ? [first, end].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } : []
        }
        let ends = lit.isEmpty ? [] : [lit.min()!, lit.max()! + 1].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(results.allSatisfy { $0 == ends }, "\(width): \(lit)")
      }
      // With any bytes, all levels find the same.
      for _ in 0..<50 {
        let width = noise.next(in: 1...300)
        let row = PixelBuffer(random: width, 1, format, &noise)
        let top = deep ? 65_535 : 255
        let least = (0..<4).map { _ in UInt16(noise.next(in: 0...(top / 50))) }
        let most = (0..<4).map { _ in UInt16(noise.next(in: (top * 49 / 50)...top)) }
        let results = atEveryLevel {
          var (first, end) = (-1, -1)
          let isThere = easel_find_outside(format, alpha, row.bytes, width, least, most, &first, &end)
          return [isThere ? 1 : 0] + [first, end].flatMap { [UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
        }
        #expect(results.allSatisfy { $0 == results[0] }, "\(width)")
      }
    }

    @Test func unfilteringAgreesWithTheReference() {
      var noise = Noise(9)
      for _ in 0..<200 {
        for bytesPerPixel in [1, 2, 3, 4, 6, 8] {
          let bytes = noise.next(in: 1...40) * bytesPerPixel
          let rows = PixelBuffer(random: bytes, 2, EASEL_FORMAT_GRAY8, &noise)
          for filter in Int32(0)...4 {
            for first in [false, true] {
              let results = atEveryLevel {
                let copy = PixelBuffer(copy: rows)
                #expect(
                  easel_png_unfilter(filter, bytesPerPixel, copy.bytes + bytes, first ? nil : copy.bytes, bytes))
                return copy.contents
              }
              #expect(results.allSatisfy { $0 == results[0] })
            }
          }
        }
      }
      #expect(!easel_png_unfilter(5, 4, nil, nil, 0))
    }

    @Test func unfilteringUndoesFiltering() {
      var noise = Noise(10)
      for bytesPerPixel in [1, 2, 3, 4, 6, 8] {
        let bytes = 13 * bytesPerPixel
        let rows = PixelBuffer(random: bytes, 2, EASEL_FORMAT_GRAY8, &noise).contents
        let above = Array(rows[..<bytes]), row = Array(rows[bytes...])
        for filter in 0...4 {
          var filtered = row
          for index in 0..<bytes {
            let left = index < bytesPerPixel ? 0 : Int(row[index - bytesPerPixel])
            let corner = index < bytesPerPixel ? 0 : Int(above[index - bytesPerPixel])
            let guess = predicted(filter, left, Int(above[index]), corner)
            filtered[index] = UInt8(truncatingIfNeeded: Int(row[index]) - guess)
          }
          #expect(easel_png_unfilter(Int32(filter), bytesPerPixel, &filtered, above, bytes))
          #expect(filtered == row)
        }
      }
    }

    @Test func filteringGivesTheBytesOfThePNGStandard() {
      var noise = Noise(11)
      for bytesPerPixel in [1, 2, 3, 4, 6, 8] {
        for _ in 0..<20 {
          let bytes = noise.next(in: 1...150)
          let rows = PixelBuffer(random: bytes, 2, EASEL_FORMAT_GRAY8, &noise).contents
          let above = Array(rows[..<bytes]), row = Array(rows[bytes...])
          var sums: [UInt64] = []
          for filter in 0...4 {
            let expected = (0..<bytes).map { index in
              let left = index < bytesPerPixel ? 0 : Int(row[index - bytesPerPixel])
              let corner = index < bytesPerPixel ? 0 : Int(above[index - bytesPerPixel])
              let guess = predicted(filter, left, Int(above[index]), corner)
              return UInt8(truncatingIfNeeded: Int(row[index]) - guess)
            }
            sums.append(expected.reduce(0) { $0 + UInt64(Int8(bitPattern: $1).magnitude) })
            let results = atEveryLevel {
              var target = [UInt8](repeating: 0, count: bytes)
              #expect(easel_png_filter(Int32(filter), bytesPerPixel, row, above, bytes, &target))
              return target
            }
            #expect(results.allSatisfy { $0 == expected })
          }
          let results = atEveryLevel {
            var found = [UInt64](repeating: 0, count: 5)
            easel_png_filter_sums(bytesPerPixel, row, above, bytes, &found)
            return found.map { UInt8(truncatingIfNeeded: $0) } + found.map { UInt8(truncatingIfNeeded: $0 >> 8) }
          }
          let expected = sums.map { UInt8(truncatingIfNeeded: $0) } + sums.map { UInt8(truncatingIfNeeded: $0 >> 8) }
          #expect(results.allSatisfy { $0 == expected })
        }
      }
      #expect(!easel_png_filter(5, 4, [0], [0], 1, nil))
    }

    @Test func bytesOfWideSamplesAreSwapped() {
      var noise = Noise(12)
      for width in [1, 5, 6, 16, 33, 100] {
        let pixels = PixelBuffer(random: width, 1, EASEL_FORMAT_RGBA8, &noise).contents
        let swapped = atEveryLevel {
          var target = [UInt8](repeating: 7, count: 4 * width)
          easel_swap_bytes16(pixels, &target, 2 * width)
          return target
        }
        let expected = (0..<4 * width).map { pixels[$0 ^ 1] }
        #expect(swapped.allSatisfy { $0 == expected })
      }
    }

    func predicted(_ filter: Int, _ left: Int, _ above: Int, _ corner: Int) -> Int {
      switch filter {
      case 1: return left
      case 2: return above
      case 3: return (left + above) / 2
      case 4:
        let estimate = left + above - corner
        return [left, above, corner].min { abs(estimate - $0) < abs(estimate - $1) } ?? 0
      default: return 0
      }
    }

    @Test func everyPairOfColourAndAlphaRoundsToNearest() {
      let source = PixelBuffer(256, 256), target = PixelBuffer(256, 256)
      for alpha in 0..<256 {
        for value in 0..<256 { source[value, alpha] = [UInt8(value), 255, 0, UInt8(alpha)] }
      }
      let results = atEveryLevel {
        easel_premultiply(EASEL_FORMAT_RGBA8, source.bytes, 1024, target.bytes, 1024, 256, 256)
        return target.contents
      }
      for result in results {
        let exact = (0..<65536).allSatisfy { Int(result[$0 * 4]) == ($0 % 256 * ($0 / 256) * 2 + 255) / 510 }
        #expect(exact)
      }
      let undone = atEveryLevel {
        easel_unpremultiply(EASEL_FORMAT_RGBA8, source.bytes, 1024, target.bytes, 1024, 256, 256)
        return target.contents
      }
      for result in undone {
        let exact = (0..<65536).allSatisfy { index in
          let (value, alpha) = (index % 256, index / 256)
          return Int(result[index * 4]) == (alpha == 0 ? 0 : min(255, (value * 510 + alpha) / (alpha * 2)))
        }
        #expect(exact)
      }
    }

    @Test func turnsAndFlipsComeBack() {
      var noise = Noise(11)
      for format in Self.formats {
        for (width, height) in [(1, 1), (1, 9), (33, 17), (70, 41)] {
          let source = PixelBuffer(random: width, height, format, &noise)
          let results = atEveryLevel {
            var picture = source
            for _ in 0..<4 {
              let turned = PixelBuffer(picture.height, picture.width, format)
              easel_orient(
                format, 8, picture.bytes, picture.stride, picture.width, picture.height, turned.bytes, turned.stride)
              #expect(turned[0, turned.height - 1] == picture[0, 0])
              picture = turned
            }
            #expect(picture.contents == source.contents)
            let flipped = PixelBuffer(copy: source)
            for _ in 0..<2 {
              easel_flip(
                format, true, true, flipped.bytes, flipped.stride, flipped.bytes, flipped.stride, width, height)
            }
            return flipped.contents
          }
          #expect(results.allSatisfy { $0 == source.contents })
        }
      }
    }

    @Test func opaquePicturesAreRecognised() {
      let picture = PixelBuffer(45, 3)
      picture.fill([1, 2, 3, 255])
      _ = atEveryLevel {
        picture[44, 2] = [0, 0, 0, 255]
        #expect(easel_is_opaque(EASEL_FORMAT_RGBA8, picture.bytes, picture.stride, 45, 3))
        picture[44, 2] = [0, 0, 0, 254]
        #expect(!easel_is_opaque(EASEL_FORMAT_RGBA8, picture.bytes, picture.stride, 45, 3))
        return []
      }
    }

    @Test func onlyTheAskedCornersAreCut() {
      let source = PixelBuffer(40, 30)
      source.fill([200, 100, 50, 255])
      let target = PixelBuffer(40, 30)
      easel_round_corners(
        EASEL_FORMAT_RGBA8, EASEL_ALPHA_OPAQUE, source.bytes, source.stride, target.bytes, target.stride,
        EASEL_ALPHA_STRAIGHT, 40, 30, 0, 30, 10, 1 | 8, 0, nil)
      #expect(target[0, 0] == [0, 0, 0, 0])
      #expect(target[39, 29] == [0, 0, 0, 0])
      #expect(target[39, 0] == [200, 100, 50, 255])
      #expect(target[0, 29] == [200, 100, 50, 255])
      #expect(target[20, 15] == [200, 100, 50, 255])
      #expect((1...254).contains(target[3, 2][3]))
      #expect(target[3, 2][0...2] == [200, 100, 50])
    }

    @Test func aBorderRunsInsideTheEdge() {
      let picture = PixelBuffer(20, 20)
      picture.fill([0, 0, 0, 255])
      easel_round_corners(
        EASEL_FORMAT_RGBA8, EASEL_ALPHA_STRAIGHT, picture.bytes, 80, picture.bytes, 80, EASEL_ALPHA_STRAIGHT, 20, 20, 0,
        20, 0, 15, 2, [1, 0, 0, 1])
      #expect(picture[0, 10] == [255, 0, 0, 255])
      #expect(picture[1, 1] == [255, 0, 0, 255])
      #expect(picture[2, 10] == [0, 0, 0, 255])
      #expect(picture[10, 18] == [255, 0, 0, 255])
    }

    @Test func tintingKeepsTheShape() {
      let picture = PixelBuffer(2, 1)
      picture[0, 0] = [10, 20, 30, 128]
      picture[1, 0] = [10, 20, 30, 0]
      easel_blend_color(
        EASEL_FORMAT_RGBA8, EASEL_BLEND_SOURCE_ATOP, [1, 0, 0, 1], picture.bytes, 8, EASEL_ALPHA_STRAIGHT, 2, 1)
      #expect(picture.contents == [255, 0, 0, 128, 0, 0, 0, 0])
    }

    @Test func blendModesMixAsTheirFormulasSay() {
      let expected: [(easel_blend_mode, UInt8)] = [
        (EASEL_BLEND_NORMAL, 51), (EASEL_BLEND_MULTIPLY, 41), (EASEL_BLEND_SCREEN, 214), (EASEL_BLEND_DARKEN, 51),
        (EASEL_BLEND_LIGHTEN, 204), (EASEL_BLEND_DIFFERENCE, 153), (EASEL_BLEND_EXCLUSION, 173),
        (EASEL_BLEND_OVERLAY, 173), (EASEL_BLEND_HARD_LIGHT, 82), (EASEL_BLEND_COLOR_DODGE, 255),
        (EASEL_BLEND_COLOR_BURN, 0),
      ]
      for (mode, value) in expected {
        let source = PixelBuffer(1, 1), target = PixelBuffer(1, 1)
        source.fill([51, 51, 51, 255])
        target.fill([204, 204, 204, 255])
        easel_blend(
          EASEL_FORMAT_RGBA8, mode, 1, source.bytes, 4, EASEL_ALPHA_STRAIGHT, target.bytes, 4, EASEL_ALPHA_STRAIGHT, 1,
          1)
        #expect(target[0, 0] == [value, value, value, 255], "mode \(mode.rawValue)")
      }
    }

    @Test func conversionsRoundTrip() {
      let narrow = PixelBuffer(64, 1), deep = PixelBuffer(64, 1, EASEL_FORMAT_RGBA16), back = PixelBuffer(64, 1)
      for index in 0..<256 { narrow.bytes.storeBytes(of: UInt8(index), toByteOffset: index, as: UInt8.self) }
      _ = atEveryLevel {
        easel_rgba8_to_rgba16(narrow.bytes, 256, deep.bytes, 512, 64, 1)
        easel_rgba16_to_rgba8(deep.bytes, 512, back.bytes, 256, 64, 1)
        #expect(back.contents == narrow.contents)
        for count in 1...20 {
          let rgb = PixelBuffer(count * 3, 1, EASEL_FORMAT_GRAY8), rgba = PixelBuffer(count, 1)
          rgb.fill([1, 2, 3])
          easel_rgb8_to_rgba8(false, rgb.bytes, rgb.stride, rgba.bytes, rgba.stride, count, 1)
          #expect((0..<count).allSatisfy { rgba[$0, 0] == [1, 2, 3, 255] })
          easel_rgba8_to_rgb8(true, rgba.bytes, rgba.stride, rgb.bytes, rgb.stride, count, 1)
          #expect((0..<3 * count).allSatisfy { rgb[$0, 0] == [UInt8(3 - $0 % 3)] })
        }
        return []
      }
    }

    @Test func blurringAConstantChangesNothingAndRotatingByNothingNeither() {
      var noise = Noise(12)
      let picture = PixelBuffer(37, 23), target = PixelBuffer(37, 23)
      picture.fill([9, 100, 255, 255])
      #expect(
        easel_blur_rows(EASEL_FORMAT_RGBA8, EASEL_ALPHA_OPAQUE, 60.5, 3, picture.bytes, 148, target.bytes, 148, 37, 23)
          == EASEL_OK)
      #expect(
        easel_blur_columns(EASEL_FORMAT_RGBA8, EASEL_ALPHA_OPAQUE, 60.5, 3, target.bytes, 148, 37, 23, 0, 37)
          == EASEL_OK)
      #expect(target.contents == picture.contents)
      let source = PixelBuffer(random: 37, 23, EASEL_FORMAT_RGBA8, &noise)
      for cubic in [false, true] {
        easel_rotate(
          EASEL_FORMAT_RGBA8, EASEL_ALPHA_OPAQUE, cubic, source.bytes, 148, 37, 23, target.bytes, 148,
          EASEL_ALPHA_OPAQUE, 37, 23, 0, 0, 23)
        let (ours, theirs) = (target.contents, source.contents)
        let same = ours.indices.allSatisfy { $0 % 4 == 3 || ours[$0] == theirs[$0] }
        #expect(same)
      }
    }
  }
}
