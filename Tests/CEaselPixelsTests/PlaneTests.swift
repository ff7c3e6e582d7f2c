import CEaselPixels
import Glibc
import Testing

extension SerializedPixelTests {
  /// Compares planes that are made smaller row by row with the formula of the filter.
  @Suite struct PlaneTests {
    private struct Plane {
      var width: Int
      var height: Int
      var samples: [UInt16]

      init(_ width: Int, _ height: Int, most: Int, _ noise: inout Noise) {
        (self.width, self.height) = (width, height)
        samples = (0..<width * height).map { _ in UInt16(noise.next(in: 0...most)) }
      }
    }

    private struct Box {
      var x = 0.0
      var y = 0.0
      var width: Double
      var height: Double
    }

    private func spec(_ plane: Plane, _ box: Box, _ width: Int, _ height: Int) -> easel_plane_spec {
      easel_plane_spec(
        source_width: plane.width, source_height: plane.height, box_x: box.x, box_y: box.y, box_width: box.width,
        box_height: box.height, width: width, height: height)
    }

    private func resized(
      _ plane: Plane, _ box: Box, _ width: Int, _ height: Int, isWide: Bool, weights: [Float]? = nil, times: Int = 1
    ) -> [Float] {
      var spec = spec(plane, box, width, height)
      var resampler: OpaquePointer?
      #expect(easel_plane_resampler_create(&spec, &resampler) == EASEL_OK)
      defer { easel_plane_resampler_destroy(resampler) }
      var result: [Float] = []
      for _ in 0..<times {
        easel_plane_resampler_reset(resampler)
        result = []
        var line = [Float](repeating: 0, count: width)
        while result.count < width * height {
          if easel_plane_resampler_pull(resampler, &line) {
            result += line
            continue
          }
          let row = easel_plane_resampler_pushed_rows(resampler)
          #expect(!easel_plane_resampler_is_ready(resampler))
          let samples = Array(plane.samples[(row * plane.width)..<((row + 1) * plane.width)])
          let factors = weights.map { Array($0[(row * plane.width)..<((row + 1) * plane.width)]) }
          let isPushed = push(samples, isWide: isWide, weights: factors, to: resampler)
          #expect(isPushed)
          if !isPushed { break }
        }
        #expect(!easel_plane_resampler_pull(resampler, &line))
      }
      return result
    }

    private func push(_ row: [UInt16], isWide: Bool, weights: [Float]?, to resampler: OpaquePointer?) -> Bool {
      if isWide { return easel_plane_resampler_push(resampler, row, true, weights) }
      return easel_plane_resampler_push(resampler, row.map(UInt8.init), false, weights)
    }

    /// The weight of each sample of an axis for one target sample, by the definition of the filter.
    private func weights(_ count: Int, from start: Double, length: Double, outputs: Int, _ output: Int) -> [Double] {
      let step = length / Double(outputs), scale = max(1, step)
      let center = start + (Double(output) + 0.5) * step
      func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
      let raw = (0..<count).map { index -> Double in
        let x = (Double(index) + 0.5 - center) / scale
        return abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0
      }
      let sum = raw.reduce(0, +)
      return raw.map { $0 / sum }
    }

    private func exact(_ plane: Plane, _ box: Box, _ width: Int, _ height: Int, factors: [Float]? = nil) -> [Double] {
      let columns = (0..<width).map { weights(plane.width, from: box.x, length: box.width, outputs: width, $0) }
      let rows = (0..<height).map { weights(plane.height, from: box.y, length: box.height, outputs: height, $0) }
      let samples = plane.samples.indices.map { Double(plane.samples[$0]) * Double(factors?[$0] ?? 1) }
      let filtered = (0..<plane.height).map { y in
        columns.map { column in column.indices.reduce(0.0) { $0 + column[$1] * samples[y * plane.width + $1] } }
      }
      return rows.flatMap { row in
        (0..<width).map { x in row.indices.reduce(0.0) { $0 + row[$1] * filtered[$1][x] } }
      }
    }

    @Test(arguments: [(255, false), (1023, true), (4095, true), (65_535, true)])
    func rowsAreThoseOfTheFormula(most: Int, isWide: Bool) {
      var noise = Noise(UInt64(most))
      let sizes = [((40, 30), (7, 5)), ((100, 9), (3, 9)), ((5, 70), (2, 1)), ((9, 8), (20, 17)), ((1, 1), (1, 1))]
      for (source, target) in sizes {
        let plane = Plane(source.0, source.1, most: most, &noise)
        let box = Box(width: Double(source.0), height: Double(source.1))
        let results = atEveryLevel {
          resized(plane, box, target.0, target.1, isWide: isWide).withUnsafeBytes(Array.init)
        }
        #expect(results.allSatisfy { $0 == results[0] }, "All kernels give the same bits.")
        let expected = exact(plane, box, target.0, target.1)
        let seen = resized(plane, box, target.0, target.1, isWide: isWide)
        #expect(zip(seen, expected).allSatisfy { abs(Double($0) - $1) < Double(most) * 1e-5 }, "\(source) to \(target)")
      }
    }

    @Test func aPartThatBeginsBetweenSamplesIsReadThere() {
      var noise = Noise(3)
      let plane = Plane(33, 21, most: 255, &noise)
      let box = Box(x: 0.5, y: 2.5, width: 31.5, height: 16)
      let seen = resized(plane, box, 8, 4, isWide: false, times: 2)
      let expected = exact(plane, box, 8, 4)
      #expect(zip(seen, expected).allSatisfy { abs(Double($0) - $1) < 0.003 })
    }

    @Test func samplesAreMultipliedByTheirWeights() {
      var noise = Noise(4)
      let plane = Plane(30, 20, most: 1023, &noise)
      let factors = (0..<600).map { _ in Float(noise.next(in: 0...1000)) / 1000 }
      let box = Box(width: 30, height: 20)
      let seen = resized(plane, box, 6, 5, isWide: true, weights: factors)
      let expected = exact(plane, box, 6, 5, factors: factors)
      #expect(zip(seen, expected).allSatisfy { abs(Double($0) - $1) < 0.01 })
    }

    /// The result for a plane that is read as a whole; nil if rows must be pushed.
    private func read(_ plane: Plane, _ box: Box, _ width: Int, _ height: Int, times: Int = 1) -> [Float]? {
      var spec = spec(plane, box, width, height)
      var resampler: OpaquePointer?
      #expect(easel_plane_resampler_create(&spec, &resampler) == EASEL_OK)
      defer { easel_plane_resampler_destroy(resampler) }
      // Rows lie apart, and between them is what must not be read.
      let stride = plane.width + 5
      var bytes = [UInt8](repeating: 255, count: stride * plane.height)
      for (index, sample) in plane.samples.enumerated() {
        bytes[index / plane.width * stride + index % plane.width] = UInt8(sample)
      }
      var line = [Float](repeating: 0, count: width)
      var result: [Float] = []
      for _ in 0..<times {
        easel_plane_resampler_reset(resampler)
        result = []
        while easel_plane_resampler_read(resampler, bytes, stride, &line) { result += line }
      }
      #expect(result.isEmpty || result.count == width * height)
      return result.isEmpty ? nil : result
    }

    @Test func aPlaneInMemoryIsReadAsAWhole() {
      var noise = Noise(9)
      let sizes = [
        ((40, 30), (7, 5)), ((100, 90), (3, 9)), ((5, 70), (2, 1)), ((171, 119), (40, 20)), ((70, 65), (1, 1)),
      ]
      for (source, target) in sizes {
        let plane = Plane(source.0, source.1, most: 255, &noise)
        for box in [
          Box(width: Double(source.0), height: Double(source.1)),
          Box(x: 1.5, y: 2, width: Double(source.0) - 2, height: Double(source.1) - 3.5),
        ] {
          let results = atEveryLevel {
            (read(plane, box, target.0, target.1) ?? []).withUnsafeBytes(Array.init)
          }
          #expect(results.allSatisfy { !$0.isEmpty && $0 == results[0] }, "All kernels give the same bits.")
          let seen = read(plane, box, target.0, target.1, times: 2) ?? []
          let expected = exact(plane, box, target.0, target.1)
          #expect(zip(seen, expected).allSatisfy { abs(Double($0) - $1) < 0.05 }, "\(source) to \(target)")
        }
      }
    }

    @Test func aPlaneOfOneValueKeepsIt() {
      var noise = Noise(10)
      for value in [1, 200, 255] {
        var plane = Plane(75, 61, most: 0, &noise)
        for index in plane.samples.indices { plane.samples[index] = UInt16(value) }
        let seen = read(plane, Box(width: 75, height: 61), 6, 5)
        #expect(seen?.allSatisfy { abs($0 - Float(value)) < 0.001 } == true)
      }
    }

    @Test func ofLittleSmallerPlanesRowsMustBePushed() {
      var noise = Noise(11)
      let plane = Plane(9, 8, most: 255, &noise)
      for height in [17, 8, 6] { #expect(read(plane, Box(width: 9, height: 8), 4, height) == nil) }
    }

    @Test func aRowOfFloatsCountsAsOne() {
      var noise = Noise(5)
      let plane = Plane(17, 4, most: 255, &noise)
      var spec = spec(plane, Box(width: 17, height: 4), 5, 1)
      var resampler: OpaquePointer?
      #expect(easel_plane_resampler_create(&spec, &resampler) == EASEL_OK)
      defer { easel_plane_resampler_destroy(resampler) }
      #expect(easel_plane_resampler_bytes(resampler) > 17 * 4)
      for row in 0..<4 {
        let floats = plane.samples[(row * 17)..<((row + 1) * 17)].map(Float.init)
        #expect(easel_plane_resampler_push_floats(resampler, floats))
      }
      // The rows wait to be pulled, and there are no more.
      let floats = [Float](repeating: 0, count: 17)
      #expect(!easel_plane_resampler_push_floats(resampler, floats))
      var line = [Float](repeating: 0, count: 5)
      #expect(easel_plane_resampler_pull(resampler, &line))
      #expect(line == resized(plane, Box(width: 17, height: 4), 5, 1, isWide: false))
      #expect(!easel_plane_resampler_push_floats(resampler, floats))
    }

    @Test func badSpecsAreRefused() {
      var noise = Noise(6)
      let plane = Plane(4, 4, most: 9, &noise)
      var resampler: OpaquePointer?
      for (box, width) in [
        (Box(width: 5, height: 4), 2), (Box(x: -1, width: 4, height: 4), 2), (Box(width: 0, height: 4), 2),
        (Box(y: .nan, width: 4, height: 4), 2), (Box(width: 4, height: 4), 0),
      ] {
        var spec = spec(plane, box, width, 2)
        #expect(easel_plane_resampler_create(&spec, &resampler) == EASEL_BAD_ARGUMENT && resampler == nil)
      }
      var spec = spec(plane, Box(width: 4, height: 4), 1 << 25, 2)
      #expect(easel_plane_resampler_create(&spec, &resampler) == EASEL_TOO_LARGE && resampler == nil)
    }
  }
}
