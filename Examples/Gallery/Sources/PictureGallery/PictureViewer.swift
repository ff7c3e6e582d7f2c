import CGTK
import Easel
import EaselGTK
import Foundation

/// One picture, which can be zoomed and moved.
///
/// A picture that covers the screen is decoded first, whatever the size of the original. When it is zoomed further, the part
/// that is on the screen is decoded once more, with as many pixels as are seen, and laid over it.
@GTKActor
package final class PictureViewer {
  /// The box of the picture below, which is enough for most screens.
  private static let box = PixelSize(width: 2048, height: 2048)

  /// The scrolled window with the picture.
  package let widget: Object
  private let room: Object
  private let whole = RemotePicture()
  /// The part that is sharp, and the one that comes next.
  private let parts = [RemotePicture(), RemotePicture()]
  private var front = 0
  private var region: SharpRegion?
  private var nextRegion: SharpRegion?

  private let manager: ImageManager
  private var url: URL?
  private var size = PixelSize(width: 0, height: 0)
  /// The scale that was chosen; nil fits the picture into the window.
  private var chosen: Double?
  /// The place that is to be in the middle as soon as GTK knows the new size.
  private var target: (x: Double, y: Double)?
  private var willSettle = false
  private var scaleAtPinch = 1.0
  private var dragStart = (x: 0.0, y: 0.0)

  /// Called when another scale is shown.
  var scaleChanged: (@GTKActor () -> Void)?

  init(manager: ImageManager) {
    self.manager = manager
    widget = gtk_scrolled_window_new()!.object
    room = gtk_fixed_new()!.object
    gtk_scrolled_window_set_child(widget, room.widget)
    gtk_widget_set_hexpand(widget.widget, 1)
    gtk_widget_set_vexpand(widget.widget, 1)
    for picture in [whole] + parts {
      picture.contentFit = .fill
      gtk_fixed_put(room.of(), picture.widget.widget, 0, 0)
    }
    whole.indicator = .spinner
    whole.retriesOnClick = true
    for adjustment in [horizontal, vertical] {
      adjustment.object.on("changed") { [unowned self] in settleSoon() }
      adjustment.object.on("value-changed") { [unowned self] in settleSoon() }
    }
    listen()
  }

  // MARK: The picture

  /// Shows a picture that fits into the window; `thumbnail` is there until it has come.
  func show(_ url: URL, thumbnail: Image?, transition: RemotePicture.Transition = .none) {
    self.url = url
    chosen = nil
    target = nil
    size = PixelSize(width: 0, height: 0)
    forgetParts()
    whole.transition = transition
    whole.alternativeText = url.lastPathComponent
    whole.show(
      url, from: manager, placeholder: thumbnail, options: .progressive,
      context: [.thumbnailSize(Self.box), .storeLayers(.memory)]
    ) { [weak self] _ in
      self?.learnSize()
      self?.lay()
    }
    learnSize()
    lay()
  }

  /// Lets go of all pixels.
  func clear() {
    url = nil
    whole.clear()
    forgetParts()
  }

  /// True when nothing is missing that the screen could show.
  package var isComplete: Bool { !whole.isLoading && whole.image != nil && nextRegion == nil && !willSettle }

  /// True when the picture fits into the window.
  package var isFitted: Bool { chosen == nil }

  /// The part that is decoded with the pixels of the screen; nil if the picture has no more than are shown.
  package var sharpPart: PixelRect? { region?.part }

  // MARK: The scale

  private var fit: Double { Zoom.fitting(size, in: (view.width, view.height)) }
  /// The pixels of the window for one of the picture.
  package var scale: Double { chosen ?? fit }

  /// Changes the scale by a level, and keeps what is in the middle.
  func zoom(isLarger: Bool) { zoom(to: Zoom.next(scale, isLarger: isLarger, fit: fit)) }

  /// Shows the pixels as they are, or all of the picture if it is shown so already.
  func toggle(at place: (x: Double, y: Double)? = nil) {
    zoom(to: chosen == nil && fit < 1 ? 1 : fit, around: place)
  }

  /// Shows the picture in a scale, around a place in the window.
  package func zoom(to wanted: Double, around place: (x: Double, y: Double)? = nil) {
    guard !size.isEmpty else { return }
    let new = min(max(wanted, fit), 8)
    let around = place ?? (view.width / 2, view.height / 2)
    let (old, offset) = (scale, offset)
    let x = (gtk_adjustment_get_value(horizontal) + around.x - offset.x) / old
    let y = (gtk_adjustment_get_value(vertical) + around.y - offset.y) / old
    chosen = new <= fit * 1.001 ? nil : new
    target = (x * new - around.x, y * new - around.y)
    lay()
  }

  // MARK: Layout

  private var horizontal: UnsafeMutablePointer<GtkAdjustment> { gtk_scrolled_window_get_hadjustment(widget) }
  private var vertical: UnsafeMutablePointer<GtkAdjustment> { gtk_scrolled_window_get_vadjustment(widget) }

  private var view: (width: Double, height: Double) {
    (gtk_adjustment_get_page_size(horizontal), gtk_adjustment_get_page_size(vertical))
  }

  /// The place of the picture in the room, which is in the middle if it is smaller.
  private var offset: (x: Double, y: Double) {
    (
      max(0, ((view.width - Double(size.width) * scale) / 2).rounded(.down)),
      max(0, ((view.height - Double(size.height) * scale) / 2).rounded(.down))
    )
  }

  /// Gives the picture its size and its place.
  private func lay() {
    guard !size.isEmpty else { return }
    let offset = offset
    place(
      whole, x: offset.x, y: offset.y, width: Double(size.width) * scale, height: Double(size.height) * scale)
    if let region { place(parts[front], region) }
    if let nextRegion { place(parts[1 - front], nextRegion) }
    scaleChanged?()
    sharpen()
  }

  /// Asks the widget for the size of the whole picture, which it knows however few pixels it has.
  private func learnSize() {
    guard whole.image != nil else { return }
    var (width, height) = (Int32(0), Int32(0))
    // The size that was asked for would hide that of the picture.
    gtk_widget_set_size_request(whole.widget.widget, -1, -1)
    gtk_widget_measure(whole.widget.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &width, nil, nil)
    gtk_widget_measure(whole.widget.widget, GTK_ORIENTATION_VERTICAL, -1, nil, &height, nil, nil)
    size = PixelSize(width: Int(width), height: Int(height))
  }

  private func place(_ picture: RemotePicture, _ region: SharpRegion) {
    let part = region.part
    place(
      picture, x: offset.x + Double(part.x) * scale, y: offset.y + Double(part.y) * scale,
      width: Double(part.width) * scale, height: Double(part.height) * scale)
  }

  private func place(_ picture: RemotePicture, x: Double, y: Double, width: Double, height: Double) {
    gtk_widget_set_size_request(picture.widget.widget, Int32(max(1, width.rounded())), Int32(max(1, height.rounded())))
    gtk_fixed_move(room.of(), picture.widget.widget, x, y)
  }

  /// Follows a new size of the window or of the picture.
  ///
  /// GTK says it in the middle of its layout, in which nothing may be laid out anew.
  private func settleSoon() {
    guard !willSettle else { return }
    willSettle = true
    Task { [weak self] in self?.settle() }
  }

  private func settle() {
    willSettle = false
    // The room has its new size now, so that the place that was to be in the middle is in it.
    if let place = target {
      target = nil
      gtk_adjustment_set_value(horizontal, place.x)
      gtk_adjustment_set_value(vertical, place.y)
    }
    lay()
  }

  // MARK: Sharp parts

  /// Decodes the part that is on the screen once more, if the picture has more pixels there.
  private func sharpen() {
    guard let url, let image = whole.image, image.frames == nil, !size.isEmpty, !whole.isLoading else { return }
    let density = scale * Double(gtk_widget_get_scale_factor(widget.widget))
    let shown = Double(image.size.width) / Double(size.width)
    guard shown < min(1, density) * 0.99 else { return forgetParts() }
    let place = PixelRect(
      x: Int((gtk_adjustment_get_value(horizontal) - offset.x) / scale),
      y: Int((gtk_adjustment_get_value(vertical) - offset.y) / scale), width: Int((view.width / scale).rounded(.up)),
      height: Int((view.height / scale).rounded(.up)))
    for known in [region, nextRegion] where known?.covers(place, of: size, density: density) == true { return }
    let wanted = SharpRegion(showing: place, of: size, density: density)
    guard !wanted.part.isEmpty else { return }
    nextRegion = wanted
    let next = parts[1 - front]
    self.place(next, wanted)
    let crop = TransformerPipeline.crop(wanted.part)
    next.show(
      url, from: manager,
      context: [
        .transformer(crop.then(.resize(width: wanted.pixels.width, height: wanted.pixels.height))),
        .storeLayers([]), .originalStoreLayers(.disk),
      ]
    ) { [weak self] outcome in
      guard case .success = outcome else { return }
      self?.take(wanted)
    }
  }

  /// Shows the part that has come in place of the last one.
  private func take(_ new: SharpRegion) {
    guard new == nextRegion else { return }
    parts[front].clear()
    front = 1 - front
    region = new
    nextRegion = nil
    lay()
  }

  private func forgetParts() {
    guard region != nil || nextRegion != nil else { return }
    region = nil
    nextRegion = nil
    for part in parts { part.clear() }
  }

  // MARK: Mouse and touch

  private func listen() {
    let clicks = gtk_gesture_click_new()!
    clicks.onClick("pressed") { [unowned self] count, x, y in if count == 2 { toggle(at: (x, y)) } }
    gtk_widget_add_controller(widget.widget, clicks)
    let wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)!
    gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE)
    wheel.onScroll { [unowned self] _, y in
      guard gtk_event_controller_get_current_event_state(wheel).rawValue & GDK_CONTROL_MASK.rawValue != 0 else {
        return false
      }
      zoom(to: scale * (y < 0 ? 1.25 : 0.8))
      return true
    }
    gtk_widget_add_controller(widget.widget, wheel)
    let pinch = gtk_gesture_zoom_new()!
    pinch.on("begin") { [unowned self] in scaleAtPinch = scale }
    pinch.on("scale-changed") { [unowned self] in
      var (x, y) = (0.0, 0.0)
      let hasPlace = gtk_gesture_get_bounding_box_center(pinch, &x, &y) != 0
      zoom(to: scaleAtPinch * gtk_gesture_zoom_get_scale_delta(pinch), around: hasPlace ? (x, y) : nil)
    }
    gtk_widget_add_controller(widget.widget, pinch)
    // Fingers move the picture by themselves; a mouse drags it.
    let drag = gtk_gesture_drag_new()!
    drag.onPlace("drag-begin") { [unowned self] _, _ in
      dragStart = (gtk_adjustment_get_value(horizontal), gtk_adjustment_get_value(vertical))
    }
    drag.onPlace("drag-update") { [unowned self] x, y in
      gtk_adjustment_set_value(horizontal, dragStart.x - x)
      gtk_adjustment_set_value(vertical, dragStart.y - y)
    }
    gtk_widget_add_controller(widget.widget, drag)
  }
}
