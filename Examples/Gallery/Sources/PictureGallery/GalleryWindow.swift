import CGTK
import Easel
import EaselGTK
import Foundation

/// A window with a grid of pictures, of which one can be opened.
@GTKActor
package final class GalleryWindow {
  /// The time for which a slide show shows a picture.
  private static let slideTime = Duration.seconds(4)

  package let window: Object
  package let grid: PictureGrid
  package let viewer: PictureViewer
  private let urls: [URL]
  private let manager: ImageManager
  private let stack: Object
  private let title: Object
  private let back: Object
  private let pane: Object
  private let details: Object
  /// The place of the picture that is open.
  package private(set) var open: Int?
  private var slides: Task<Void, Never>?
  private var reading: Task<Void, Never>?

  /// Makes the window; ``present()`` shows it.
  package init(_ items: GalleryItems, manager: ImageManager, width: Int = 1100, height: Int = 750) {
    urls = items.urls
    self.manager = manager
    grid = PictureGrid(items.urls, manager: manager)
    viewer = PictureViewer(manager: manager)
    window = gtk_window_new()!.object
    stack = gtk_stack_new()!.object
    title = gtk_label_new(nil)!.object
    back = gtk_button_new_from_icon_name("go-previous-symbolic")!.object
    pane = gtk_revealer_new()!.object
    details = gtk_label_new(nil)!.object
    build(width, height)
    showGrid()
  }

  private func build(_ width: Int, _ height: Int) {
    gtk_window_set_default_size(window.of(), Int32(width), Int32(height))
    let header = gtk_header_bar_new()!.object
    gtk_header_bar_set_title_widget(header, title.widget)
    gtk_header_bar_pack_start(header, back.widget)
    gtk_window_set_titlebar(window.of(), header.widget)
    gtk_stack_add_named(stack, grid.widget.widget, "grid")
    gtk_label_set_xalign(details, 0)
    gtk_label_set_yalign(details, 0)
    gtk_label_set_selectable(details, 1)
    gtk_label_set_wrap(details, 1)
    gtk_label_set_wrap_mode(details, PANGO_WRAP_WORD_CHAR)
    gtk_widget_set_size_request(details.widget, 240, -1)
    for set in [
      gtk_widget_set_margin_start, gtk_widget_set_margin_end, gtk_widget_set_margin_top, gtk_widget_set_margin_bottom,
    ] { set(details.widget, 12) }
    gtk_revealer_set_child(pane, details.widget)
    gtk_revealer_set_transition_type(pane, GTK_REVEALER_TRANSITION_TYPE_SLIDE_LEFT)
    let page = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)!.object
    gtk_box_append(page.of(), viewer.widget.widget)
    gtk_box_append(page.of(), pane.widget)
    gtk_stack_add_named(stack, page.widget, "picture")
    gtk_window_set_child(window.of(), stack.widget)

    back.on("clicked") { [unowned self] in showGrid() }
    window.on("close-request") { GTKActor.quit() }
    grid.open = { [unowned self] place in show(place) }
    viewer.scaleChanged = { [unowned self] in tellTitle() }
    let keys = gtk_event_controller_key_new()!
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
    keys.onKey { [unowned self] key, _ in press(key) }
    gtk_widget_add_controller(window.widget, keys)
    let swipe = gtk_gesture_swipe_new()!
    gtk_gesture_single_set_touch_only(swipe, 1)
    swipe.onPlace("swipe") { [unowned self] x, y in
      if viewer.isFitted, abs(x) > 2 * abs(y), abs(x) > 200 { step(by: x < 0 ? 1 : -1) }
    }
    gtk_widget_add_controller(viewer.widget.widget, swipe)
  }

  /// Shows the window.
  package func present() { gtk_window_present(window.of()) }

  /// Ends the window.
  package func close() {
    endSlides()
    gtk_window_destroy(window.of())
  }

  // MARK: Pages

  /// Shows all pictures.
  package func showGrid() {
    endSlides()
    gtk_stack_set_visible_child_name(stack, "grid")
    gtk_widget_set_visible(back.widget, 0)
    viewer.clear()
    if let open { grid.select(open) }
    open = nil
    tellTitle()
  }

  /// Opens one picture.
  package func show(_ place: Int, transition: RemotePicture.Transition = .none) {
    guard urls.indices.contains(place) else { return }
    open = place
    gtk_stack_set_visible_child_name(stack, "picture")
    gtk_widget_set_visible(back.widget, 1)
    viewer.show(urls[place], thumbnail: grid.thumbnail(at: place), transition: transition)
    tellDetails()
    tellTitle()
  }

  private func step(by count: Int, transition: RemotePicture.Transition = .none) {
    guard let open, !urls.isEmpty else { return }
    show((open + count + urls.count) % urls.count, transition: transition)
  }

  private func tellTitle() {
    var text = "\(urls.count) pictures"
    if let open {
      text = "\(urls[open].lastPathComponent) · \(open + 1) of \(urls.count)"
      if viewer.scale != 1 || !viewer.isFitted { text += " · \(Int((viewer.scale * 100).rounded())) %" }
    }
    gtk_label_set_text(title, text)
  }

  // MARK: Details

  /// Shows or hides what the header of the picture says.
  package func toggleDetails() {
    gtk_revealer_set_reveal_child(pane, gtk_revealer_get_reveal_child(pane) == 0 ? 1 : 0)
    tellDetails()
  }

  private func tellDetails() {
    reading?.cancel()
    guard let open, gtk_revealer_get_reveal_child(pane) != 0 else { return }
    let (url, manager) = (urls[open], manager)
    reading = Task {
      let lines = await Details.lines(of: url, from: manager)
      if !Task.isCancelled { gtk_label_set_text(details, lines.joined(separator: "\n")) }
    }
  }

  // MARK: Slide show

  private func toggleSlides() {
    guard slides == nil else { return endSlides() }
    if open == nil { show(0) }
    slides = Task { [weak self] in
      while (try? await Task.sleep(for: Self.slideTime)) != nil, let self {
        step(by: 1, transition: .fade(.milliseconds(600)))
      }
    }
  }

  private func endSlides() {
    slides?.cancel()
    slides = nil
  }

  // MARK: Keys

  private func press(_ key: UInt32) -> Bool { press(gdk_keyval_name(key).map { String(cString: $0) } ?? "") }

  /// Does what the key of this name stands for; false if it stands for nothing here.
  package func press(_ key: String) -> Bool {
    switch key {
    case "F11":
      if gtk_window_is_fullscreen(window.of()) != 0 {
        gtk_window_unfullscreen(window.of())
      } else {
        gtk_window_fullscreen(window.of())
      }
    case "F5": toggleSlides()
    case _ where open == nil: return false
    case "Escape", "BackSpace": showGrid()
    case "Right", "Page_Down", "space": step(by: 1)
    case "Left", "Page_Up": step(by: -1)
    case "plus", "equal", "KP_Add": viewer.zoom(isLarger: true)
    case "minus", "KP_Subtract": viewer.zoom(isLarger: false)
    case "0": viewer.zoom(to: 0)
    case "1": viewer.zoom(to: 1)
    case "Return": viewer.toggle()
    case "i": toggleDetails()
    default: return false
    }
    return true
  }
}
