import EaselCore
import EaselSupport

/// The frames of a file that is still arriving: a scanner appends to the row while previews read copies of it.
///
/// A copy costs nothing at any length: all copies share one list, and each copy stores how many frames of the list are
/// its own. If each preview really copied the frames, a file of ten thousand frames would cause fifty million copies.
package struct ArrivingFrames<Frame: Sendable>: Sendable {
  private final class List: Sendable {
    let frames: Locked<[Frame]>

    init(_ frames: [Frame]) { self.frames = Locked(frames) }
  }

  /// The shared list, nil while the row is empty.
  private var list: List?
  /// The number of frames.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }
  package var first: Frame? { isEmpty ? nil : self[0] }
  package var last: Frame? { isEmpty ? nil : self[count - 1] }

  package subscript(index: Int) -> Frame {
    precondition(index >= 0 && index < count, "There is no frame \(index): the picture has \(count), counted from 0.")
    return list!.frames.withLock { $0[index] }
  }

  /// All frames as an array.
  package var all: [Frame] { list?.frames.withLock { Array($0.prefix(count)) } ?? [] }

  /// Adds a frame; copies made before do not have the frame.
  package mutating func append(_ frame: Frame) {
    let own = count
    let isAdded = list?.frames.withLock { frames in
      // Another copy may have appended to the shared list.
      guard frames.count == own else { return false }
      frames.append(frame)
      return true
    }
    if isAdded != true { list = List(all + [frame]) }
    count = own + 1
  }

  /// True when both rows share one list, or one of them is empty.
  package func sharesList(with other: ArrivingFrames) -> Bool { isEmpty || other.isEmpty || list === other.list }
}
