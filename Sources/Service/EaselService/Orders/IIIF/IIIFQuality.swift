import EaselCore
import EaselTransformers

/// The colours that a URL wants.
enum IIIFQuality: String, CaseIterable, Sendable {
  case color, gray, bitonal, `default`

  var effects: TransformerPipeline {
    switch self {
    case .color, .default: .identity
    case .gray: .grayscale
    // So strong a contrast leaves nothing between black and white.
    case .bitonal: .grayscale.then(.contrast(512))
    }
  }
}
