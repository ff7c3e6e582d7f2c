import EaselCore

extension PixelWork {
  /// The work of a request on a picture with this header.
  init(_ request: ResolvedRequest, _ form: ResolvedRecipe, header: ImageHeader) {
    var size = request.decodeOptions.targetSize(for: header)
    for case let step as any SizingTransformer in request.steps { size = step.resultSize(of: size) }
    let file = form.file(ofFormat: header.format) ?? form.files[0]
    self.init(request, file, header: header, size: size, frameCount: header.frameCount)
    let plan = request.steps.first.flatMap { DecodePlan($0, request) }
    decodedSize = (plan?.options(for: header) ?? request.decodeOptions).expectedSize(for: header)
  }

  /// The work of a request on a picture whose header is not read before the work may begin.
  init(_ request: ResolvedRequest, _ form: ResolvedRecipe, effort: Duration) {
    var size = Self.unknownSize
    for case let step as any SizingTransformer in request.steps { size = step.resultSize(of: size) }
    self.init(request, form.files[0], header: nil, size: size, frameCount: 1)
    self.effort = effort
  }

  /// A guess; the effort is much more than what the pixels cost.
  private static let unknownSize = PixelSize(width: 512, height: 512)

  /// The effort from which on a header is read only when the work may begin.
  static let mostEffortForHeader = Duration.milliseconds(20)

  /// The work of a request whose pixels are there.
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
  /// The size in which coders that can decode at other sizes do so, about.
  fileprivate func expectedSize(for header: ImageHeader) -> PixelSize {
    let target = targetSize(for: header)
    guard let least = leastSize, thumbnailSize == nil, !least.isEmpty, least.area < target.area else { return target }
    return least
  }
}
