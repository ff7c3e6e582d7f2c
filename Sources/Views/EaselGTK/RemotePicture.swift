internal import CEaselGTK
import EaselCore
import EaselDisplay
import EaselManager
import FoundationEssentials

/// A widget of GTK 4 that shows the picture of a URL.
///
/// ```swift
/// try GTKActor.run {
///   let picture = RemotePicture()
///   picture.transition = .fade()
///   picture.show(url, from: manager)
///   picture.openWindow(title: "A picture")
/// }
/// ```
///
/// A load begins when the widget is on the screen and has its room, so that no more pixels are decoded than it shows. It is
/// cancelled when the widget leaves the screen, and begins anew when it comes back. Nothing of an earlier URL is shown after
/// a call of ``show(_:from:placeholder:options:context:completion:progress:)``.
@GTKActor
public final class RemotePicture {
  /// A function that is told the share of a picture that has come; nil while its length is unknown.
  public typealias Progress = @GTKActor (Double?) -> Void
  /// A function that is told the end of a load, once.
  public typealias Completion = @GTKActor (Result<ImageResult, ImageError>) -> Void

  /// The manager of pictures for which no other is named, such as those of files of GtkBuilder.
  public static var manager: ImageManager?

  /// The `GtkWidget`, to be put into a window.
  ///
  /// The widget keeps itself while it is in a window. This object may go.
  public var widget: OpaquePointer { object.pointer }
  private let object: GTKObject
  private let view: PictureView

  /// Creates a widget that shows nothing; ``GTKActor/run(_:)`` or ``GTKActor/begin()`` must have started GTK.
  public init() {
    PictureHooks.register()
    let widget = easel_picture_new()!
    easel_gtk_adopt(UnsafeMutableRawPointer(widget))
    object = GTKObject(widget)
    view = PictureView.of(widget)!
  }

  /// Takes a widget that a file of GtkBuilder made; nil if it is none of the type `EaselRemotePicture`.
  public init?(_ widget: OpaquePointer) {
    guard let view = PictureView.of(widget) else { return nil }
    easel_gtk_retain(UnsafeMutableRawPointer(widget))
    object = GTKObject(widget)
    self.view = view
  }

  /// Makes the type `EaselRemotePicture` known, so that files of GtkBuilder can name it.
  public static func register() { PictureHooks.register() }

  /// Opens a window with this widget alone, for a first try or a frame on a wall.
  ///
  /// When it is closed, the loop of ``GTKActor/run(_:)`` ends.
  public func openWindow(title: String = "", width: Int = 800, height: Int = 600) {
    easel_gtk_open_window(widget, title, Int32(clamping: width), Int32(clamping: height))
  }

  // MARK: What is shown

  /// Shows the picture of a URL; nil shows the placeholder and fails with `invalidURL`.
  ///
  /// The earlier load is cancelled, and its `completion` is told so. Without a manager that of ``manager`` loads. Unless
  /// the context has `thumbnailSize` or a transformer, as many pixels are decoded as the widget shows; see
  /// ``decodesAtSize``. The option `progressive` shows previews.
  public func show(
    _ url: URL?, from manager: ImageManager? = nil, placeholder: Image? = nil, options: ImageOptions = [],
    context: ImageContext = [], completion: Completion? = nil, progress: Progress? = nil
  ) {
    show(
      ImageRequest(url: url, options: options, context: context), from: manager, placeholder: placeholder,
      completion: completion, progress: progress)
  }

  /// Shows the picture of a request.
  public func show(
    _ request: ImageRequest, from manager: ImageManager? = nil, placeholder: Image? = nil,
    completion: Completion? = nil, progress: Progress? = nil
  ) {
    view.ask(
      PictureView.Wish(
        request: request, manager: manager, placeholder: placeholder, progress: progress, completion: completion))
  }

  /// Shows a picture that needs no load; nil shows nothing.
  public func show(_ image: Image?) { view.showReady(image) }

  /// Cancels the load and shows nothing, which a row of a list does when it is unbound.
  public func clear() { view.clear() }

  /// Cancels the load; what is shown stays.
  public func cancel() { view.cancel() }

  /// Loads a picture that has failed once more.
  public func retry() { view.retry() }

  /// The picture that is shown, which may be a placeholder or a preview.
  public var image: Image? { view.image }
  /// The error of the last load; nil if it did not fail.
  public var error: ImageError? { view.error }
  /// True while a load runs for a picture that is not shown yet.
  public var isLoading: Bool { view.phase == .loading }

  /// The player of the picture that is shown; nil if it does not move.
  ///
  /// It seeks, pauses, and sets speed and loops. It pauses by itself while the widget is not on the screen. All widgets
  /// that show one picture share its frames.
  public var player: ImagePlayer? { view.player }

  // MARK: Looks

  /// The way in which the picture takes the room of the widget.
  public var contentFit: ContentFit {
    get { view.contentFit }
    set { view.contentFit = newValue }
  }

  /// The text for those who do not see the picture.
  public var alternativeText: String? {
    get { easel_picture_alternative_text(widget).map { String(cString: $0) } }
    set { easel_picture_set_alternative_text(widget, newValue) }
  }

  /// The way to pictures that did not come from memory.
  public var transition: Transition {
    get { view.way }
    set { view.way = newValue }
  }

  /// The sign that a picture is being loaded.
  public var indicator: Indicator {
    get { view.indicator }
    set { view.indicator = newValue }
  }

  /// The picture that is shown when a load fails; nil leaves the placeholder.
  public var failurePicture: Image? {
    get { view.failurePicture }
    set { view.failurePicture = newValue }
  }

  /// True if a picture from left to right is mirrored where text is read from right to left.
  public var flipsInRightToLeft: Bool {
    get { view.flipsInRightToLeft }
    set { view.flipsInRightToLeft = newValue }
  }

  // MARK: Behaviour

  /// True if a click, Return or the space bar loads a picture that has failed once more.
  public var retriesOnClick: Bool {
    get { view.retriesOnClick }
    set { view.retriesOnClick = newValue }
  }

  /// True, by default, if moving pictures play by themselves.
  ///
  /// Otherwise the player is paused on its first frame.
  public var autoplays: Bool {
    get { view.autoplays }
    set { view.autoplays = newValue }
  }

  /// True, by default, if only as many pixels are decoded as the widget has.
  ///
  /// A widget that grows loads the picture again, and shows the smaller one until the larger one is there.
  public var decodesAtSize: Bool {
    get { view.decodesAtSize }
    set { view.decodesAtSize = newValue }
  }
}
