import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import EaselTransformers
import Glibc
import Testing

@testable import EaselJPEG

/// The map of a changed picture is the one that the definition of the filter makes of the map in the file, in one step.
struct GainMapReferenceTests {
  /// A change of a picture, and the part of the picture that it shows.
  struct Change: Sendable, CustomTestStringConvertible {
    let pipeline: TransformerPipeline
    /// The part that is shown, as shares of the picture's sides.
    let part: @Sendable (PixelSize) -> RowResampler.Box
    /// The quarter turns counter-clockwise, which come last, and the mirror that comes after them.
    var turns = 0
    var isMirrored = false

    var testDescription: String { pipeline.cacheKey }
  }

  private static let coder = JPEGCoder()
  private static let formula = GainMap.Formula(
    leastGain: SIMD3(repeating: -1), greatestGain: SIMD3(repeating: 3), alternateHeadroom: 3)

  private static let whole: @Sendable (PixelSize) -> RowResampler.Box = { RowResampler.Box(PixelRect(covering: $0)) }
  private static let odd: @Sendable (PixelSize) -> RowResampler.Box = { _ in
    RowResampler.Box(x: 41, y: 23, width: 301, height: 201)
  }

  static let changes: [Change] = [
    Change(pipeline: .identity, part: whole), Change(pipeline: .resize(width: 150), part: whole),
    Change(pipeline: .resize(width: 123, height: 77), part: whole), Change(pipeline: .resize(width: 700), part: whole),
    Change(pipeline: .crop(x: 41, y: 23, width: 301, height: 201), part: odd),
    Change(pipeline: .crop(x: 41, y: 23, width: 301, height: 201).then(.resize(width: 111)), part: odd),
    Change(pipeline: .rotate(degrees: 90), part: whole, turns: 1),
    Change(pipeline: .rotate(degrees: 180), part: whole, turns: 2),
    Change(pipeline: .rotate(degrees: -90), part: whole, turns: 3),
    Change(pipeline: .flip(horizontal: true), part: whole, isMirrored: true),
    Change(
      pipeline: .crop(x: 41, y: 23, width: 301, height: 201).then(.resize(width: 90)).then(.rotate(degrees: 90)).then(
        .flip(horizontal: true)), part: odd, turns: 1, isMirrored: true),
  ]

  // MARK: The reference

  /// The samples of a row that count for one sample of the result: the place of the first, and the weight of each.
  private struct Weights {
    let first: Int
    let values: [Double]

    init(_ count: Int, from start: Double, length: Double, outputs: Int, _ output: Int) {
      let step = length / Double(outputs), scale = max(1, step)
      let center = start + (Double(output) + 0.5) * step
      func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
      first = max(0, Int(center - 3 * scale) - 1)
      let raw = (first..<min(count, Int(center + 3 * scale) + 2)).map { index -> Double in
        let x = (Double(index) + 0.5 - center) / scale
        return abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0
      }
      let sum = raw.reduce(0, +)
      values = raw.map { $0 / sum }
    }

    /// The weighted sum, in the range of samples: beside sharp edges the filter leaves it.
    func sum(of sample: (Int) -> Double) -> Double {
      min(255, max(0, values.indices.reduce(0) { $0 + values[$1] * sample(first + $1) }))
    }
  }

  /// The first component of a map that shows a part of another, at another size.
  private func drawn(_ map: Bitmap, _ box: RowResampler.Box, _ size: PixelSize) -> [[Double]] {
    let columns = (0..<size.width).map { Weights(map.width, from: box.x, length: box.width, outputs: size.width, $0) }
    let rows = (0..<size.height).map { Weights(map.height, from: box.y, length: box.height, outputs: size.height, $0) }
    let filtered = (0..<map.height).map { y -> [Double] in
      let line = (0..<map.width).map { Double(map.components($0, y)[0]) }
      return columns.map { $0.sum { line[$0] } }
    }
    return rows.map { row in (0..<size.width).map { x in row.sum { filtered[$0][x] } } }
  }

  /// The map after the turns and the mirror.
  private func turned(_ map: [[Double]], _ turns: Int, isMirrored: Bool) -> [[Double]] {
    var result = map
    for _ in 0..<turns {
      let width = result[0].count
      result = (0..<width).map { x in result.map { $0[width - 1 - x] } }
    }
    return isMirrored ? result.map { $0.reversed() } : result
  }

  private func check(
    _ made: Image, _ change: Change, of map: Bitmap, _ full: PixelSize, tolerance: Double = 2
  ) throws {
    let result = try #require(made.metadata.gainMap?.bitmap)
    let (part, swaps) = (change.part(full), change.turns % 2 == 1)
    let canvas = swaps ? made.size.transposed : made.size
    let scale = (Double(map.width) / Double(full.width), Double(map.height) / Double(full.height))
    func side(_ length: Int, _ scale: Double) -> Int { max(1, Int((Double(length) * scale).rounded())) }
    let size = PixelSize(width: side(canvas.width, scale.0), height: side(canvas.height, scale.1))
    let box = RowResampler.Box(
      x: part.x * scale.0, y: part.y * scale.1, width: part.width * scale.0, height: part.height * scale.1)
    let expected = turned(drawn(map, box, size), change.turns, isMirrored: change.isMirrored)
    #expect(result.size == PixelSize(width: expected[0].count, height: expected.count))
    guard result.size == PixelSize(width: expected[0].count, height: expected.count) else { return }
    var most = 0.0
    for y in 0..<result.height {
      for x in 0..<result.width { most = max(most, abs(Double(result.components(x, y)[0]) - expected[y][x])) }
    }
    #expect(most <= tolerance, "\(most)")
  }

  // MARK: Pictures

  /// A file, and its map as the map's own file has it.
  private func file(_ size: PixelSize, orientation: ImageMetadata.Orientation = .up) throws -> (
    bytes: ImageBytes, map: Bitmap
  ) {
    var image = Image(try Bitmap.waves(size.width, size.height).converted(to: .opaqueRGBA8))
    let map = try Bitmap((size.width + 3) / 4, (size.height + 3) / 4, .gray8) { x, y in
      [Int(128 + 70 * sin(Double(x) / 3) + 50 * cos(Double(x + 2 * y) / 5))]
    }
    image.metadata.gainMap = GainMap(map, formula: Self.formula)
    image.metadata.orientation = orientation
    let bytes = try Self.coder.encode(image, as: .jpeg, options: EncodeOptions(quality: 0.95), work: WorkContext())
    return (bytes, try storedMap(bytes))
  }

  private func storedMap(_ bytes: ImageBytes) throws -> Bitmap {
    let header = try Self.coder.probe(bytes, work: WorkContext())
    let count = try #require(header.gainMap?.byteCount)
    let map = ImageBytes(try bytes.data().suffix(count))
    return try Self.coder.decode(map, options: DecodeOptions(convertsColor: false), work: WorkContext()).bitmap
  }

  @Test(arguments: changes, [PixelSize(width: 400, height: 300), PixelSize(width: 397, height: 301)])
  func theMapIsTheOneOfTheDefinition(change: Change, size: PixelSize) throws {
    let (bytes, map) = try file(size)
    let image = try Self.coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
    let made = try change.pipeline.transformed(image, work: WorkContext())
    try check(made, change, of: map, size)
  }

  /// What was changed is written and read again, which adds the rounding of a JPEG.
  @Test func theMapInTheNewFileIsNearTheDefinition() throws {
    let size = PixelSize(width: 400, height: 300)
    let (bytes, map) = try file(size)
    let image = try Self.coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
    for change in Self.changes {
      let made = try change.pipeline.transformed(image, work: WorkContext())
      let options = EncodeOptions(quality: 1)
      let again = try Self.coder.decode(
        Self.coder.encode(made, as: .jpeg, options: options, work: WorkContext()), options: DecodeOptions(),
        work: WorkContext())
      try check(again, change, of: map, size, tolerance: 2.5)
    }
  }

  @Test(arguments: [
    (ImageMetadata.Orientation.right, 3, false), (.down, 2, false), (.left, 1, false), (.upMirrored, 0, true),
  ])
  func anOrientationTurnsTheMap(orientation: ImageMetadata.Orientation, turns: Int, isMirrored: Bool) throws {
    let size = PixelSize(width: 120, height: 84)
    let (bytes, map) = try file(size, orientation: orientation)
    let image = try Self.coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
    #expect(image.metadata.orientation == .up)
    let change = Change(pipeline: .identity, part: Self.whole, turns: turns, isMirrored: isMirrored)
    try check(image, change, of: map, size)
  }

  /// A picture that is decoded smaller keeps a map of the same ratio.
  @Test func aThumbnailHasTheMapOfTheDefinition() throws {
    let size = PixelSize(width: 400, height: 300)
    let (bytes, map) = try file(size)
    for side in [200, 150, 100, 67] {
      var options = DecodeOptions()
      options.thumbnailSize = PixelSize(width: side, height: side)
      let image = try Self.coder.decode(bytes, options: options, work: WorkContext())
      try check(image, Change(pipeline: .identity, part: Self.whole), of: map, size)
    }
  }

  @Test(
    .enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"),
    arguments: ["glide--small_gainmap_image.jpg", "libavif--seine_sdr_different_gainmap_srgb.jpg"])
  func mapsOfOthersAreThoseOfTheDefinition(name: String) throws {
    let path = try #require(Corpus.otherFormats).directory + "/uhdr/gainmap/" + name
    let bytes = try ImageBytes(contentsOfFile: path).loaded()
    let (map, full) = (try storedMap(bytes), try Self.coder.probe(bytes, work: WorkContext()).storedSize)
    let image = try Self.coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
    let width = image.size.width / 3
    let change = Change(pipeline: .resize(width: width), part: Self.whole)
    try check(change.pipeline.transformed(image, work: WorkContext()), change, of: map, full)
  }
}
