import Easel
import Glibc

/// Makes thumbnails for desktops: PNGs of pictures that are decoded in a sandbox.
struct ThumbnailMaker: Sendable {
  /// What became of a file in the shared cache.
  enum Outcome {
    case made(path: String, PixelSize)
    /// The thumbnail was there, and is that of the file as it is.
    case current(path: String)
  }

  let coder: CoderRegistry
  let limits: Limits
  /// True to make what is there already, and to try again what has failed.
  var makesAnew = false

  /// The PNG of a picture, and the header of what it was made of.
  func thumbnail(of path: String, pixels: Int) throws -> (png: [UInt8], size: PixelSize, header: ImageHeader) {
    let bytes = try InputReader(limits: limits, coder: coder).bytes(of: path)
    let header = try coder.probe(bytes, work: WorkContext(limits: limits))
    var conversion = Conversion(coder: coder)
    conversion.limits = limits
    conversion.format = .png
    conversion.encodeOptions.firstFrameOnly = true
    conversion.decodeOptions.thumbnailSize = PixelSize(width: pixels, height: pixels)
    conversion.decodeOptions.damaged = .show
    let product = try conversion.run(on: bytes)
    return (Array(try product.bytes.data()), product.size, header)
  }

  /// Makes the thumbnail of a file in a cache, or notes there that it cannot be made.
  func fill(_ cache: ThumbnailCache, with uri: FileURI, _ size: ThumbnailSize) throws -> Outcome {
    guard !cache.contains(uri) else {
      throw ImageError(.invalidRequest, "This is a thumbnail itself, and thumbnails have none.", subject: uri.path)
    }
    var status = stat()
    guard stat(uri.path, &status) == 0 else {
      let code = SystemError(code: errno)
      throw ImageError(.badImageData, "Could not read \(uri.path): \(code).", subject: uri.path, cause: code)
    }
    let changed = status.st_mtim.tv_sec
    let path = try cache.path(of: uri, size)
    let note = try cache.failurePath(of: uri)
    if !makesAnew {
      if ThumbnailCache.isCurrent(path, uri, changed: changed) { return .current(path: path) }
      if ThumbnailCache.isCurrent(note, uri, changed: changed) {
        throw ImageError(
          .badImageData, "No thumbnail could be made of it before. --anew tries again.", subject: uri.path)
      }
    }
    var texts = [
      (name: "Software", value: "easel \(Program.version)"), (name: "Thumb::URI", value: uri.text),
      (name: "Thumb::MTime", value: "\(changed)"), (name: "Thumb::Size", value: "\(status.st_size)"),
    ]
    do {
      let made = try thumbnail(of: uri.path, pixels: size.pixels)
      texts += [
        (name: "Thumb::Mimetype", value: made.header.format.mimeType),
        (name: "Thumb::Image::Width", value: "\(made.header.uprightSize.width)"),
        (name: "Thumb::Image::Height", value: "\(made.header.uprightSize.height)"),
      ]
      try cache.write(PNGText.adding(texts, to: made.png), to: path)
      unlink(note)
      return .made(path: path, made.size)
    } catch {
      // A machine that is short of something says nothing about the file.
      let failure = ImageError.wrapping(error, as: .badImageData, "The picture could not be read.")
      if Self.isAboutTheFile(failure) { try? cache.write(PNGText.adding(texts, to: Self.empty()), to: note) }
      throw error
    }
  }

  private static func isAboutTheFile(_ error: ImageError) -> Bool {
    guard !error.isExhaustion, !error.isTemporary, !(error.underlyingError is SystemError) else { return false }
    return [.badImageData, .unsupportedFormat, .limitExceeded, .decoderCrashed].contains(error.code)
  }

  /// The picture of a note: one pixel of nothing.
  private static func empty() throws -> [UInt8] {
    let image = Image(try Bitmap(width: 1, height: 1))
    return Array(
      try CoderRegistry.program.encode(image, as: .png, options: EncodeOptions(), work: WorkContext()).data())
  }
}
