import FoundationEssentials

extension ColorTransform {
  /// The colour space of a picture's components.
  public enum Profile: Hashable, Sendable {
    /// The sRGB space; for grey, only its curve.
    case sRGB
    /// The bytes of an ICC profile.
    case icc(Data)

    var byteCount: Int {
      switch self {
      case .sRGB: 0
      case .icc(let bytes): bytes.count
      }
    }
  }
}
