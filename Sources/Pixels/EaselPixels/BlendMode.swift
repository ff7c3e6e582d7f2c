import CEaselPixels

/// How a colour or a picture is laid over another; the raw values stand in cache keys.
public enum BlendMode: Int, Hashable, Sendable, CaseIterable {
  /// It covers what is below.
  case normal = 0
  /// Both are multiplied, which darkens.
  case multiply = 1
  /// Their negatives are multiplied, which lightens.
  case screen = 2
  /// Multiplied where it is dark below, screened where it is light.
  case overlay = 3
  /// The darker of each component.
  case darken = 4
  /// The lighter of each component.
  case lighten = 5
  /// What is below is lightened to reflect it.
  case colorDodge = 6
  /// What is below is darkened to reflect it.
  case colorBurn = 7
  /// It darkens or lightens softly.
  case softLight = 8
  /// Multiplied where it is dark itself, screened where it is light.
  case hardLight = 9
  /// The difference of each component.
  case difference = 10
  /// Like the difference, with less contrast.
  case exclusion = 11
  /// Nothing remains.
  case clear = 16
  /// It replaces what is below.
  case copy = 17
  /// It, where something is below.
  case sourceIn = 18
  /// It, where nothing is below.
  case sourceOut = 19
  /// It over what is below, where something is below.
  case sourceAtop = 20
  /// What is below covers it.
  case destinationOver = 21
  /// What is below, where it is.
  case destinationIn = 22
  /// What is below, where it is not.
  case destinationOut = 23
  /// What is below over it, where it is.
  case destinationAtop = 24
  /// Each where the other is not.
  case xor = 25
  /// The sum of both.
  case plusLighter = 27

  /// Whether an opaque picture stays opaque under anything.
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
