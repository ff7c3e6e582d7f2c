internal import CEaselGTK
import EaselCore
import EaselDisplay
import EaselManager
import FoundationEssentials

extension PictureView {
  /// Asks for another picture; nothing of the last one is shown any more, and nothing of it comes.
  func ask(_ wish: Wish) {
    let last = drop()
    // Told at the end, because it may ask for yet another picture.
    defer { last?(.failure(Self.cancelled)) }
    self.wish = wish
    phase = .waiting
    note(wish.request.url)
    put(wish.request.options.contains(.delayPlaceholder) ? nil : wish.placeholder)
    guard wish.manager ?? RemotePicture.manager != nil else {
      return fail(
        ImageError(
          .invalidRequest, "No manager loads this picture: set RemotePicture.manager when the program starts.",
          subject: wish.request.url?.absoluteString))
    }
    begin()
  }

  /// Shows a picture that is there, or nothing.
  func showReady(_ image: Image?) {
    let last = drop()
    defer { last?(.failure(Self.cancelled)) }
    note(nil)
    put(image)
    if let image { play(image) }
    phase = image == nil ? .idle : .shown
  }

  func clear() { showReady(nil) }

  /// Ends the load, and leaves what is shown.
  func cancel() {
    guard [.waiting, .loading, .sharpening].contains(phase) else { return }
    giveUpLoad()
    phase = .idle
    tell(.failure(Self.cancelled))
  }

  func retry() {
    guard phase == .failed, wish != nil else { return }
    error = nil
    easel_picture_set_class(widget, "error", false)
    phase = .waiting
    put(wish?.placeholder)
    begin()
  }

  /// Begins the load if the widget is on the screen and knows its size.
  func begin() {
    guard phase == .waiting, hasRoom, easel_picture_is_mapped(widget), let wish else { return }
    box = wantedBox
    start(wish, isQuiet: false)
  }

  /// Loads the picture again if the widget has grown beyond the pixels that were decoded.
  func sharpen() {
    guard phase == .shown, let wish, let image, let box, let wanted = wantedBox, easel_picture_is_mapped(widget),
      wanted.width > box.width || wanted.height > box.height
    else { return }
    let whole = PictureGeometry.wholeSize(of: image)
    guard whole.width > image.size.width || whole.height > image.size.height else { return }
    lastBox = box
    self.box = wanted
    start(wish, isQuiet: true)
  }

  /// Ends the load of a widget that is not on the screen any more; it begins again when the widget comes back.
  func giveUpLoad() {
    guard phase == .loading || phase == .sharpening else { return }
    cancelImage()
    loadNumber += 1
    if phase == .sharpening { box = lastBox }
    phase = phase == .loading ? .waiting : .shown
    showIndicator(false)
  }

  /// The box for decoding; nil if the caller chose a size, or if the widget has no room of its own yet.
  private var wantedBox: PixelSize? {
    guard decodesAtSize, let context = wish?.request.context, context[.thumbnailSize] == nil,
      context[.decodeOptions]?.thumbnailSize == nil, context[.transformer] == nil
    else { return nil }
    return PictureGeometry.decodingBox(
      width: Int(easel_picture_width(widget)), height: Int(easel_picture_height(widget)),
      scale: Int(easel_picture_scale(widget)), fit: contentFit)
  }

  private static func keepsHighRange(_ request: ImageRequest) -> Bool {
    request.context[.keepsHighRange] ?? request.context[.decodeOptions]?.keepsHighRange ?? false
  }

  private func start(_ wish: Wish, isQuiet: Bool) {
    guard let manager = wish.manager ?? RemotePicture.manager else { return }
    var request = wish.request
    if let box { request.context[.thumbnailSize] = box }
    if !Texture.drawsHighRange, Self.keepsHighRange(request) { request.context[.keepsHighRange] = false }
    // The view shows the placeholder itself, at once, and leaves a failure to the target.
    request.options.insert(.delayPlaceholder)
    loadNumber += 1
    let number = loadNumber
    phase = isQuiet ? .sharpening : .loading
    let load = setImage(request, from: manager, placeholder: isQuiet ? image : wish.placeholder)
    if load.task.wasInMemory, !request.options.contains(.avoidAutoSet), let found = manager.cachedImage(for: request) {
      // Not even one frame of the screen shows the placeholder.
      put(found)
    } else if !isQuiet {
      showIndicator(true)
    }
    Task { [weak self] in
      let outcome: Result<ImageResult, ImageError>
      do throws(ImageError) {
        outcome = .success(try await load.result)
      } catch {
        outcome = .failure(error)
      }
      self?.end(number, outcome)
    }
  }

  private func end(_ number: UInt64, _ outcome: Result<ImageResult, ImageError>) {
    guard number == loadNumber else { return }
    let isQuiet = phase == .sharpening
    switch outcome {
    case .success(let result):
      showIndicator(false)
      phase = .shown
      if wish?.request.options.contains(.avoidAutoSet) != true { play(result.image) }
      tell(.success(result))
      sharpen()
    case .failure(let error):
      // The picture with fewer pixels stays.
      if isQuiet { phase = .shown } else { fail(error) }
    }
  }

  private func fail(_ error: ImageError) {
    showIndicator(false)
    phase = .failed
    self.error = error
    easel_picture_set_class(widget, "error", true)
    if let failurePicture { put(failurePicture) }
    tell(.failure(error))
  }

  private static let cancelled = ImageError(.cancelled, "The widget shows another picture now, or none.")

  /// Forgets what was asked for; returns the function that waits for it.
  private func drop() -> RemotePicture.Completion? {
    loadNumber += 1
    cancelImage()
    stopPlaying()
    endChange()
    showIndicator(false)
    if error != nil { easel_picture_set_class(widget, "error", false) }
    error = nil
    box = nil
    phase = .idle
    return wish.take()?.completion
  }

  private func tell(_ outcome: Result<ImageResult, ImageError>) { wish?.completion.take()?(outcome) }

  /// Makes the property `uri` say what is shown.
  private func note(_ url: URL?) {
    isSettingURI = true
    easel_picture_set_uri(widget, url?.absoluteString)
    isSettingURI = false
  }
}
