import CGTK
import EaselGTK
import Foundation
import PictureGallery

/// The same grid with the picture of GTK itself, which reads each file while the list is laid out.
@GTKActor
final class PlainGrid {
  let window: Object
  let scroller: Object
  private let view: Object
  private var bound = 0

  init(_ urls: [URL]) {
    window = OpaquePointer(gtk_window_new()!)
    scroller = OpaquePointer(gtk_scrolled_window_new()!)
    let model = gtk_string_list_new(nil)!
    for url in urls { gtk_string_list_append(model, url.path) }
    let factory = gtk_signal_list_item_factory_new()!
    view = OpaquePointer(gtk_grid_view_new(gtk_single_selection_new(model), factory)!)
    gtk_grid_view_set_max_columns(view, 40)
    gtk_scrolled_window_set_child(scroller, UnsafeMutablePointer(view))
    gtk_scrolled_window_set_policy(scroller, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_window_set_child(UnsafeMutablePointer(window), UnsafeMutablePointer(scroller))
    gtk_window_set_default_size(UnsafeMutablePointer(window), 1000, 700)
    factory.onObject("setup") { item in
      let picture = gtk_picture_new()!
      gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
      gtk_widget_set_size_request(picture, 160, 160)
      gtk_list_item_set_child(item, picture)
    }
    factory.onObject("bind") { [unowned self] item in
      let place = Int(gtk_list_item_get_position(item))
      let file = g_file_new_for_path(urls[place].path)
      gtk_picture_set_file(OpaquePointer(gtk_list_item_get_child(item)!), file)
      g_object_unref(UnsafeMutableRawPointer(file))
      bound += 1
    }
    factory.onObject("unbind") { item in
      gtk_picture_set_file(OpaquePointer(gtk_list_item_get_child(item)!), nil)
    }
  }

  /// It is complete as soon as it is laid out, because it reads its files meanwhile.
  var isComplete: Bool { bound > 0 }
}
