import Easel

/// A part of a picture, in pixels of the whole picture, and the pixels that are made of it.
struct SharpRegion: Equatable {
  let part: PixelRect
  let pixels: PixelSize

  /// The part for a place on the screen: half of it more on each side, so that a small move needs no other.
  ///
  /// `density` is the number of pixels of the screen for one of the picture.
  init(showing place: PixelRect, of picture: PixelSize, density: Double) {
    let (right, below) = (place.width / 2, place.height / 2)
    part = PixelRect(
      x: place.x - right, y: place.y - below, width: place.width + 2 * right, height: place.height + 2 * below
    ).intersection(PixelRect(covering: picture))
    let scale = min(1, density)
    pixels = PixelSize(
      width: max(1, Int((Double(part.width) * scale).rounded(.up))),
      height: max(1, Int((Double(part.height) * scale).rounded(.up))))
  }

  /// True if it has all pixels for a place on the screen.
  func covers(_ place: PixelRect, of picture: PixelSize, density: Double) -> Bool {
    let wanted = place.intersection(PixelRect(covering: picture))
    let needed = min(1, density) * Double(part.width)
    return part.intersection(wanted) == wanted && Double(pixels.width) >= needed * 0.99
  }
}
