import EaselCore
import EaselFormats
import FoundationEssentials

extension ImageService {
  /// Loads the pictures of all watermarks of an order.
  func watermarks(
    of wanted: WantedImage
  ) async throws(ServiceError) -> [WatermarkOrder.Picture: Watermark] {
    var pictures: [WatermarkOrder.Picture: Watermark] = [:]
    let own = settings.values.watermarkSource
    for picture in wanted.order.watermarkPictures(own: own) where pictures[picture] == nil {
      let url =
        try picture.isText
        ? url(ofText: picture.source) : url(of: picture.source, isOwn: picture.source == own)
      do throws(ImageError) {
        var context = wanted.context(of: url)
        // A part of it would be in a picture that is whole, and kept with it.
        if context[.damaged] ?? settings.values.damaged == .show { context[.damaged] = .whole }
        // The wishes of the URL about the original are not meant for its watermark.
        context[.decryptor] = nil
        let preparation = picture.preparation
        if !preparation.isIdentity { context[.transformer] = preparation }
        let request = ImageRequest(url: url, options: .firstFrameOnly, context: context)
        let source = SlowImages.Name.source(url, frame: 0, purge: context[.purgeNumber])
        let result = try await slowPictures.run(source) { () throws(ImageError) in
          try await manager.load(request).result
        }
        pictures[picture] = Watermark(bitmap: result.image.bitmap, name: "\(result.key) \(result.generation)")
      } catch {
        var failure = ServiceError(error)
        failure.message = "The watermark cannot be had: \(failure.message)"
        throw failure
      }
    }
    return pictures
  }

  /// The text as a file that a coder draws, where it decodes pictures of strangers.
  private func url(ofText markup: String) throws(ServiceError) -> URL {
    guard settings.values.manager.coder.formats.contains(TextDocument.format) else {
      throw ServiceError(400, "This server draws no texts.")
    }
    let bytes = Data(TextDocument(markup: markup).bytes).base64EncodedString()
    guard let url = URL(string: "data:\(TextDocument.format.mimeType);base64,\(bytes)") else {
      throw ServiceError(500, "A text has an address that cannot be read.")
    }
    return url
  }

  /// The URL of a source; what the operator has written may be any address or file.
  func url(of source: String, isOwn: Bool) throws(ServiceError) -> URL {
    guard isOwn else { return try settings.values.sources.url(of: source) }
    let own = source.contains("://") ? URL(string: source) : URL(filePath: source)
    guard let own else { throw ServiceError(500, "A picture of this server has an address that cannot be read.") }
    return own
  }
}

/// The picture of a watermark, with a name that stands for its pixels in keys.
struct Watermark: Sendable {
  let bitmap: Bitmap
  let name: String
}
