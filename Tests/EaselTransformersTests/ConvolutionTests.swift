import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct ConvolutionTests {
  static let matrices: [[[Double]]] = [
    [[1, 2, 1], [2, 4, 2], [1, 2, 1]], [[0, 1, 0], [1, -3, 1], [0, 1, 0]], [[0.5, 0, 0, 0, 0.5]], [[1], [0], [-1]],
    (0..<15).map { row in (0..<15).map { Double(($0 * row) % 7) + 1 } },
  ]

  /// The sum of products for each component of an opaque picture, with pixels at the edges repeated.
  private func expected(_ bitmap: Bitmap, _ matrix: [[Double]], _ x: Int, _ y: Int) -> [Double] {
    var sums = [Double](repeating: 0, count: bitmap.components(0, 0).count)
    for (row, numbers) in matrix.enumerated() {
      for (column, number) in numbers.enumerated() {
        let pixel = bitmap.components(
          min(max(0, x + column - numbers.count / 2), bitmap.width - 1),
          min(max(0, y + row - matrix.count / 2), bitmap.height - 1))
        for index in sums.indices { sums[index] += Double(pixel[index]) * number }
      }
    }
    return sums
  }

  @Test(arguments: matrices, [PixelFormat.opaqueRGBA8, .gray8, PixelFormat(.rgba16, alpha: .opaque)])
  func eachPixelIsASumOfItsNeighbours(matrix: [[Double]], format: PixelFormat) throws {
    // More columns than the kernel takes at once, fewer rows than a large matrix has.
    let bitmap = try Bitmap.noise(131, 9, format)
    let most = format.layout == .rgba16 ? 65_535.0 : 255
    let sum = matrix.joined().reduce(0, +)
    let normalized = matrix.map { $0.map { $0 / sum } }
    let normalizes = sum != 0
    let result = try TransformerPipeline.convolution(matrix, normalizes: true).run(bitmap)
    #expect(result.size == bitmap.size && result.format == format)
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width {
        let sums = expected(bitmap, normalizes ? normalized : matrix, x, y)
        let components = result.components(x, y)
        // The alpha of an opaque picture stays.
        for index in 0..<min(3, sums.count) {
          let value = min(max(0, sums[index]), most)
          #expect(abs(Double(components[index]) - value) <= 1 + most / 100_000, "at \(x),\(y)")
        }
      }
    }
  }

  @Test func theTransparencyStays() throws {
    let bitmap = try Bitmap.noise(40, 12, .rgba8)
    for matrix in Self.matrices {
      let result = try TransformerPipeline.convolution(matrix).run(bitmap)
      for y in 0..<12 {
        for x in 0..<40 { #expect(result.components(x, y)[3] == bitmap.components(x, y)[3]) }
      }
    }
  }

  @Test func transparentNeighboursLendNoColour() throws {
    // Green pixels that are not seen, beside a red one.
    let bitmap = try Bitmap(3, 1, .rgba8) { x, _ in x == 1 ? [200, 0, 0, 255] : [0, 255, 0, 0] }
    let result = try TransformerPipeline.convolution([[1, 1, 1]]).run(bitmap)
    #expect(result.components(1, 0) == [200, 0, 0, 255])
    #expect(result.components(0, 0)[3] == 0 && result.components(2, 0)[3] == 0)
  }

  @Test func aMatrixOfItsMiddleAloneChangesNothing() throws {
    let bitmap = try Bitmap.noise(20, 9, .rgba8)
    #expect(try TransformerPipeline.convolution([[1]]).run(bitmap) == bitmap)
    #expect(
      try TransformerPipeline.convolution([[0, 0, 0], [0, 4, 0], [0, 0, 0]], normalizes: true).run(bitmap) == bitmap)
    #expect(try TransformerPipeline.convolution([[0, 2, 0]]).run(bitmap) != bitmap)
  }

  @Test func aSumOfZeroIsNoDivisor() throws {
    let edges = [[0.0, 1, 0], [1, -4, 1], [0, 1, 0]]
    #expect(
      TransformerPipeline.convolution(edges, normalizes: true).cacheKey
        == TransformerPipeline.convolution(edges).cacheKey)
    let flat = try Bitmap(9, 9, PixelColor(red: 90, green: 70, blue: 50), .opaqueRGBA8)
    let result = try TransformerPipeline.convolution(edges).run(flat)
    #expect(result.components(0, 0) == [0, 0, 0, 255] && result.components(4, 4) == [0, 0, 0, 255])
  }

  static let nonsense: [([[Double]], String)] = [
    ([], "same number"), ([[]], "same number"), ([[1, 2, 3], [1, 2]], "same number"), ([[1, 2]], "odd sides"),
    ([[1], [2]], "odd sides"), ([Array(repeating: 1, count: 17)], "at most 15"),
    (Array(repeating: [1], count: 17), "at most 15"), ([[.nan]], "from -1000000"), ([[2e6]], "from -1000000"),
    ([[1e-7]], "farther"),
  ]

  @Test(arguments: nonsense)
  func matricesWithoutSenseAreRefused(matrix: [[Double]], rule: String) throws {
    let bitmap = try Bitmap.noise(9, 9, .rgba8)
    let error = #expect(throws: ImageError.self) {
      try TransformerPipeline.convolution(matrix, normalizes: true).run(bitmap)
    }
    #expect(error?.code == .transformFailed && error?.message.contains(rule) == true, "\(error!)")
  }

  @Test func aCancelledConvolutionEnds() throws {
    let bitmap = try Bitmap.noise(9, 9, .rgba8)
    let error = #expect(throws: ImageError.self) {
      try TransformerPipeline.convolution(Self.matrices[0]).transform(
        Image(bitmap), work: WorkContext(isCancelled: true))
    }
    #expect(error?.code == .cancelled)
  }
}
