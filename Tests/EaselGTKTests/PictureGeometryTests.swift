import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselGTK

/// Where a picture stands in its widget, and how many pixels of it are decoded.
struct PictureGeometryTests {
  private func geometry(_ width: Int, _ height: Int) -> PictureGeometry {
    PictureGeometry(of: .of(.allRed, width: width, height: height))
  }

  @Test func aPictureIsAsLargeAsItIsAndKeepsItsRatio() {
    let wide = geometry(200, 100)
    #expect(wide.length(isVertical: false, forSize: -1) == 200 && wide.length(isVertical: true, forSize: -1) == 100)
    #expect(wide.length(isVertical: true, forSize: 100) == 50 && wide.length(isVertical: false, forSize: 100) == 200)
    #expect(wide.length(isVertical: true, forSize: 0) == 0)
    #expect(PictureGeometry().length(isVertical: true, forSize: 400) == 0)
  }

  @Test func theScaleFactorOfAPictureMakesItSmaller() {
    var image = Image.of(.allRed, width: 200, height: 100)
    image.scaleFactor = 2
    #expect(PictureGeometry(of: image).length(isVertical: false, forSize: -1) == 100)
  }

  @Test func aThumbnailIsAsLargeAsItsWholePicture() throws {
    func thumbnail(_ width: Int, _ height: Int, of stored: PixelSize, _ traits: Image.Traits) -> Image {
      Image(
        Image.of(.allRed, width: width, height: height).bitmap, metadata: ImageMetadata(storedSize: stored),
        traits: traits
      )
    }
    let stored = PixelSize(width: 400, height: 300)
    #expect(PictureGeometry.wholeSize(of: thumbnail(40, 30, of: stored, .thumbnail)) == stored)
    #expect(PictureGeometry.wholeSize(of: thumbnail(30, 40, of: stored, .thumbnail)) == stored.transposed)
    let changed = thumbnail(40, 30, of: stored, [.thumbnail, .transformed])
    #expect(PictureGeometry.wholeSize(of: changed) == changed.size)
  }

  @Test func eachFitHasItsPlace() {
    let wide = geometry(200, 100)
    #expect(wide.place(width: 100, height: 100, fit: .fill) == .init(x: 0, y: 0, width: 100, height: 100))
    #expect(wide.place(width: 100, height: 100, fit: .contain) == .init(x: 0, y: 25, width: 100, height: 50))
    #expect(wide.place(width: 100, height: 100, fit: .cover) == .init(x: -50, y: 0, width: 200, height: 100))
    #expect(wide.place(width: 100, height: 100, fit: .scaleDown) == .init(x: 0, y: 25, width: 100, height: 50))
    #expect(wide.place(width: 400, height: 400, fit: .scaleDown) == .init(x: 100, y: 150, width: 200, height: 100))
    #expect(wide.place(width: 400, height: 400, fit: .contain) == .init(x: 0, y: 100, width: 400, height: 200))
  }

  @Test func aPictureThatWasDecodedForItsRoomHasItsPixelsThere() {
    for height in 100...160 {
      let decoded = PixelSize(width: 300, height: height).thumbnail(
        in: PixelSize(width: 64, height: 64), preservingAspectRatio: true)
      let place = geometry(300, height).place(width: 64, height: 64, fit: .contain)
      #expect(place.width == Double(decoded.width) && place.height == Double(decoded.height))
      #expect(place.x == place.x.rounded() && place.y == place.y.rounded())
    }
  }

  @Test func whatIsDecodedIsEnoughForTheRoomAndComesInSteps() {
    for fit in RemotePicture.ContentFit.allCases {
      #expect(PictureGeometry.decodingBox(width: 0, height: 10, scale: 1, fit: fit) == nil)
      for width in stride(from: 1, to: 3000, by: 7) {
        for scale in 1...3 {
          let box = PictureGeometry.decodingBox(width: width, height: 100, scale: scale, fit: fit)
          #expect(box.map { $0.width >= width * scale && $0.height >= 100 * scale } == true)
          #expect(fit != .contain || box.map { $0.width <= max(64, width * scale * 3 / 2) } == true)
        }
      }
    }
    let boxes = Set((300...380).map { PictureGeometry.decodingBox(width: $0, height: $0, scale: 1, fit: .contain) })
    #expect(boxes == [PixelSize(width: 384, height: 384)])
    // A picture of two to one covers a square.
    let cover = PictureGeometry.decodingBox(width: 100, height: 100, scale: 1, fit: .cover)!
    let decoded = PixelSize(width: 2000, height: 1000).thumbnail(in: cover, preservingAspectRatio: true)
    #expect(decoded.height >= 100)
  }
}
