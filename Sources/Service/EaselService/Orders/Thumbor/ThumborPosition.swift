import EaselCore
import EaselTransformers

/// A position of a watermark on one axis.
enum ThumborPosition: Hashable, Sendable {
  case edge(isFar: Bool, TransformerPipeline.Length)
  case center
  case repeated

  /// The place of a watermark that is drawn once.
  static func gravity(x: ThumborPosition, y: ThumborPosition) -> TransformerPipeline.Gravity {
    ThumborSize.Alignment.places[y.cell][x.cell].inset(x: x.inset, y: y.inset)
  }

  private var cell: Int {
    switch self {
    case .edge(let isFar, _): isFar ? 2 : 0
    case .center: 1
    case .repeated: 0
    }
  }

  private var inset: TransformerPipeline.Length {
    if case .edge(_, let length) = self { length } else { .pixels(0) }
  }
}
