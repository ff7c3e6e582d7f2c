import EaselCore

/// Any number of quarter turns and flips, written with as few of them as possible.
struct QuarterTurns {
  /// The turns counter-clockwise, from 0 to 3, before the flip.
  private var turns = 0
  /// True if left and right are swapped after the turns.
  private var isFlipped = false

  /// Sums up a pipeline; nil if it has anything but flips and quarter turns that keep the whole picture.
  init?(_ pipeline: TransformerPipeline) {
    for member in pipeline.members {
      if let flip = member as? Flip {
        // Upside down is half a turn and a flip.
        if flip.vertical { turns += 2 }
        if flip.horizontal != flip.vertical { isFlipped.toggle() }
      } else if let rotate = member as? Rotate, rotate.fit, let quarters = rotate.quarterTurns {
        turns += isFlipped ? -quarters : quarters
      } else {
        return nil
      }
    }
    turns = ((turns % 4) + 4) % 4
  }

  /// True if the width becomes the height.
  var swapsSides: Bool { turns % 2 == 1 }

  /// The gravity in the picture before it is turned that names the same place as this one in the turned picture.
  func before(_ gravity: TransformerPipeline.Gravity) -> TransformerPipeline.Gravity {
    // No side is mirrored twice, which would leave a rounding error in a focal point.
    switch (turns, isFlipped) {
    case (0, false): gravity
    case (0, true): gravity.mirrored
    case (1, false): gravity.transposed.mirrored
    case (1, true): gravity.mirrored.transposed.mirrored
    case (2, false): gravity.transposed.mirrored.transposed.mirrored
    case (2, true): gravity.transposed.mirrored.transposed
    case (_, false): gravity.mirrored.transposed
    case (_, true): gravity.transposed
    }
  }

  var members: [any Transformer] {
    switch (turns, isFlipped) {
    case (0, false): []
    case (0, true): [Flip(horizontal: true, vertical: false)]
    case (2, true): [Flip(horizontal: false, vertical: true)]
    case (_, false): [Rotate(radians: Double(turns) * (.pi / 2))]
    case (_, true): [Rotate(radians: Double(turns) * (.pi / 2)), Flip(horizontal: true, vertical: false)]
    }
  }
}

extension TransformerPipeline.Gravity {
  /// The gravity before quarter turns and flips that names the same place as this one after them.
  package func before(_ turn: TransformerPipeline) -> TransformerPipeline.Gravity {
    QuarterTurns(turn)?.before(self) ?? self
  }
}
