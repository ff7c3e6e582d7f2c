import CGTK
import Easel
import EaselGTK
import Foundation
import Synchronization

/// A grid of thumbnails that is scrolled.
///
/// GTK keeps some hundred cells, of which only those on the screen load their pictures. The pictures of the rows that come
/// next are loaded ahead, and those that have left the screen are given up.
@GTKActor
package final class PictureGrid {
  /// The sides of a cell.
  private nonisolated static let side = 160

  /// About the number of pictures on a first screen.
  private static let firstScreen = 30

  /// The scrolled window with the grid.
  package let widget: Object
  private let view: Object
  private let selection: Object
  private let adjustment: UnsafeMutablePointer<GtkAdjustment>
  private let urls: [URL]
  private let manager: ImageManager
  private let prefetcher: PictureListPrefetcher
  private let beginning: ImagePrefetcher
  /// The cells that GTK has for items, by their places.
  private var cells: [Int: RemotePicture] = [:]
  package private(set) var visible = 0..<0
  // The prefetcher asks on other threads.
  private let scaleForPrefetching = SharedScale()
  private var willFollow = false

  /// Called with the place of a picture that is to be opened.
  var open: (@GTKActor (Int) -> Void)?

  init(_ urls: [URL], manager: ImageManager) {
    self.urls = urls
    self.manager = manager
    beginning = ImagePrefetcher(manager: manager)
    let shared = scaleForPrefetching
    prefetcher = PictureListPrefetcher(manager: manager, to: .memory) { place in
      urls.indices.contains(place) ? Self.request(urls[place], scale: shared.value) : nil
    }
    let model = gtk_string_list_new(nil)!
    for url in urls { gtk_string_list_append(model, url.absoluteString) }
    selection = gtk_single_selection_new(model)
    let factory = gtk_signal_list_item_factory_new()!
    view = gtk_grid_view_new(selection, factory)!.object
    widget = gtk_scrolled_window_new()!.object
    adjustment = gtk_scrolled_window_get_vadjustment(widget)
    gtk_grid_view_set_max_columns(view, 40)
    gtk_scrolled_window_set_child(widget, view.widget)
    gtk_scrolled_window_set_policy(widget, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    // The first screen is read while GTK makes the window.
    beginning.prefetch(urls.prefix(Self.firstScreen).map { Self.request($0) }, to: .memory)
    factory.onObject("setup") { item in
      let picture = RemotePicture()
      gtk_widget_set_size_request(picture.widget.widget, Int32(Self.side), Int32(Self.side))
      // A cell that grew with its column would draw its thumbnail larger than it is.
      gtk_widget_set_halign(picture.widget.widget, GTK_ALIGN_CENTER)
      gtk_list_item_set_child(item, picture.widget.widget)
    }
    factory.onObject("bind") { [unowned self] item in bind(item) }
    factory.onObject("unbind") { [unowned self] item in unbind(item) }
    view.onNumber("activate") { [unowned self] place in open?(Int(place)) }
    adjustment.object.on("value-changed") { [unowned self] in follow() }
    adjustment.object.on("changed") { [unowned self] in followLayout() }
  }

  /// The request for the thumbnail of a picture, on a screen with so many pixels to a unit.
  ///
  /// It has the pixels of a cell, so that it is drawn as it is, and one variant of each picture is on disk.
  package nonisolated static func request(_ url: URL, scale: Int = 1) -> ImageRequest {
    ImageRequest(
      url: url, options: .firstFrameOnly,
      context: [.thumbnailSize(PixelSize(width: side * scale, height: side * scale))])
  }

  private func request(at place: Int) -> ImageRequest { Self.request(urls[place], scale: scale) }

  private var scale: Int { max(1, Int(gtk_widget_get_scale_factor(widget.widget))) }

  /// The thumbnail of a picture, if it is in memory.
  func thumbnail(at place: Int) -> Image? { manager.cachedImage(for: request(at: place)) }

  /// Selects a picture, and scrolls to it if it is not on the screen.
  func select(_ place: Int) {
    gtk_single_selection_set_selected(selection, UInt32(place))
    guard !visible.contains(place) else { return }
    let row = Double(place / columns * Self.side)
    gtk_adjustment_set_value(adjustment, row)
  }

  /// True when each cell on the screen has its picture, or has failed.
  package var isComplete: Bool {
    guard !visible.isEmpty, !willFollow else { return false }
    return visible.allSatisfy { place in
      guard let cell = cells[place] else { return true }
      return cell.image != nil && !cell.isLoading || cell.error != nil
    }
  }

  /// Moves to a share of the whole height.
  package func scroll(to share: Double) {
    let end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
    gtk_adjustment_set_value(adjustment, end * share)
  }

  /// The places of the pictures that are held.
  package var shown: Set<Int> { Set(cells.filter { $0.value.image != nil }.keys) }

  // MARK: Cells

  private func bind(_ item: Object) {
    let place = Int(gtk_list_item_get_position(item))
    guard let picture = RemotePicture(gtk_list_item_get_child(item)!.object) else { return }
    cells[place] = picture
    picture.alternativeText = urls[place].lastPathComponent
    if visible.contains(place) { show(place, in: picture) }
  }

  private func unbind(_ item: Object) {
    let place = Int(gtk_list_item_get_position(item))
    guard let picture = RemotePicture(gtk_list_item_get_child(item)!.object) else { return }
    picture.clear()
    if cells[place]?.widget == picture.widget { cells[place] = nil }
  }

  private func show(_ place: Int, in picture: RemotePicture) {
    picture.show(request(at: place), from: manager)
  }

  // MARK: Scrolling

  /// The number of columns that GTK made, each as wide as the parent of a cell.
  private var columns: Int {
    let width = Int(gtk_widget_get_width(view.widget))
    let ofCell = cells.values.lazy.map { Int(gtk_widget_get_width(gtk_widget_get_parent($0.widget.widget))) }
    guard let cell = ofCell.first(where: { $0 > 0 }) else { return max(1, width / Self.side) }
    return max(1, width / cell)
  }

  /// Follows a new size of the window, whose columns are known when it has been laid out.
  private func followLayout() {
    follow()
    guard !willFollow else { return }
    willFollow = true
    Task { [weak self] in
      guard let self else { return }
      await nextFrame(of: widget)
      willFollow = false
      follow()
    }
  }

  /// Loads what has come to the screen, and gives up what has left it.
  private func follow() {
    let height = gtk_adjustment_get_page_size(adjustment)
    let whole = gtk_adjustment_get_upper(adjustment)
    guard height > 0, whole > 0, !urls.isEmpty else { return }
    // GTK may give the rows more than they ask for.
    let rows = (urls.count + columns - 1) / columns
    let rowHeight = max(1, whole / Double(rows))
    let top = gtk_adjustment_get_value(adjustment)
    let first = min(max(0, Int(top / rowHeight)), rows - 1)
    let last = min(max(first, Int((top + height) / rowHeight)), rows - 1)
    let now = first * columns..<min(urls.count, (last + 1) * columns)
    guard now != visible else { return }
    let before = visible
    visible = now
    for place in before where !now.contains(place) { cells[place]?.clear() }
    for place in now where !before.contains(place) {
      if let picture = cells[place] { show(place, in: picture) }
    }
    scaleForPrefetching.value = scale
    prefetcher.show(now)
  }
}

/// A number that other threads read.
private final class SharedScale: Sendable {
  private let state = Mutex(1)

  var value: Int {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
