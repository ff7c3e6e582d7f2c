import Easel
import Synchronization

// Documentation: writing a work gate.
final class NotTooManyPixels: WorkGate {
  private let inside = Mutex(0)
  private let most: Int

  init(most: Int) { self.most = most }

  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
    let pixels = (work.header?.storedSize.area ?? 0) + work.resultSize.area
    let mayEnter = inside.withLock { inside in
      // A picture that is alone may be of any size.
      guard inside == 0 || inside + pixels <= most else { return false }
      inside += pixels
      return true
    }
    guard mayEnter else { throw ImageError(.overloaded, "Too many pixels are being worked on. Try again.") }
    return { [self] _ in inside.withLock { $0 -= pixels } }
  }
}
