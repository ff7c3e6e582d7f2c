import EaselCore
import Glibc

/// Conversions of colours between sRGB, linear light and Oklab.
enum ColorSpaces {
  /// From sRGB to linear light; alpha is kept.
  static func linear(_ color: SIMD4<Double>) -> SIMD4<Double> {
    eachColor(color) { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
  }

  /// From linear light to sRGB; alpha is kept.
  static func encoded(_ color: SIMD4<Double>) -> SIMD4<Double> {
    eachColor(color) { value in
      let value = min(1, max(0, value))
      return value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
    }
  }

  /// From linear light to levels of sRGB from 0 to 255.
  static func level(_ color: SIMD4<Double>) -> SIMD4<UInt8> {
    let levels = (encoded(color) * 255).clamped(lowerBound: SIMD4(), upperBound: SIMD4(repeating: 255))
    return SIMD4<UInt8>(levels.rounded(.toNearestOrAwayFromZero))
  }

  private static func eachColor(_ color: SIMD4<Double>, _ change: (Double) -> Double) -> SIMD4<Double> {
    SIMD4(change(color.x), change(color.y), change(color.z), color.w)
  }

  /// From linear light to Oklab, where equal distances look about equally different.
  static func oklab(_ color: SIMD4<Double>) -> SIMD3<Double> {
    let long = cbrt(0.4122214708 * color.x + 0.5363325363 * color.y + 0.0514459929 * color.z)
    let medium = cbrt(0.2119034982 * color.x + 0.6806995451 * color.y + 0.1073969566 * color.z)
    let short = cbrt(0.0883024619 * color.x + 0.2817188376 * color.y + 0.6299787005 * color.z)
    return SIMD3(
      0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
      1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
      0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short)
  }

  /// From Oklab to linear light; opaque.
  static func linear(oklab color: SIMD3<Double>) -> SIMD4<Double> {
    let long = cube(color.x + 0.3963377774 * color.y + 0.2158037573 * color.z)
    let medium = cube(color.x - 0.1055613458 * color.y - 0.0638541728 * color.z)
    let short = cube(color.x - 0.0894841775 * color.y - 1.2914855480 * color.z)
    return SIMD4(
      4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
      -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
      -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short, 1)
  }

  private static func cube(_ value: Double) -> Double { value * value * value }
}
