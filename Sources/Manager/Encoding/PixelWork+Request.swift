import EaselCore

extension PixelWork {
  /// Describes the work of a request on a picture with this header.
  init(_ request: ResolvedRequest, _ form: ResolvedRecipe, header: ImageHeader) {
    var size = request.decodeOptions.targetSize(for: header)
    for case let step as any SizingTransformer in request.steps { size = step.resultSize(of: size) }
    let file = form.file(ofFormat: header.format) ?? form.files[0]
    self.init(request, file, header: header, size: size, frameCount: header.frameCount)
    let plan = request.steps.first.flatMap { DecodePlan($0, request) }
    decodedSize = (plan?.options(for: header) ?? request.decodeOptions).expectedSize(for: header)
  }

  /// Describes the work of a request on a picture whose header must not be read before the work may begin.
  init(_ request: ResolvedRequest, _ form: ResolvedRecipe, effort: Duration) {
    var size = Self.unknownSize
    for case let step as any SizingTransformer in request.steps { size = step.resultSize(of: size) }
    self.init(request, form.files[0], header: nil, size: size, frameCount: 1)
    self.effort = effort
  }

  /// The assumed size; a guess is enough, because the effort costs much more than the pixels.
  private static let unknownSize = PixelSize(width: 512, height: 512)

  /// If the effort is greater than this, the header is read only after the work may begin.
  static let mostEffortForHeader = Duration.milliseconds(20)

  /// Describes the work of a request whose pixels are already decoded.
  init(_ request: ResolvedRequest, _ form: ResolvedRecipe, pixelsOf image: Image) {
    self.init(request, form.file(for: image), header: nil, size: image.size, frameCount: image.frames?.count ?? 1)
  }

  private init(
    _ request: ResolvedRequest, _ file: RecipeFormat, header: ImageHeader?, size: PixelSize, frameCount: Int
  ) {
    let isStill =
      request.decodeOptions.firstFrameOnly || request.options.contains(.firstFrameOnly) || !file.writesFrames
    self.init(
      header: header, resultSize: file.options.maxPixelSize.map { size.thumbnail(in: $0) } ?? size,
      frameCount: isStill ? 1 : frameCount, format: file.format, options: file.options)
  }
}

extension DecodeOptions {
  /// The size in which the picture is decoded, roughly: coders that can decode smaller do so.
  fileprivate func expectedSize(for header: ImageHeader) -> PixelSize {
    let target = targetSize(for: header)
    guard let least = leastSize, thumbnailSize == nil, !least.isEmpty, least.area < target.area else { return target }
    return least
  }
}
