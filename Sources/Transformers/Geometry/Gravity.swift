import EaselCore

extension TransformerPipeline {
  /// The place in a picture that a crop keeps, or the place of a picture on a larger canvas.
  ///
  /// It is a point of the compass, the centre, a focal point, or the part that attracts the eye: `.northEast`,
  /// `.center`, `.focalPoint(x: 0.3, y: 0.7)`, `.smart`. A part never leaves the picture: it is moved back inside.
  public struct Gravity: Hashable, Sendable {
    enum Place: Hashable {
      case anchor(OverlayAnchor)
      case focalPoint(x: Double, y: Double)
      /// The part that attracts the eye; it counts as the centre until it is known.
      case smart
      /// The decision of `smart` for one picture, as shares of the room that the part leaves.
      case room(x: Double, y: Double)
    }

    let place: Place
    let insetX: Length
    let insetY: Length

    init(_ place: Place, insetX: Length = .pixels(0), insetY: Length = .pixels(0)) {
      // The middle is the same place as the centre, and no inset has a unit.
      self.place = place == .focalPoint(x: 0.5, y: 0.5) ? .anchor(.center) : place
      self.insetX = insetX == .share(0) ? .pixels(0) : insetX
      self.insetY = insetY == .share(0) ? .pixels(0) : insetY
    }

    /// The middle.
    public static let center = Gravity(.anchor(.center))
    /// The middle of the top edge.
    public static let north = Gravity(.anchor(.top))
    /// The top right corner.
    public static let northEast = Gravity(.anchor(.topRight))
    /// The middle of the right edge.
    public static let east = Gravity(.anchor(.right))
    /// The bottom right corner.
    public static let southEast = Gravity(.anchor(.bottomRight))
    /// The middle of the bottom edge.
    public static let south = Gravity(.anchor(.bottom))
    /// The bottom left corner.
    public static let southWest = Gravity(.anchor(.bottomLeft))
    /// The middle of the left edge.
    public static let west = Gravity(.anchor(.left))
    /// The top left corner.
    public static let northWest = Gravity(.anchor(.topLeft))

    /// A point that comes as close to the middle as the edges allow; both shares are from 0 (left, top) to 1.
    public static func focalPoint(x: Double, y: Double) -> Gravity { Gravity(.focalPoint(x: x, y: y)) }

    /// The part that attracts the eye by edges, colours of skin and saturated colours; transparent pixels do not.
    ///
    /// The decision is made on a small copy, with whole numbers, so every machine cuts out the same part. All frames of
    /// a moving picture are cut as the first, if the transformer is a member of the pipeline; a transformer of your own
    /// that calls it cuts each frame by its own pixels. Between bars it is the centre.
    public static let smart = Gravity(.smart)

    /// Returns this gravity, moved by lengths away from the edges that it names.
    ///
    /// Without such an edge, a positive length moves to the right or down. Pixels are those of the result.
    public func inset(x: Length, y: Length) -> Gravity { Gravity(place, insetX: x, insetY: y) }

    /// Returns this gravity, moved by pixels away from the edges that it names.
    public func inset(x: Int, y: Int) -> Gravity { inset(x: .pixels(x), y: .pixels(y)) }

    func scaled(by factor: Double) -> Gravity {
      inset(x: insetX.scaled(by: factor), y: insetY.scaled(by: factor))
    }

    /// The same place in a picture whose left and right sides are swapped.
    var mirrored: Gravity {
      var (place, inset) = (place, insetX)
      if case .anchor(let anchor) = place {
        place = .anchor(OverlayAnchor(rawValue: 3 * anchor.row + 2 - anchor.column)!)
        // An inset from an edge stays one; elsewhere its direction changes.
        if anchor.column == 1 { inset = inset.negated }
      } else if case .focalPoint(let x, let y) = place {
        place = .focalPoint(x: 1 - x, y: y)
        inset = inset.negated
      }
      return Gravity(place, insetX: inset, insetY: insetY)
    }

    /// The same place in a picture whose rows and columns are swapped.
    var transposed: Gravity {
      var place = place
      if case .anchor(let anchor) = place {
        place = .anchor(OverlayAnchor(rawValue: 3 * anchor.column + anchor.row)!)
      } else if case .focalPoint(let x, let y) = place {
        place = .focalPoint(x: y, y: x)
      }
      return Gravity(place, insetX: insetY, insetY: insetX)
    }

    static let smartName = "sm"

    static let anchorNames = ["nowe", "no", "noea", "we", "ce", "ea", "sowe", "so", "soea"]

    /// `no`, `noea`, `ce` and so on, `sm`, or `fp{x,y}`; insets follow as `{x,y}` unless both are zero.
    package var keyText: String {
      let name =
        switch place {
        case .anchor(let anchor): Self.anchorNames[anchor.rawValue]
        case .focalPoint(let x, let y): "fp{\(KeyText.number(x)),\(KeyText.number(y))}"
        case .smart, .room: Self.smartName
        }
      let isInset = insetX != .pixels(0) || insetY != .pixels(0)
      return isInset ? "\(name){\(insetX.keyText),\(insetY.keyText)}" : name
    }

    /// The left edge of a part of the given width; `pixel` is the width of one pixel of the result.
    func x(of width: Double, in full: Double, pixel: Double = 1) -> Double {
      let inset = insetX.pixels(of: full, pixel: pixel)
      return switch place {
      case .anchor(let anchor): Self.start(third: anchor.column, inset: inset, room: full - width)
      case .focalPoint(let x, _): Self.clamped(full * x - width / 2 + inset, to: full - width)
      case .smart: Self.start(third: 1, inset: inset, room: full - width)
      case .room(let x, _): Self.clamped((full - width) * x + inset, to: full - width)
      }
    }

    /// The top edge of a part of the given height; `pixel` is the height of one pixel of the result.
    func y(of height: Double, in full: Double, pixel: Double = 1) -> Double {
      let inset = insetY.pixels(of: full, pixel: pixel)
      return switch place {
      case .anchor(let anchor): Self.start(third: anchor.row, inset: inset, room: full - height)
      case .focalPoint(_, let y): Self.clamped(full * y - height / 2 + inset, to: full - height)
      case .smart: Self.start(third: 1, inset: inset, room: full - height)
      case .room(_, let y): Self.clamped((full - height) * y + inset, to: full - height)
      }
    }

    /// The rectangle of whole pixels for a part no larger than the picture.
    func rect(of part: PixelSize, in full: PixelSize) -> PixelRect {
      PixelRect(
        x: Self.whole(x(of: Double(part.width), in: Double(full.width)), most: full.width - part.width),
        y: Self.whole(y(of: Double(part.height), in: Double(full.height)), most: full.height - part.height),
        width: part.width, height: part.height)
    }

    private static func start(third: Int, inset: Double, room: Double) -> Double {
      let start =
        switch third {
        case 0: inset
        case 1: room / 2 + inset
        default: room - inset
        }
      return clamped(start, to: room)
    }

    private static func clamped(_ start: Double, to room: Double) -> Double { max(0, min(start, room)) }

    /// Rounds to nearest, and halves down.
    private static func whole(_ start: Double, most: Int) -> Int {
      let rounded = (start - 0.5).rounded(.up)
      return rounded <= 0 ? 0 : rounded >= Double(most) ? most : Int(rounded)
    }
  }
}

extension BitmapTransformer {
  func check(_ gravity: TransformerPipeline.Gravity) throws(ImageError) {
    if case .focalPoint(let x, let y) = gravity.place {
      try require(
        x >= 0 && x <= 1 && y >= 0 && y <= 1, "the focal point must be from 0 to 1 on both axes, but is \(x), \(y)")
    }
    for inset in [gravity.insetX, gravity.insetY] {
      if case .share(let share) = inset {
        try require(abs(share) <= 1, "an inset as a share must be from -1 to 1, but is \(share)")
      }
    }
  }
}
