internal import CEaselGTK
import FoundationEssentials

/// The calls of the widget in C, passed on to its view.
///
/// GTK makes all of them on its thread. Pointers pass as numbers into the code that belongs to the actor.
enum PictureHooks {
  static func register() {
    var hooks = easel_picture_hooks()
    hooks.create = { widget in
      let widget = UInt(bitPattern: widget)
      let owner = GTKActor.onThread {
        UInt(bitPattern: Unmanaged.passRetained(PictureView(OpaquePointer(bitPattern: widget)!)).toOpaque())
      }
      return UnsafeMutableRawPointer(bitPattern: owner)
    }
    hooks.dispose = { owner in PictureHooks.with(owner) { $0.dispose() } }
    hooks.destroy = { owner in
      let owner = UInt(bitPattern: owner)
      GTKActor.onThread { Unmanaged<PictureView>.fromOpaque(UnsafeRawPointer(bitPattern: owner)!).release() }
    }
    hooks.map = { owner in PictureHooks.with(owner) { $0.appear() } }
    hooks.unmap = { owner in PictureHooks.with(owner) { $0.disappear() } }
    hooks.allocate = { owner, width, height in PictureHooks.with(owner) { $0.takeRoom() } }
    hooks.scale_changed = { owner in PictureHooks.with(owner) { $0.takeScale() } }
    hooks.measure = { owner, isVertical, size, natural in
      natural!.pointee = PictureHooks.with(owner) {
        Int32(clamping: $0.geometry.length(isVertical: isVertical, forSize: Int(size)))
      }
    }
    hooks.snapshot = { owner, snapshot, width, height in
      let snapshot = UInt(bitPattern: snapshot)
      PictureHooks.with(owner) {
        $0.draw(on: OpaquePointer(bitPattern: snapshot)!, width: Int(width), height: Int(height))
      }
    }
    hooks.changed = { owner, property in PictureHooks.with(owner) { $0.takeChange(of: property) } }
    hooks.activate = { owner in PictureHooks.with(owner) { $0.activate() } }
    hooks.tick = { owner, time in PictureHooks.with(owner) { $0.tick(at: .microseconds(time)) } }
    easel_picture_set_hooks(&hooks)
  }

  private static func with<Result: Sendable>(
    _ owner: UnsafeMutableRawPointer?, _ body: @GTKActor (PictureView) -> Result
  ) -> Result {
    let owner = UInt(bitPattern: owner)
    return GTKActor.onThread {
      body(Unmanaged<PictureView>.fromOpaque(UnsafeRawPointer(bitPattern: owner)!).takeUnretainedValue())
    }
  }
}

/// The function of the header for C.
@_cdecl("easel_remote_picture_register")
func registerRemotePicture() -> Bool {
  guard easel_gtk_load() == nil else { return false }
  PictureHooks.register()
  return true
}
