import CGTK
import EaselGTK

extension GalleryWindow {
  /// Returns when all that is on the screen has its picture and has been drawn.
  package func waitUntilComplete(isOpen: Bool) async {
    repeat { await nextFrame(of: window) } while !(isOpen ? viewer.isComplete : grid.isComplete)
    // Layout follows at the next frame, and the drawing is that of the one after.
    for _ in 0..<3 { await nextFrame(of: window) }
  }

  /// Writes the window as it is drawn, as a PNG; false if that is not possible.
  package func write(to path: String) -> Bool {
    let (width, height) = (gtk_widget_get_width(window.widget), gtk_widget_get_height(window.widget))
    guard let paintable = gtk_widget_paintable_new(window.widget), let snapshot = gtk_snapshot_new() else {
      return false
    }
    gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
    guard let node = gtk_snapshot_free_to_node(snapshot),
      let renderer = gtk_native_get_renderer(window),
      let texture = gsk_renderer_render_texture(renderer, node, nil)
    else { return false }
    defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
    return gdk_texture_save_to_png(texture, path) != 0
  }

  /// Chooses the dark form of the theme.
  package static func preferDark() {
    gtk_shim_set_flag(UnsafeMutableRawPointer(gtk_settings_get_default()), "gtk-application-prefer-dark-theme", 1)
  }
}
