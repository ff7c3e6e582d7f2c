import Easel

/// The scales in which a picture can be seen; it knows no GTK.
struct Zoom: Equatable {
  /// The scale of a picture that fits into the window; never larger than the picture is.
  static func fitting(_ picture: PixelSize, in room: (width: Double, height: Double)) -> Double {
    guard !picture.isEmpty, room.width > 0, room.height > 0 else { return 1 }
    return min(1, room.width / Double(picture.width), room.height / Double(picture.height))
  }

  /// The scales by powers of two between that which fits and eight times the pixels.
  static func levels(fit: Double) -> [Double] {
    var levels = [fit]
    var level = 1.0 / 64
    while level <= 8 {
      if level > fit * 1.1 { levels.append(level) }
      level *= 2
    }
    return levels
  }

  /// The next level in a direction.
  static func next(_ scale: Double, isLarger: Bool, fit: Double) -> Double {
    let levels = levels(fit: fit)
    return isLarger
      ? levels.first { $0 > scale * 1.01 } ?? levels.last! : levels.last { $0 < scale * 0.99 } ?? levels.first!
  }
}

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
