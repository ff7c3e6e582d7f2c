/// Undoes the content codings of a body, the last one first; holds bytes while the sink pauses.
final class Unpacker {
  typealias Progress = PackingLayer.Progress

  /// The most codings inside one another.
  ///
  /// Only an attacker uses more, because each layer can multiply the output of the layer before.
  static let mostCodings = 3

  /// The value of `Accept-Encoding`.
  static let acceptedCodings = "gzip, br, zstd"

  /// The layers from the outermost to the innermost.
  private let layers: [PackingLayer]

  /// Returns nil when a coding is unknown, when there are too many, or when memory runs out.
  init?(_ packing: String, limit: Int) {
    let codings = Self.codings(in: packing)
    guard codings.count <= Self.mostCodings else { return nil }
    layers = codings.reversed().compactMap { PackingLayer($0, limit: limit) }
    guard layers.count == codings.count else { return nil }
  }

  /// The codings in a `Content-Encoding` field in the order in which they were applied, without those that have no
  /// effect.
  static func codings(in packing: String) -> [String] {
    packing.split(separator: ",").map { coding in
      String(coding.drop(while: isBlank).reversed().drop(while: isBlank).reversed()).lowercased()
    }.filter { !["", "identity", "none"].contains($0) }
  }

  private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

  /// True when packed bytes wait for the receiver.
  var isHolding: Bool { layers.contains { $0.isHolding } }

  /// True when the packed data ended properly, or when none came.
  var isComplete: Bool { layers.allSatisfy { $0.isComplete } }

  /// Unpacks the next packed bytes, and passes the result on in parts.
  ///
  /// `take` gets each part, and returns true for more, false for a pause, and nil to stop.
  func unpack(_ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    run(.piece(bytes), inLayer: 0, to: take)
  }

  /// Continues with the held bytes, beginning with the innermost layer.
  func unpackHeld(to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    for index in layers.indices.reversed() {
      let progress = run(.held, inLayer: index, to: take)
      guard case .done = progress else { return progress }
    }
    return .done
  }

  private enum Work {
    case piece(UnsafeRawBufferPointer)
    case held
  }

  /// Runs a layer, which passes each part to the next layer.
  ///
  /// The first failure of any layer is the result.
  private func run(_ work: Work, inLayer index: Int, to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    var failure: Progress?
    func takePart(_ part: UnsafeRawBufferPointer) -> Bool? {
      guard index < layers.count - 1 else { return take(part) }
      var wantsMore = true
      let inner = run(.piece(part), inLayer: index + 1) { bytes in
        let answer = take(bytes)
        if answer == false { wantsMore = false }
        return answer
      }
      switch inner {
      case .done: return wantsMore
      case .held: return false
      default:
        failure = inner
        return nil
      }
    }
    let progress =
      switch work {
      case .piece(let bytes): layers[index].unpack(bytes, to: takePart)
      case .held: layers[index].unpackHeld(to: takePart)
      }
    return failure ?? progress
  }
}
