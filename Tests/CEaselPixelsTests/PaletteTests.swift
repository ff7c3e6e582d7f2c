import CEaselPixels
import Testing

extension SerializedPixelTests {
  @Suite struct PaletteTests {
    private struct Drawn {
      var colors: [UInt8] = []
      var indices: [UInt8] = []
      var error = 0.0
    }

    /// A palette of the picture and its indices; nil if the work was stopped.
    private func draw(
      _ picture: PixelBuffer, before: PixelBuffer? = nil, most: Int, wantedError: Double = 0, diffusion: Float = 0.8,
      skipped: Int32 = -1, calls: Int = .max
    ) -> Drawn? {
      var left = calls
      return withUnsafeMutablePointer(to: &left) { left in
        let caller = easel_palette_caller(
          may_go_on: {
            let left = $0!.assumingMemoryBound(to: Int.self)
            left.pointee -= 1
            return left.pointee >= 0
          }, context: left)
        var source = easel_palette_picture(
          pixels: picture.bytes, before: before.map { UnsafeRawPointer($0.bytes) }, stride: picture.stride,
          before_stride: before?.stride ?? 0, width: picture.width, height: picture.height)
        var maker: OpaquePointer?
        #expect(easel_palette_maker_create(&maker))
        defer { easel_palette_maker_destroy(maker) }
        guard easel_palette_maker_add(maker, &source, skipped >= 0, caller) else { return nil }
        var result = Drawn()
        var colors = [UInt8](repeating: 0, count: 1024)
        let count = easel_palette_choose(maker, most, wantedError, &colors, &result.error, caller)
        guard count > 0 else { return nil }
        result.colors = Array(colors.prefix(4 * count))
        result.indices = [UInt8](repeating: 0, count: picture.width * picture.height)
        let isDone = colors.withUnsafeBufferPointer {
          var drawing = easel_palette_drawing(
            colors: $0.baseAddress, count: count, skipped: skipped, diffusion: diffusion, tolerance: 1)
          return easel_palette_draw(&drawing, &source, &result.indices, caller)
        }
        return isDone ? result : nil
      }
    }

    /// Colours that change slowly, with alpha that changes along a diagonal.
    private func waves(_ width: Int, _ height: Int, hasAlpha: Bool = true) -> PixelBuffer {
      let picture = PixelBuffer(width, height)
      for y in 0..<height {
        for x in 0..<width {
          let alpha = hasAlpha ? min(255, (x + y) * 3) : 255
          picture[x, y] = [UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8((x ^ y) & 127), UInt8(alpha)]
        }
      }
      return picture
    }

    private func drawn(_ result: Drawn) -> [UInt8] {
      result.indices.flatMap { result.colors[4 * Int($0)..<4 * Int($0) + 4] }
    }

    /// The mean square of the differences of premultiplied components.
    private func error(of result: Drawn, for picture: PixelBuffer) -> Double {
      func premultiplied(_ bytes: [UInt8]) -> [Double] {
        bytes.indices.map { Double(bytes[$0]) * ($0 % 4 == 3 ? 1 : Double(bytes[$0 | 3]) / 255) }
      }
      let pairs = zip(premultiplied(drawn(result)), premultiplied(picture.contents))
      return pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } / Double(picture.count)
    }

    @Test func everyLevelGivesTheSamePalette() throws {
      var noise = Noise(7)
      for (width, height) in [(1, 1), (1, 30), (33, 1), (64, 40), (131, 77)] {
        for picture in [waves(width, height), PixelBuffer(random: width, height, EASEL_FORMAT_RGBA8, &noise)] {
          for most in [1, 2, 16, 256] {
            let results = atEveryLevel {
              draw(picture, most: most).map { $0.colors + $0.indices } ?? []
            }
            #expect(results[0].count > width * height)
            #expect(results.allSatisfy { $0 == results[0] }, "\(width)x\(height), \(most) colours")
          }
        }
      }
    }

    @Test(arguments: [1, 2, 3, 17, 255, 256], [Float(0), 1])
    func fewColoursAreKept(colors: Int, diffusion: Float) throws {
      let picture = PixelBuffer(40, 23)
      for y in 0..<23 {
        for x in 0..<40 {
          let index = (y * 40 + x) % colors
          picture[x, y] =
            index == 0 ? [0, 0, 0, 0] : [UInt8(index * 11 % 256), UInt8(index), UInt8(255 - index), 255]
        }
      }
      let result = try #require(draw(picture, most: 256, diffusion: diffusion))
      #expect(drawn(result) == picture.contents && result.error == 0)
      #expect(result.colors.count == 4 * colors)
    }

    @Test func moreColoursAreNearer() throws {
      let picture = waves(120, 90)
      var before = Double.infinity
      for most in [2, 4, 16, 64, 256] {
        let result = try #require(draw(picture, most: most, diffusion: 0))
        #expect(result.colors.count == 4 * most)
        let error = error(of: result, for: picture)
        #expect(error < before * 0.75, "\(most) colours")
        before = error
      }
      #expect(before < 60)
    }

    @Test func aWantedErrorNeedsFewerColours() throws {
      let picture = waves(90, 70, hasAlpha: false)
      var before = 0
      for wanted in [600.0, 200, 60] {
        let result = try #require(draw(picture, most: 256, wantedError: wanted))
        #expect(result.error <= wanted && result.colors.count > before && result.colors.count < 1024, "error \(wanted)")
        before = result.colors.count
      }
    }

    @Test func diffusionKeepsTheMeanOfAnEvenArea() throws {
      // Two colours with a third between them.
      let picture = PixelBuffer(60, 60)
      for y in 0..<60 {
        for x in 0..<60 { picture[x, y] = y < 4 ? [0, 0, 0, 255] : y < 8 ? [200, 200, 200, 255] : [60, 60, 60, 255] }
      }
      func mean(_ colors: [UInt8], _ diffusion: Float) throws -> Double {
        var source = easel_palette_picture(
          pixels: picture.bytes, before: nil, stride: picture.stride, before_stride: 0, width: 60, height: 60)
        var indices = [UInt8](repeating: 9, count: 3600)
        let isDone = colors.withUnsafeBufferPointer {
          var drawing = easel_palette_drawing(
            colors: $0.baseAddress, count: 2, skipped: -1, diffusion: diffusion, tolerance: 0)
          return easel_palette_draw(&drawing, &source, &indices, easel_palette_caller())
        }
        #expect(isDone)
        return Double(indices[1200...].reduce(0) { $0 + Int(colors[4 * Int($1)]) }) / 2400
      }
      let colors: [UInt8] = [40, 40, 40, 255, 80, 80, 80, 255]
      #expect(try abs(mean(colors, 1) - 60) < 1)
      #expect(try [40, 80].contains(mean(colors, 0)))
    }

    @Test func skippedPixelsNeedNoColour() throws {
      let picture = PixelBuffer(8, 4)
      let before = PixelBuffer(8, 4)
      for y in 0..<4 {
        for x in 0..<8 {
          picture[x, y] = x < 4 ? [9, 8, 7, 255] : y == 0 ? [0, 0, 0, 0] : [1, 200, 3, 255]
          before[x, y] = x < 4 ? [9, 8, 7, 255] : [0, 0, 0, 255]
        }
      }
      let result = try #require(draw(picture, before: before, most: 256, skipped: 77))
      #expect(result.colors == [1, 200, 3, 255])
      #expect(result.indices == (0..<32).map { $0 % 8 < 4 || $0 < 8 ? 77 : 0 })
    }

    @Test func theWorkCanBeStopped() {
      let picture = waves(24, 20)
      var calls = 0
      while draw(picture, most: 16, calls: calls) == nil { calls += 1 }
      // Each row is asked for when it is counted and when it is drawn.
      #expect(calls > 40 && calls < 80)
    }
  }
}
