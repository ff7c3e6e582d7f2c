import Glibc

/// A second, usually smaller picture that tells how much brighter each part of a picture is on a display of high range.
///
/// Ultra HDR photographs have one. The map covers the whole picture, even if it has fewer pixels. Transformers that
/// change the shape of the picture change the map likewise.
public struct GainMap: Sendable {
  /// The values of the map: grey, or red, green and blue if each component has its own gain.
  public var bitmap: Bitmap
  /// The meaning of the values.
  public var formula: GainMap.Formula
  /// The size of the map in its file, if the bitmap is smaller because the next transformer needs no more.
  package var fullSize: PixelSize?

  /// Attaches a formula to the pixels of a map.
  public init(_ bitmap: Bitmap, formula: GainMap.Formula) {
    self.bitmap = bitmap
    self.formula = formula
  }
}

extension GainMap: Hashable {
  /// Hashes the size and the formula; the values are only compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bitmap.size)
    hasher.combine(formula)
  }
}

extension GainMap {
  /// The numbers that turn the values of a gain map into light, as ISO 21496-1 defines them.
  ///
  /// With a value v from 0 to 1, the light on a display that has enough headroom is
  /// `(base + baseOffset) * exp2(leastGain + (greatestGain - leastGain) * pow(v, 1 / gamma)) - alternateOffset`.
  public struct Formula: Hashable, Sendable {
    /// The binary logarithms of the gain where the map is 0, for red, green and blue.
    public var leastGain: SIMD3<Double>
    /// The binary logarithms of the gain where the map is 1.
    public var greatestGain: SIMD3<Double>
    /// The exponents of the map's values.
    public var gamma: SIMD3<Double>
    /// The light added to the picture before it is multiplied.
    public var baseOffset: SIMD3<Double>
    /// The light taken from the product.
    public var alternateOffset: SIMD3<Double>
    /// The binary logarithm of the headroom of a display up to which the picture is shown without its map.
    public var baseHeadroom: Double
    /// The binary logarithm of the headroom from which on the map has its full effect.
    public var alternateHeadroom: Double
    /// True when the gains apply to the picture's own primaries.
    public var usesBaseColors: Bool

    /// Creates the numbers of a map that makes a picture brighter.
    public init(
      leastGain: SIMD3<Double> = .zero, greatestGain: SIMD3<Double>, gamma: SIMD3<Double> = .one,
      baseOffset: SIMD3<Double> = SIMD3(repeating: 1 / 64), alternateOffset: SIMD3<Double> = SIMD3(repeating: 1 / 64),
      baseHeadroom: Double = 0, alternateHeadroom: Double, usesBaseColors: Bool = true
    ) {
      self.leastGain = leastGain
      self.greatestGain = greatestGain
      self.gamma = gamma
      self.baseOffset = baseOffset
      self.alternateOffset = alternateOffset
      self.baseHeadroom = baseHeadroom
      self.alternateHeadroom = alternateHeadroom
      self.usesBaseColors = usesBaseColors
    }

    /// True when all numbers are in the ranges that a display can have.
    ///
    /// Gains and headrooms are at most 2 to the 16th, and gammas from 1/256 to 256.
    public var isValid: Bool {
      let headrooms = 0...Self.mostStops
      return (0..<3).allSatisfy { channel in
        abs(leastGain[channel]) <= Self.mostStops && abs(greatestGain[channel]) <= Self.mostStops
          && leastGain[channel] <= greatestGain[channel] && (1 / 256...256).contains(gamma[channel])
          && abs(baseOffset[channel]) <= 16 && abs(alternateOffset[channel]) <= 16
      } && headrooms.contains(baseHeadroom) && headrooms.contains(alternateHeadroom)
        && baseHeadroom != alternateHeadroom
    }

    private static let mostStops = 16.0

    /// The values of the map, from 0 to 1, that change the picture least.
    package var neutralValue: SIMD3<Double> {
      var result = SIMD3<Double>.zero
      for channel in 0..<3 where greatestGain[channel] > leastGain[channel] {
        let share = -leastGain[channel] / (greatestGain[channel] - leastGain[channel])
        result[channel] = pow(min(1, max(0, share)), gamma[channel])
      }
      return result
    }
  }
}

extension GainMap.Formula {
  /// Numbers that are equal in every process for equal formulas, and differ for different ones.
  var fingerprint: [UInt64] {
    let channels = [leastGain, greatestGain, gamma, baseOffset, alternateOffset].flatMap { [$0.x, $0.y, $0.z] }
    return (channels + [baseHeadroom, alternateHeadroom, usesBaseColors ? 1 : 0]).map(\.bitPattern)
  }
}

extension GainMap {
  /// The gain map of a file as its header describes it.
  public struct Header: Hashable, Sendable {
    /// The size of the map in pixels.
    public var size: PixelSize
    /// The number of bytes that the encoded map takes.
    public var byteCount: Int
    /// The meaning of the map's values.
    public var formula: GainMap.Formula

    /// Describes a gain map that has not been decoded.
    public init(size: PixelSize, byteCount: Int, formula: GainMap.Formula) {
      self.size = size
      self.byteCount = byteCount
      self.formula = formula
    }
  }
}
