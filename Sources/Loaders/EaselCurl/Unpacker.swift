/// Undoes the codings of a body, the last one first, and holds what a pausing sink could not take yet.
final class Unpacker {
  typealias Progress = PackingLayer.Progress

  /// More codings one in another serve nobody but an attacker: each may multiply what the one before made.
  static let mostCodings = 3

  /// From the outermost to the innermost.
  private let layers: [PackingLayer]

  /// Nil where a coding is unknown, there are too many, or there is no memory.
  init?(_ packing: String, limit: Int) {
    let codings = Self.codings(in: packing)
    guard codings.count <= Self.mostCodings else { return nil }
    layers = codings.reversed().compactMap { PackingLayer($0, limit: limit) }
    guard layers.count == codings.count else { return nil }
  }

  /// The codings of a field `Content-Encoding`, in the order in which they were applied, without those that do nothing.
  static func codings(in packing: String) -> [String] {
    packing.split(separator: ",").map { coding in
      String(coding.drop(while: isBlank).reversed().drop(while: isBlank).reversed()).lowercased()
    }.filter { !["", "identity", "none"].contains($0) }
  }

  private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

  /// Whether packed bytes wait for the taker.
  var isHolding: Bool { layers.contains { $0.isHolding } }

  /// Whether the packed bytes came to their end, or there were none.
  var isComplete: Bool { layers.allSatisfy { $0.isComplete } }

  /// Unpacks; `take` is given each part and says whether it takes another, nil to end it all.
  func unpack(_ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    unpack(.piece(bytes), at: 0, to: take)
  }

  /// Goes on with what is held, first where it is nearest to the taker.
  func unpackHeld(to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    for index in layers.indices.reversed() {
      let progress = unpack(.held, at: index, to: take)
      guard case .done = progress else { return progress }
    }
    return .done
  }

  private enum Work {
    case piece(UnsafeRawBufferPointer)
    case held
  }

  /// Has a layer work, which hands each part to the next one; the first trouble of any of them is that of all.
  private func unpack(_ work: Work, at index: Int, to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    var trouble: Progress?
    func takePart(_ part: UnsafeRawBufferPointer) -> Bool? {
      guard index < layers.count - 1 else { return take(part) }
      var wantsMore = true
      let inner = unpack(.piece(part), at: index + 1) { bytes in
        let answer = take(bytes)
        if answer == false { wantsMore = false }
        return answer
      }
      switch inner {
      case .done: return wantsMore
      case .held: return false
      default:
        trouble = inner
        return nil
      }
    }
    let progress =
      switch work {
      case .piece(let bytes): layers[index].unpack(bytes, to: takePart)
      case .held: layers[index].unpackHeld(to: takePart)
      }
    return trouble ?? progress
  }
}
