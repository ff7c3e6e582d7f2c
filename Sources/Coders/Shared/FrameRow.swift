import EaselCore

/// The frames of a file that is still arriving: a scanner appends to the row while previews read copies of it.
///
/// A copy costs nothing, however long the row is: copies share one list, and each knows how much of it is its own.
/// Copying the frames for each preview would be fifty million copies for ten thousand frames.
package struct FrameRow<Frame: Sendable>: Sendable {
  private final class List: Sendable {
    let frames: Locked<[Frame]>

    init(_ frames: [Frame]) { self.frames = Locked(frames) }
  }

  /// Nil as long as there is no frame.
  private var list: List?
  /// The number of frames.
  package private(set) var count = 0

  /// Creates a row without frames.
  package init() {}

  package var isEmpty: Bool { count == 0 }
  package var first: Frame? { isEmpty ? nil : self[0] }
  package var last: Frame? { isEmpty ? nil : self[count - 1] }

  package subscript(index: Int) -> Frame {
    precondition(index >= 0 && index < count, "There is no frame \(index) among \(count).")
    return list!.frames.withLock { $0[index] }
  }

  /// All frames at once.
  package var all: [Frame] { list?.frames.withLock { Array($0.prefix(count)) } ?? [] }

  /// Adds a frame, which copies made before do not see.
  package mutating func append(_ frame: Frame) {
    let own = count
    let isAdded = list?.frames.withLock { frames in
      // Another copy may have gone on from here.
      guard frames.count == own else { return false }
      frames.append(frame)
      return true
    }
    if isAdded != true { list = List(all + [frame]) }
    count = own + 1
  }

  /// Whether both rows share one list; rows without frames share any.
  package func sharesList(with other: FrameRow) -> Bool { isEmpty || other.isEmpty || list === other.list }
}
