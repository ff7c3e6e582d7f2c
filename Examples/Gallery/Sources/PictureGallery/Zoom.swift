import Easel

/// The scales in which a picture can be seen; it knows no GTK.
enum Zoom {
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
