internal import CEaselGTK
import EaselCore
import EaselDisplay
import EaselManager
import FoundationEssentials

/// The state of one widget, which owns it; a target whose pictures the widget draws.
@GTKActor
final class PictureView: ImageTarget {
  /// The picture that was asked for, and those who want to hear of it.
  struct Wish {
    var request: ImageRequest
    var manager: ImageManager?
    var placeholder: Image?
    var progress: RemotePicture.Progress?
    var completion: RemotePicture.Completion?
  }

  /// The state of what was asked for.
  enum Phase {
    case idle
    /// Waits until the widget is on the screen and has its room.
    case waiting
    case loading
    case shown
    /// A picture is shown, and one with more pixels is loaded.
    case sharpening
    case failed
  }

  /// Frames of a moving picture come under this key, so that they are not taken for pictures.
  static let frames = "frames"

  nonisolated let imageLoads = TargetLoads()
  nonisolated var imageExecutor: any Actor { GTKActor.shared }

  /// The widget owns the view and is there as long as it is.
  let widget: OpaquePointer

  var wish: Wish?
  var phase = Phase.idle
  var error: ImageError?
  /// Counts loads, so that the end of an earlier one is recognized.
  var loadNumber: UInt64 = 0
  /// The box of the current picture, if it was decoded for the room of the widget.
  var box: PixelSize?
  /// The box before that of a load with more pixels.
  var lastBox: PixelSize?
  /// True once GTK has given the widget room.
  var hasRoom = false
  var isSettingURI = false

  /// The picture that is shown, and the one before it during a transition.
  var image: Image?
  var texture: Texture?
  var geometry = PictureGeometry()
  var running: PictureChange?
  /// The bar of the indicator, which the widget owns.
  var bar: OpaquePointer?

  var player: ImagePlayer?
  var playing: Task<Void, Never>?
  let clock = FrameClock()
  /// True in tests that move the time themselves.
  var ticksByHand = false

  var way = RemotePicture.Transition.none
  var indicator = RemotePicture.Indicator.none { didSet { keepIndicator() } }
  /// The indicator of the user, which may be shown again and again.
  var ownIndicator: GTKObject?
  var failurePicture: Image?
  var retriesOnClick = false { didSet { easel_picture_set_clickable(widget, retriesOnClick) } }
  var autoplays = true
  var decodesAtSize = true
  var flipsInRightToLeft = false { didSet { easel_picture_redraw(widget) } }

  init(_ widget: OpaquePointer) { self.widget = widget }

  static func of(_ widget: OpaquePointer) -> PictureView? {
    easel_picture_owner(widget).map { Unmanaged<PictureView>.fromOpaque($0).takeUnretainedValue() }
  }

  var contentFit: RemotePicture.ContentFit {
    get {
      switch easel_picture_content_fit(widget) {
      case EASEL_FIT_FILL: .fill
      case EASEL_FIT_COVER: .cover
      case EASEL_FIT_SCALE_DOWN: .scaleDown
      default: .contain
      }
    }
    set {
      let fit =
        switch newValue {
        case .fill: EASEL_FIT_FILL
        case .contain: EASEL_FIT_CONTAIN
        case .cover: EASEL_FIT_COVER
        case .scaleDown: EASEL_FIT_SCALE_DOWN
        }
      easel_picture_set_content_fit(widget, fit)
    }
  }

  // MARK: The target

  func show(_ image: Image?, for key: String) {
    if key == Self.frames { replacePixels(image) } else { put(image) }
  }

  // Named, because the compiler takes a method of this protocol for one of any actor.
  @GTKActor
  func transition(to image: Image, for key: String) async {
    guard phase != .sharpening else { return put(image) }
    await change(to: image)
  }

  func showProgress(received: Int, expected: Int?, for key: String) {
    guard phase == .loading else { return }
    let share = expected.flatMap { $0 > 0 ? min(1, Double(received) / Double($0)) : nil }
    showProgress(share)
    wish?.progress?(share)
  }

  // MARK: The widget

  func takeChange(of property: easel_picture_property) {
    switch property {
    case EASEL_PICTURE_URI:
      guard !isSettingURI else { return }
      let uri = easel_picture_uri(widget).map { String(cString: $0) }
      if let uri { ask(Wish(request: ImageRequest(uri))) } else { clear() }
    case EASEL_PICTURE_CONTENT_FIT:
      easel_picture_resize(widget)
      sharpen()
    default: break
    }
  }

  /// Takes notice of the room that the widget has now.
  func takeRoom() {
    hasRoom = true
    takeScale()
  }

  /// Takes notice of the pixels that its room has now.
  func takeScale() {
    begin()
    sharpen()
  }

  func appear() {
    begin()
    if playing != nil { startTicks() }
  }

  func disappear() {
    giveUpLoad()
    endChange()
    clock.pause()
  }

  func activate() -> Bool {
    guard phase == .failed, retriesOnClick else { return false }
    retry()
    return true
  }

  func startTicks() { if !ticksByHand { easel_picture_start_ticks(widget) } }

  /// Moves what depends on time; true if another frame is needed.
  func tick(at time: Duration) -> Bool {
    clock.move(to: time)
    moveChange(to: time)
    return running != nil || playing != nil
  }

  func dispose() {
    clear()
    showIndicator(false)
  }
}
