import CGTK
import Easel
import EaselGTK
import Foundation

/// A grid of thumbnails that is scrolled.
///
/// GTK keeps some hundred cells, of which only those on the screen load their pictures. The pictures of the rows that come
/// next are loaded ahead, and those that have left the screen are given up.
@GTKActor
package final class PictureGrid {
  /// The sides of a cell.
  static let side = 160
  /// The box of its thumbnail, which is the same for all sizes of windows, so that one variant is on disk.
  private nonisolated static let box = PixelSize(width: 256, height: 256)

  /// The scrolled window with the grid.
  package let widget: Object
  private let view: Object
  private let selection: Object
  private let adjustment: UnsafeMutablePointer<GtkAdjustment>
  private let urls: [URL]
  private let manager: ImageManager
  private let prefetcher: PictureListPrefetcher
  /// The cells that GTK has for items, by their places.
  private var cells: [Int: RemotePicture] = [:]
  private var visible = 0..<0
  private var willFollow = false

  /// Called with the place of a picture that is to be opened.
  var open: (@GTKActor (Int) -> Void)?

  init(_ urls: [URL], manager: ImageManager) {
    self.urls = urls
    self.manager = manager
    prefetcher = PictureListPrefetcher(manager: manager, to: .memory) { place in
      urls.indices.contains(place) ? Self.request(urls[place]) : nil
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
    factory.onObject("setup") { item in
      let picture = RemotePicture()
      picture.contentFit = .cover
      gtk_widget_set_size_request(picture.widget.widget, Int32(Self.side), Int32(Self.side))
      gtk_list_item_set_child(item, picture.widget.widget)
    }
    factory.onObject("bind") { [unowned self] item in bind(item) }
    factory.onObject("unbind") { [unowned self] item in unbind(item) }
    view.onNumber("activate") { [unowned self] place in open?(Int(place)) }
    adjustment.object.on("value-changed") { [unowned self] in follow() }
    adjustment.object.on("changed") { [unowned self] in followLayout() }
  }

  /// The request for the thumbnail of a picture.
  package nonisolated static func request(_ url: URL) -> ImageRequest {
    ImageRequest(url: url, options: .firstFrameOnly, context: [.thumbnailSize(box)])
  }

  /// The thumbnail of a picture, if it is in memory.
  func thumbnail(at place: Int) -> Image? { manager.cachedImage(for: Self.request(urls[place])) }

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
    picture.show(Self.request(urls[place]), from: manager)
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
    prefetcher.show(now)
  }
}
