import EaselCore

/// An ``EncodeRecipe`` for the coders of a manager: the possible files, and the suffix of the key.
///
/// This is a class, so that a memory hit costs one retain.
final class ResolvedRecipe: Sendable {
  /// The possible files; more than one only if the format depends on the original, or on the sizes of the files.
  let files: [RecipeFormat]
  /// True if all suitable files are made, and the smallest counts.
  let takesSmallest: Bool
  /// The suffix of keys if an original may replace the result: it tells set options from defaults.
  let suffix: CacheKey.Suffix
  private let suffixOfChangedPixels: CacheKey.Suffix
  /// The coders of the manager, which check the written bytes by reading them.
  let readers: CoderRegistry

  /// Chooses the first format that one of the coders writes, and the first coder that writes it.
  ///
  /// If the format of the original is to be kept, or the smallest file counts, chooses all formats that a coder writes.
  init(_ recipe: EncodeRecipe, coders: [any ImageCoder]) throws(ImageError) {
    guard !recipe.formats.isEmpty else {
      throw ImageError(.encodeFailed, "The recipe names no format. Give EncodeRecipe at least one.")
    }
    let encoders = coders.compactMap { coder -> (any EncodingCoder)? in
      // Most requests have a registry, which is recognized without the costly look for capabilities.
      if let registry = coder as? CoderRegistry { return registry }
      return coder.capability((any EncodingCoder).self)
    }
    var files: [RecipeFormat] = []
    for format in recipe.formats where recipe.keepsFormat || recipe.takesSmallest || files.isEmpty {
      guard !files.contains(where: { $0.format == format }),
        let coder = encoders.first(where: { $0.canEncode(format) })
      else { continue }
      files.append(try RecipeFormat(format, recipe.formatOptions[format] ?? recipe.options, coder: coder))
    }
    guard !files.isEmpty else {
      let names = recipe.formats.map(\.mimeType).joined(separator: ", ")
      throw ImageError(.encodeFailed, "No registered coder writes any format of the recipe: \(names).")
    }
    self.files = files
    takesSmallest = recipe.takesSmallest && files.count > 1
    readers = coders.lazy.compactMap { $0 as? CoderRegistry }.last ?? CoderRegistry(coders)
    let options = files.map { (format: $0.format, options: $0.options) }
    let choice = takesSmallest ? EncodingKey.smallestMark : EncodingKey.keptMark
    suffix = CacheKey.Suffix(try EncodingKey.text(options, choice), origin: .encoding)
    suffixOfChangedPixels = CacheKey.Suffix(try EncodingKey.text(options, choice, tellsAsked: false), origin: .encoding)
  }

  /// The suffix of keys; it depends on whether an original may replace the result.
  func suffix(mayBeOriginal: Bool) -> CacheKey.Suffix { mayBeOriginal ? suffix : suffixOfChangedPixels }

  /// Chooses the file for a picture: of its original's format, or else the first that supports what the picture has.
  func file(for image: Image) -> RecipeFormat {
    (takesSmallest ? nil : file(ofFormat: image.format)) ?? suitableFiles(for: image)[0]
  }

  /// The files of which the smallest is delivered.
  func candidates(for image: Image) -> [RecipeFormat] {
    takesSmallest ? suitableFiles(for: image) : [file(for: image)]
  }

  /// The files that support what the picture has; all of them if none does.
  private func suitableFiles(for image: Image) -> [RecipeFormat] {
    let hasAlpha = image.bitmap.format.alpha != .opaque
    var suitable = files
    func keepOnly(_ suits: (RecipeFormat) -> Bool) {
      if suitable.contains(where: suits) { suitable.removeAll { !suits($0) } }
    }
    if image.isAnimated { keepOnly(\.writesFrames) }
    if hasAlpha { keepOnly(\.writesAlpha) }
    return suitable
  }

  /// The file of this format; nil if it is not a possible result.
  func file(ofFormat format: ImageFormat?) -> RecipeFormat? { files.first { $0.format == format } }

  /// The options that make transformers apply to the written frames: to the first frame, or to all frames.
  ///
  /// Without them, transformers skip moving pictures, and the bytes would not have the wanted size.
  var optionsForFrames: ImageOptions { files.contains(where: \.writesFrames) ? .transformAnimated : .firstFrameOnly }
}

extension EncodeRecipe {
  /// The suffix of keys, such as `Encode(webp,80)`, for pictures that these coders write.
  package func keyText(_ coder: CoderRegistry) throws(ImageError) -> String {
    try ResolvedRecipe(self, coders: [coder]).suffix.text
  }
}

/// One format, with only those options that have an effect in it.
struct RecipeFormat: Sendable {
  let format: ImageFormat
  let options: EncodeOptions
  /// The coder that writes the format.
  let coder: any EncodingCoder

  init(_ format: ImageFormat, _ options: EncodeOptions, coder: any EncodingCoder) throws(ImageError) {
    try options.checkValues()
    self.format = format
    self.coder = coder
    self.options = options.withKeyQuality.effective(for: format, coder)
  }

  /// True unless something was asked for that bytes which are there already need not have.
  var mayBeAnOriginal: Bool {
    let usual = coder.effectiveOptions(EncodeOptions(), for: format).settings
    let isUsual = options.settings == usual || options.settings.entries.allSatisfy(\.text.isEmpty)
    return isUsual && options.asked == EncodeOptions.Asked()
  }

  /// True when all frames of a moving picture are written.
  var writesFrames: Bool { !options.firstFrameOnly && coder.writesFrames(as: format) }

  /// True when transparent pixels stay transparent; the background colour then has no effect.
  var writesAlpha: Bool {
    let colors = [PixelColor.black, .white].map { color in
      coder.effectiveOptions(EncodeOptions(backgroundColor: color), for: format).backgroundColor
    }
    return colors[0] == colors[1]
  }
}

extension EncodeOptions {
  /// The options with a quality that the key can express: per cent with two decimals.
  fileprivate var withKeyQuality: EncodeOptions {
    var options = self
    options.takeQuality(of: self) { EncodingKey.quality(ofPercent: EncodingKey.percent(of: $0)) }
    return options
  }

  /// The options that have an effect in a format; others no longer count as set by the caller.
  ///
  /// An option has an effect if changing it changes the effective options that the coder states.
  fileprivate func effective(for format: ImageFormat, _ coder: any EncodingCoder) -> EncodeOptions {
    let effective = coder.effectiveOptions(self, for: format)
    func changesFiles(_ change: (inout EncodeOptions) -> Void) -> Bool {
      var other = self
      change(&other)
      return coder.effectiveOptions(other, for: format) != effective
    }
    var result = effective
    result.asked = Asked()
    result.defaultQuality = effective.quality
    if let quality = asked.quality, changesFiles({ $0.quality = quality < 0.5 ? 1 : 0 }) {
      result.quality = effective.quality
    }
    if let lossless = asked.lossless, changesFiles({ $0.lossless = !lossless }) {
      result.lossless = effective.lossless
    }
    if let progressive = asked.progressive, changesFiles({ $0.progressive = !progressive }) {
      result.progressive = effective.progressive
    }
    if let chroma = asked.chromaSubsampling,
      changesFiles({ $0.chromaSubsampling = chroma == .full ? .quarter : .full })
    {
      result.chromaSubsampling = effective.chromaSubsampling
    }
    if let level = asked.compressionLevel, changesFiles({ $0.compressionLevel = level == 0 ? 9 : 0 }) {
      result.compressionLevel = effective.compressionLevel
    }
    return result
  }
}
