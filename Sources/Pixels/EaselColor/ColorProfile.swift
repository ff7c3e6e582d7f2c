import FoundationEssentials

/// What the components of a pixel mean.
public enum ColorProfile: Hashable, Sendable {
  /// sRGB, or its curve alone for grey.
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
