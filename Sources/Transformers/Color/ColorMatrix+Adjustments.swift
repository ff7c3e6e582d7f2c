import EaselCore
import EaselPixels

extension Bitmap.ColorMatrix {
  static func saturation(_ amount: Double) -> Self {
    let (red, green, blue) = (0.2126, 0.7152, 0.0722)
    let rest = 1 - amount
    return Self(rows: [
      [red * rest + amount, green * rest, blue * rest, 0, 0],
      [red * rest, green * rest + amount, blue * rest, 0, 0],
      [red * rest, green * rest, blue * rest + amount, 0, 0],
      [0, 0, 0, 1, 0],
    ])
  }

  static func scaling(by factor: Double, adding constant: Double) -> Self {
    Self(rows: [
      [factor, 0, 0, 0, constant],
      [0, factor, 0, 0, constant],
      [0, 0, factor, 0, constant],
      [0, 0, 0, 1, 0],
    ])
  }
}
