import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselTIFF

private typealias T = TIFFTesting
private typealias Page = HandmadeTIFF.Page

/// Parts of pictures, of which only the tiles and rows are read that hold them.
struct RegionTests {
  private static let parts = [(0.0, 0.0, 1.0, 1.0), (0, 0, 0.3, 0.4), (0.31, 0.27, 0.5, 0.5), (0.9, 0.8, 0.1, 0.2)]

  private func rect(_ part: (Double, Double, Double, Double), of size: PixelSize) -> PixelRect {
    let x = Int(part.0 * Double(size.width)), y = Int(part.1 * Double(size.height))
    return PixelRect(
      x: min(x, size.width - 1), y: min(y, size.height - 1), width: max(1, Int(part.2 * Double(size.width))),
      height: max(1, Int(part.3 * Double(size.height)))
    ).intersection(PixelRect(covering: size))
  }

  /// In tiles and in strips, with all codings, depths and colours that people have.
  @Test(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
  func aPartIsThatOfTheWhole() throws {
    let checks = CorpusChecks(TIFFCoder(), format: "tiff", corpus: try #require(Corpus.otherFormats))
    var count = 0
    for entry in checks.entries(.decode) {
      let bytes = try checks.corpus.bytes(of: entry)
      guard let header = try? T.probe(bytes), header.orientation == .up, header.storedSize.area <= 4_000_000,
        let whole = try? T.decode(bytes, { $0.firstFrameOnly = true })
      else { continue }
      count += 1
      for part in Self.parts {
        let rect = rect(part, of: header.storedSize)
        let image = try T.decode(bytes) { $0.region = rect }
        #expect(image.frames == nil && image.bitmap.size == rect.size)
        #expect(try image.bitmap == whole.bitmap.cropped(to: rect), "\(entry.path) \(rect)")
      }
    }
    #expect(count > 100)
  }

  @Test func aPartIsMadeSmallerFromTheVersionThatSuffices() throws {
    // Another grey shows which one was used.
    var half = Page.gray(400, 200, 90)
    half.tags = [(254, 4, [1])]
    var quarter = Page.gray(200, 100, 120)
    quarter.tags = [(254, 4, [1])]
    let file = ImageBytes(HandmadeTIFF(Page.gray(800, 400, 50), half, quarter).bytes)
    for (side, value) in [(100, 50), (51, 50), (50, 90), (26, 90), (25, 120), (5, 120)] {
      let image = try T.decode(file) {
        $0.region = PixelRect(x: 200, y: 100, width: 100, height: 100)
        $0.thumbnailSize = PixelSize(width: side, height: side)
        $0.fidelity = .fast
      }
      #expect(image.bitmap.components(1, 1)[0] == value && image.size.width == side, "\(side)")
    }
  }

  /// Limits bind the part, whatever the size of the whole.
  @Test func aPartOfAPictureThatIsTooLargeMayBeRead() throws {
    let file = ImageBytes(HandmadeTIFF(Page.gray(300, 200, 7)).bytes)
    let work = WorkContext(limits: Limits(framePixels: 5_000))
    #expect(throws: ImageError.self) { try T.decode(file, work: work) }
    let image = try T.decode(file, work: work) { $0.region = PixelRect(x: 250, y: 150, width: 50, height: 50) }
    #expect(image.size == PixelSize(width: 50, height: 50) && image.bitmap.components(49, 49)[0] == 7)
    let error = #expect(throws: ImageError.self) {
      try T.decode(file, work: work) { $0.region = PixelRect(x: 0, y: 0, width: 100, height: 51) }
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test(arguments: [
    PixelRect(x: 0, y: 0, width: 31, height: 20), PixelRect(x: -1, y: 0, width: 3, height: 3),
    PixelRect(x: 29, y: 19, width: 2, height: 1),
  ])
  func aPartOutsideIsRefused(_ rect: PixelRect) {
    let file = ImageBytes(HandmadeTIFF(Page.gray(30, 20)).bytes)
    let error = #expect(throws: ImageError.self) { try T.decode(file) { $0.region = rect } }
    #expect(error?.code == .unsupportedFormat)
  }
}
