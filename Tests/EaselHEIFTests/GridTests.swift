import EaselCore
import EaselPixels
import EaselSupport
import EaselTestPixels
import Testing

@testable import EaselHEIF

/// Pictures that are put together from cells, and smaller copies.
struct GridTests {
  private typealias T = HEIFTesting
  private typealias B = HEIFBuilder

  @Test func cellsStandInRows() throws {
    let image = try T.decode(T.grid().bytes)
    #expect(image.size == PixelSize(width: 128, height: 128))
    let colors = T.colors(of: image.bitmap, at: (3, 3), (70, 3), (3, 125), (70, 70), (125, 125))
    #expect(colors == ["red", "red", "blue", "orange", "orange"])
  }

  @Test func edgesAreCutOff() throws {
    let whole = try T.decode(T.grid().bytes).bitmap
    let part = try T.decode(T.grid(101, 77).bytes).bitmap
    #expect(part.size == PixelSize(width: 101, height: 77))
    // Next to the edge colours have no neighbour to be mixed with.
    #expect((0..<75).allSatisfy { y in (0..<99).allSatisfy { part.components($0, y) == whole.components($0, y) } })
  }

  /// The rows where two bands meet are mixed from both, as if the picture were one piece.
  @Test func noSeamIsSeenBetweenCells() throws {
    var builder = HEIFBuilder()
    // More cells than any machine takes at once.
    let count = 4 * CPUBudget.processors + 9
    builder.addGrid(1, count, of: (64, 64 * count), cells: Array(repeating: 2, count: count), as: 1)
    builder.add(.orange, as: 2)
    let bitmap = try T.decode(builder.bytes).bitmap
    let first = bitmap.components(31, 31)
    #expect((0..<64 * count).allSatisfy { bitmap.components(31, $0) == first })
  }

  @Test func aThumbnailIsThatOfAllPixels() throws {
    for bytes in [T.grid().bytes, T.grid(101, 77).bytes, T.single().bytes] {
      let whole = try T.decode(bytes).bitmap
      for box in [(50, 50), (33, 100), (7, 5), (63, 63)] {
        let small = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: box.0, height: box.1) }
        #expect(small.traits == .thumbnail)
        let expected = try whole.resized(to: small.size, linearLight: true)
        guard 4 * small.size.width <= whole.width else {
          #expect(small.bitmap == expected)
          continue
        }
        // Brightness and colours are made smaller apart.
        let differences = (0..<small.size.area).flatMap { place -> [Int] in
          let (x, y) = (place % small.size.width, place / small.size.width)
          return zip(small.bitmap.components(x, y), expected.components(x, y)).map { abs($0 - $1) }
        }
        let mean = Double(differences.reduce(0, +)) / Double(differences.count)
        #expect(differences.max()! < 12, "\(whole.size) in \(box)")
        #expect(mean < 2, "\(whole.size) in \(box)")
      }
    }
  }

  @Test(arguments: [true, false])
  func aLargePictureIsMadeAsSmallAsSuffices(isTurned: Bool) throws {
    let size = LargePicture.storedSize
    let (columns, rows) = (size.width / 64, size.height / 64)
    var builder = HEIFBuilder()
    builder.addGrid(
      columns, rows, of: (size.width, size.height), cells: Array(repeating: 2, count: columns * rows), as: 1)
    builder.add(.orange, as: 2)
    // Three quarters to the left are one to the right.
    if isTurned { builder.items[0].properties.append(B.turn(3)) }
    let picture = LargePicture(isTurned: isTurned)
    #expect(try picture.faults(of: T.coder, reading: ImageBytes(builder.bytes)) == [])
  }

  @Test func aSmallerCopyIsUsedWhereItIsLargeEnough() throws {
    var builder = T.grid()
    builder.add(.orange, as: 4)
    builder.references.append(("thmb", 4, [1]))
    func color(_ side: Int, _ fidelity: Fidelity = .fast) throws -> [String] {
      let image = try T.decode(builder.bytes) {
        ($0.thumbnailSize, $0.fidelity) = (PixelSize(width: side, height: side), fidelity)
      }
      #expect(image.traits == .thumbnail && image.metadata.storedSize == PixelSize(width: 128, height: 128))
      return T.colors(of: image.bitmap, at: (side / 8, side / 8))
    }
    #expect(try color(64) == ["orange"] && color(40) == ["orange"])
    #expect(try color(72) == ["red"])
    // Light is averaged of a copy that has several times the size.
    #expect(try color(40, .faithful) == ["red"] && color(12, .faithful) == ["orange"])
    // A copy that stands in another way shows something else, and a damaged one shows nothing.
    builder.items[3].properties.append(B.turn(1))
    #expect(try color(40) == ["red"])
    builder.items[3].properties.removeLast()
    builder.items[3].data = [0, 0, 0, 4, 40, 1, 1, 1]
    #expect(try color(40) == ["red"])
  }

  @Test func aSmallerCopyThatIsCroppedOtherwiseIsNotUsed() throws {
    func color(_ ofPicture: [UInt8]?, _ ofCopy: [UInt8]?, side: Int) throws -> [String] {
      var builder = T.grid()
      if let ofPicture { builder.items[0].properties.append(ofPicture) }
      builder.add(.orange, as: 4)
      if let ofCopy { builder.items[3].properties.append(ofCopy) }
      builder.references.append(("thmb", 4, [1]))
      let image = try T.decode(builder.bytes) {
        ($0.thumbnailSize, $0.fidelity) = (PixelSize(width: side, height: side), .fast)
      }
      return T.colors(of: image.bitmap, at: (side / 8, side / 8))
    }
    // The picture has 128 pixels on a side and the copy 64; the left upper part of the picture is red.
    let corner = B.crop(96, 1, 96, 1, -16, 1, -16, 1)
    #expect(try color(corner, nil, side: 40) == ["red"])
    #expect(try color(corner, B.crop(48, 1, 48, 1, 0, 1, 0, 1), side: 40) == ["red"])
    #expect(try color(corner, B.crop(48, 1, 48, 1, -8, 1, -8, 1), side: 40) == ["orange"])
    #expect(try color(nil, B.crop(48, 1, 48, 1, 0, 1, 0, 1), side: 40) == ["red"])
    // Encoders cut off their padding; in a copy that is less than a pixel.
    #expect(try color(B.crop(127, 1, 127, 1, -1, 2, -1, 2), nil, side: 40) == ["orange"])
  }

  @Test func aSmallerCopyInOtherColoursIsNotUsed() throws {
    func color(_ ofCopy: [UInt8]...) throws -> [String] {
      var builder = T.grid()
      builder.items[0].properties += [T.linearProfile(Self.primaries), B.codePoints(1, 13, 6, isFullRange: true)]
      builder.add(.orange, as: 4)
      builder.items[3].properties += ofCopy
      builder.references.append(("thmb", 4, [1]))
      let image = try T.decode(builder.bytes) {
        ($0.thumbnailSize, $0.fidelity) = (PixelSize(width: 40, height: 40), .fast)
        // The copy is chosen alike, and the colours are those that are known.
        $0.convertsColor = false
      }
      return T.colors(of: image.bitmap, at: (5, 5))
    }
    let code = B.codePoints(1, 13, 6, isFullRange: true)
    #expect(try color() == ["orange"])
    #expect(try color(code) == ["orange"])
    #expect(try color(code, T.linearProfile(Self.primaries)) == ["orange"])
    #expect(try color(code, T.linearProfile([0.3, 0.6, 0.64, 0.33, 0.15, 0.06])) == ["red"])
    #expect(try color(B.codePoints(12, 13, 6, isFullRange: true)) == ["red"])
    #expect(try color(T.linearProfile(Self.primaries)) == ["orange"])
  }

  private static let primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06]

  @Test func theProfileOfAGridLeavesTheMatrixToItsCells() throws {
    func decoded(_ ofGrid: [[UInt8]], _ ofCells: [[UInt8]]) throws -> Bitmap {
      var builder = T.grid()
      builder.items[0].properties += ofGrid
      for cell in [1, 2] { builder.items[cell].properties += ofCells }
      return try T.decode(builder.bytes) { $0.convertsColor = false }.bitmap
    }
    let code = B.codePoints(1, 13, 1, isFullRange: false)
    let other = B.codePoints(1, 13, 9, isFullRange: true)
    let expected = try decoded([code], [])
    #expect(try decoded([T.linearProfile()], []) != expected)
    #expect(try decoded([T.linearProfile()], [code]) == expected)
    #expect(try decoded([], [T.linearProfile(), code]) == expected)
    #expect(try decoded([code], [other]) == expected)
  }

  @Test func cellsMayHaveAlphaEach() throws {
    var builder = T.grid()
    for (alpha, cell) in [(4, 2), (5, 3)] {
      builder.add(.halves, as: alpha, claiming: (64, 64), B.auxiliary(B.alphaName))
      builder.references.append(("auxl", alpha, [cell]))
    }
    let bitmap = try T.decode(builder.bytes).bitmap
    #expect(bitmap.components(10, 10)[3] < 3 && bitmap.components(50, 100)[3] > 252)
    #expect(bitmap.components(74, 100)[3] < 3 && bitmap.components(120, 10)[3] > 252)
  }

  @Test func cellsThatAreTurnedByThemselvesAreRefused() throws {
    for property in [B.turn(1), B.mirror(0), B.crop(32, 1, 32, 1, 0, 1, 0, 1)] {
      var builder = T.grid()
      builder.items[2].properties.append(property)
      let error = #expect(throws: ImageError.self) { try T.decode(builder.bytes) }
      #expect(error?.code == .unsupportedFormat)
      #expect(error?.message == "HEIF: cell 3 of the grid is cropped, turned or mirrored by itself.")
    }
    // A turn by nothing does not matter.
    var builder = T.grid()
    builder.items[2].properties.append(B.turn(0))
    #expect(try T.decode(builder.bytes).bitmap == T.decode(T.grid().bytes).bitmap)
  }

  @Test func gridsThatMakeNoSenseAreRefused() throws {
    func code(_ change: (inout HEIFBuilder) -> Void) -> ImageError.Code? {
      var builder = T.grid()
      change(&builder)
      return #expect(throws: ImageError.self) { try T.decode(builder.bytes) }?.code
    }
    #expect(code { $0.references[0].to = [2, 2, 2] } == .badImageData)
    #expect(code { $0.references[0].to = [2, 2, 2, 1] } == .unsupportedFormat)
    #expect(code { $0.references[0].to = [2, 2, 2, 9] } == .unsupportedFormat)
    #expect(code { $0.references = [] } == .badImageData)
    #expect(code { $0.items[0].data = [0, 0, 1] } == .badImageData)
    #expect(code { $0 = T.grid(129, 128) } == .badImageData)
    #expect(code { $0 = T.grid(64, 128) } == .badImageData)
    #expect(code { $0 = T.grid(0, 128) } == .badImageData)
    #expect(code { $0 = T.grid(1 << 20, 1 << 20) } == .limitExceeded)
    // A cell of another size, or of another resolution of colours.
    #expect(code { $0.items[2].properties[1] = B.size(32, 32) } == .badImageData)
    #expect(
      code {
        $0.add(.quartersFull, as: 4); $0.references[0].to = [2, 2, 2, 4]
      } == .badImageData)
  }

  @Test func cancellingStopsBetweenCells() throws {
    let error = #expect(throws: ImageError.self) {
      try T.decode(T.grid().bytes, work: WorkContext(isCancelled: true))
    }
    #expect(error?.isCancellation == true)
  }

  @Test func aDamagedCellLeavesTheOthers() throws {
    var builder = T.grid()
    builder.items[2].data = [0, 0, 0, 4, 40, 1, 128, 1]
    #expect(throws: ImageError.self) { try T.decode(builder.bytes) }
    let part = try T.decode(builder.bytes) { $0.damaged = .show }
    #expect(part.traits == .partial)
    #expect(T.colors(of: part.bitmap, at: (3, 3), (3, 125)) == ["red", "blue"])
  }
}
