import Easel
import Testing

@testable import PictureGallery

/// Scales, and the parts that are decoded for them.
struct ZoomTests {
  @Test func aPictureFitsAndIsNeverLargerThanItIs() {
    #expect(Zoom.fitting(PixelSize(width: 4000, height: 1000), in: (1000, 1000)) == 0.25)
    #expect(Zoom.fitting(PixelSize(width: 40, height: 10), in: (1000, 1000)) == 1)
    #expect(Zoom.fitting(PixelSize(width: 0, height: 0), in: (1000, 1000)) == 1)
  }

  @Test func levelsArePowersOfTwoBetweenFittingAndEightTimes() {
    #expect(Zoom.levels(fit: 0.3) == [0.3, 0.5, 1, 2, 4, 8])
    #expect(Zoom.next(0.3, isLarger: true, fit: 0.3) == 0.5 && Zoom.next(0.7, isLarger: false, fit: 0.3) == 0.5)
    #expect(Zoom.next(8, isLarger: true, fit: 0.3) == 8 && Zoom.next(0.3, isLarger: false, fit: 0.3) == 0.3)
  }

  @Test func aPartReachesBeyondTheScreenAndHasItsPixels() {
    let picture = PixelSize(width: 12_000, height: 8400)
    let place = PixelRect(x: 5000, y: 4000, width: 1000, height: 600)
    let region = SharpRegion(showing: place, of: picture, density: 0.5)
    #expect(region.part == PixelRect(x: 4500, y: 3700, width: 2000, height: 1200))
    #expect(region.pixels == PixelSize(width: 1000, height: 600))
    #expect(region.covers(place, of: picture, density: 0.5) && !region.covers(place, of: picture, density: 1))
    #expect(region.covers(PixelRect(x: 5400, y: 4200, width: 1000, height: 600), of: picture, density: 0.5))
    #expect(!region.covers(PixelRect(x: 5600, y: 4200, width: 1000, height: 600), of: picture, density: 0.5))
    // Nothing is missing outside of the picture, and there are no more pixels than it has.
    let corner = PixelRect(x: -200, y: 8000, width: 1000, height: 800)
    let atEdge = SharpRegion(showing: corner, of: picture, density: 4)
    #expect(atEdge.part == PixelRect(x: 0, y: 7600, width: 1300, height: 800) && atEdge.pixels == atEdge.part.size)
    #expect(atEdge.covers(corner, of: picture, density: 4))
  }
}
