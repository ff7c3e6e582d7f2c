import CGTK
import EaselGTK

/// Returns at the next frame of the screen that a widget is on.
@GTKActor
package func nextFrame(of widget: Object) async {
  await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
    let waiter = Unmanaged.passRetained(FrameWaiter(continuation)).toOpaque()
    gtk_widget_add_tick_callback(
      widget.widget,
      { _, _, data in
        Unmanaged<FrameWaiter>.fromOpaque(data!).takeUnretainedValue().end()
        return 0
      }, waiter,
      { data in
        let waiter = Unmanaged<FrameWaiter>.fromOpaque(data!).takeRetainedValue()
        // A widget may end before its next frame.
        waiter.end()
      })
  }
}

/// The one who waits for a frame, and is woken once.
private final class FrameWaiter {
  private var continuation: UnsafeContinuation<Void, Never>?

  init(_ continuation: UnsafeContinuation<Void, Never>) { self.continuation = continuation }

  func end() { continuation.take()?.resume() }
}
