import CEaselPixels
import EaselCore

extension Bitmap {
  /// The way in which a source (a colour or a picture) is blended over a backdrop.
  ///
  /// The raw values are part of cache keys.
  public enum BlendMode: Int, Hashable, Sendable, CaseIterable {
    /// The source covers the backdrop.
    case normal = 0
    /// Multiplies both, which darkens.
    case multiply = 1
    /// Multiplies the negatives of both, which lightens.
    case screen = 2
    /// Multiplies where the backdrop is dark, screens where it is light.
    case overlay = 3
    /// The darker of each component.
    case darken = 4
    /// The lighter of each component.
    case lighten = 5
    /// Lightens the backdrop according to the source.
    case colorDodge = 6
    /// Darkens the backdrop according to the source.
    case colorBurn = 7
    /// Softly darkens or lightens the backdrop.
    case softLight = 8
    /// Multiplies where the source is dark, screens where it is light.
    case hardLight = 9
    /// The difference of each component.
    case difference = 10
    /// Like the difference, with less contrast.
    case exclusion = 11
    /// Clears everything.
    case clear = 16
    /// The source replaces the backdrop.
    case copy = 17
    /// The source, only where there is a backdrop.
    case sourceIn = 18
    /// The source, only where there is no backdrop.
    case sourceOut = 19
    /// The source over the backdrop, only where there is a backdrop.
    case sourceAtop = 20
    /// The backdrop covers the source.
    case destinationOver = 21
    /// The backdrop, only where there is a source.
    case destinationIn = 22
    /// The backdrop, only where there is no source.
    case destinationOut = 23
    /// The backdrop over the source, only where there is a source.
    case destinationAtop = 24
    /// The source and the backdrop, each only where the other is absent.
    case xor = 25
    /// The sum of both.
    case plusLighter = 27

    /// True when an opaque backdrop stays opaque under any source.
    package var keepsOpaque: Bool {
      switch self {
      case .clear, .copy, .sourceIn, .sourceOut, .destinationIn, .destinationOut, .destinationAtop, .xor: false
      default: true
      }
    }

    var kernel: easel_blend_mode {
      switch self {
      case .normal: EASEL_BLEND_NORMAL
      case .multiply: EASEL_BLEND_MULTIPLY
      case .screen: EASEL_BLEND_SCREEN
      case .overlay: EASEL_BLEND_OVERLAY
      case .darken: EASEL_BLEND_DARKEN
      case .lighten: EASEL_BLEND_LIGHTEN
      case .colorDodge: EASEL_BLEND_COLOR_DODGE
      case .colorBurn: EASEL_BLEND_COLOR_BURN
      case .softLight: EASEL_BLEND_SOFT_LIGHT
      case .hardLight: EASEL_BLEND_HARD_LIGHT
      case .difference: EASEL_BLEND_DIFFERENCE
      case .exclusion: EASEL_BLEND_EXCLUSION
      case .clear: EASEL_BLEND_CLEAR
      case .copy: EASEL_BLEND_COPY
      case .sourceIn: EASEL_BLEND_SOURCE_IN
      case .sourceOut: EASEL_BLEND_SOURCE_OUT
      case .sourceAtop: EASEL_BLEND_SOURCE_ATOP
      case .destinationOver: EASEL_BLEND_DESTINATION_OVER
      case .destinationIn: EASEL_BLEND_DESTINATION_IN
      case .destinationOut: EASEL_BLEND_DESTINATION_OUT
      case .destinationAtop: EASEL_BLEND_DESTINATION_ATOP
      case .xor: EASEL_BLEND_XOR
      case .plusLighter: EASEL_BLEND_PLUS_LIGHTER
      }
    }
  }
}
