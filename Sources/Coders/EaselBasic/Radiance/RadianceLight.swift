import Glibc

/// Computes the light of a component with its exponent.
enum RadianceLight {
  /// The candela per square metre of the value 1.
  private static let white = 203.0
  /// The most light that PQ can express.
  private static let most = 10_000.0

  /// Any component is black with a smaller exponent, and the brightest light with a larger one.
  private static let exponents = 64...143

  /// The light of one step of a component, for each exponent.
  ///
  /// A component is a fraction of eight bits.
  private static let scales = (0...255).map { $0 < exponents.lowerBound ? 0 : white * pow(2, Double($0 - 128 - 8)) }

  /// The light of a component in candela per square metre.
  static func nits(_ component: UInt8, _ exponent: UInt8) -> Double {
    min(most, Double(component) * scales[Int(exponent)])
  }

  /// The index in ``numbers`` at which the entries of an exponent begin, one entry for each component.
  static func start(of exponent: UInt8) -> Int {
    (min(max(Int(exponent), exponents.lowerBound - 1), exponents.upperBound) - exponents.lowerBound + 1) << 8
  }

  /// The PQ values in 16 bits, by exponent and component.
  static let numbers: [UInt16] = {
    var numbers = [UInt16](repeating: 0, count: 256)
    numbers.reserveCapacity(256 * (exponents.count + 1))
    for exponent in exponents {
      for component in UInt8.min...UInt8.max { numbers.append(number(nits(component, UInt8(exponent)))) }
    }
    return numbers
  }()

  private static func number(_ nits: Double) -> UInt16 {
    let power = pow(nits / most, 2610.0 / 16_384)
    let signal = pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    return UInt16((min(1, signal) * 65_535).rounded())
  }
}
