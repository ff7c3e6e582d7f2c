internal import CEaselGTK
import EaselCore
import FoundationEssentials

/// A change from one picture to the next that takes some time.
struct PictureChange {
  let transition: RemotePicture.Transition
  let lastTexture: Texture?
  let lastGeometry: PictureGeometry
  /// The time of its first frame.
  var begun: Duration?
  var progress = 0.0
  let whenOver: UnsafeContinuation<Void, Never>
}

extension PictureView {
  /// Shows a picture at once.
  func put(_ image: Image?) {
    endChange()
    self.image = image
    texture = image.flatMap { texture(of: $0) }
    let geometry = image.map { PictureGeometry(of: $0) } ?? PictureGeometry()
    if geometry != self.geometry {
      self.geometry = geometry
      easel_picture_resize(widget)
    }
    easel_picture_redraw(widget)
  }

  private func texture(of image: Image) -> Texture? {
    Texture(
      image.bitmap, color: image.metadata.color, isForCairo: easel_picture_is_drawn_by_cairo(widget))
  }

  /// Shows the next frame of a moving picture.
  func replacePixels(_ image: Image?) {
    guard let image else { return }
    texture = texture(of: image)
    easel_picture_redraw(widget)
  }

  /// Shows a picture by the transition of the view, and returns when it is over.
  func change(to image: Image) async {
    let transition = way
    guard transition.duration > .zero, easel_picture_is_mapped(widget), easel_picture_moves_allowed(widget) else {
      return put(image)
    }
    endChange()
    let last = (texture, geometry)
    put(image)
    await withUnsafeContinuation { continuation in
      running = PictureChange(
        transition: transition, lastTexture: last.0, lastGeometry: last.1, whenOver: continuation)
      startTicks()
    }
  }

  func moveChange(to time: Duration) {
    guard let change = running else { return }
    let begun = change.begun ?? time
    let progress = (time - begun) / change.transition.duration
    guard progress < 1 else { return endChange() }
    running?.begun = begun
    running?.progress = progress
    easel_picture_redraw(widget)
  }

  /// Shows the next picture as it is after the transition.
  func endChange() {
    guard let over = running.take() else { return }
    easel_picture_redraw(widget)
    over.whenOver.resume()
  }

  // MARK: Drawing

  func draw(on snapshot: OpaquePointer, width: Int, height: Int) {
    var last = RemotePicture.Transition.Layer()
    var next = RemotePicture.Transition.Layer()
    if let change = running {
      change.transition.draw(change.progress, &last, &next)
      draw(change.lastTexture, change.lastGeometry, last, on: snapshot, width, height)
    }
    draw(texture, geometry, next, on: snapshot, width, height)
  }

  private func draw(
    _ texture: Texture?, _ geometry: PictureGeometry, _ look: RemotePicture.Transition.Layer,
    on snapshot: OpaquePointer, _ width: Int, _ height: Int
  ) {
    guard let texture, look.opacity > 0 else { return }
    let place = geometry.place(width: width, height: height, fit: contentFit)
    let rect = easel_gtk_rect(
      x: place.x + look.x + place.width * (1 - look.scale) / 2,
      y: place.y + look.y + place.height * (1 - look.scale) / 2,
      width: place.width * look.scale, height: place.height * look.scale)
    let isMirrored = flipsInRightToLeft && easel_picture_is_right_to_left(widget)
    easel_gtk_draw(snapshot, texture.pointer, rect, Int32(width), Int32(height), look.opacity, isMirrored)
  }

  // MARK: The indicator

  func keepIndicator() {
    ownIndicator = nil
    if case .custom(let widget, _) = indicator {
      easel_gtk_adopt(UnsafeMutableRawPointer(widget))
      ownIndicator = GTKObject(widget)
    }
    showIndicator(phase == .loading)
  }

  func showIndicator(_ isLoading: Bool) {
    easel_picture_set_busy(widget, isLoading)
    easel_picture_set_class(widget, "loading", isLoading)
    bar = nil
    guard isLoading else { return easel_picture_set_overlay(widget, nil, 0) }
    switch indicator {
    case .none: easel_picture_set_overlay(widget, nil, 0)
    case .spinner: easel_picture_set_overlay(widget, easel_gtk_spinner_new(), 0)
    case .bar:
      let bar = easel_gtk_bar_new()
      easel_picture_set_overlay(widget, bar, 2.0 / 3)
      self.bar = bar
    case .custom(let widget, _): easel_picture_set_overlay(self.widget, widget, 0)
    }
  }

  func showProgress(_ share: Double?) {
    switch indicator {
    case .none, .spinner: break
    case .bar: if let bar { easel_gtk_bar_set(bar, share ?? -1) }
    case .custom(_, let update): update?(share)
    }
  }
}
