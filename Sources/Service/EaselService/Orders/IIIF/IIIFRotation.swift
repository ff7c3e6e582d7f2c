import EaselCore
import EaselTransformers

/// The turn that a URL wants: degrees clockwise, mirrored before if a `!` stands before them.
struct IIIFRotation: Sendable {
  private let degrees: Double
  private let isMirrored: Bool

  init(_ text: String) throws(ServiceError) {
    isMirrored = text.hasPrefix("!")
    guard let degrees = GrammarNumber.decimal(text.dropFirst(isMirrored ? 1 : 0), 0...360) else {
      throw ServiceError(
        400,
        "The rotation must be a number of degrees from 0 to 360, also after !, not '\(GrammarAddress.shown(text))'.")
    }
    self.degrees = degrees
  }

  var turn: TransformerPipeline {
    var turn = TransformerPipeline.identity
    if isMirrored { turn = turn.then(.flip(horizontal: true)) }
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    return rest == 0 ? turn : turn.then(.rotate(degrees: -rest))
  }

  /// True after a turn by a quarter, or by three.
  var swapsSides: Bool { degrees == 90 || degrees == 270 }

  var canonicalText: String {
    let number = degrees == degrees.rounded() ? "\(Int(degrees))" : "\(degrees)"
    return (isMirrored ? "!" : "") + number
  }
}
