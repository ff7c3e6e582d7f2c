/// An ``EncodeRecipe`` as it is carried out: the files that may result, and the suffix of the key.
///
/// This is a class, so that a memory hit costs one retain.
final class EncodedForm: Sendable {
  /// The files that may result; more than one only if the format follows from the original.
  let files: [FileForm]
  let suffix: KeySuffix
  /// The coders of the manager, which read what was written.
  let readers: CoderRegistry

  /// Chooses the first format that one of the coders writes, with the first coder that writes it, or all such formats
  /// if the format of the original is to be kept.
  init(_ recipe: EncodeRecipe, coders: [any ImageCoder]) throws(ImageError) {
    guard !recipe.formats.isEmpty else {
      throw ImageError(.encodeFailed, "The recipe names no format. Give EncodeRecipe at least one.")
    }
    var files: [FileForm] = []
    for format in recipe.formats where recipe.keepsFormat || files.isEmpty {
      guard !files.contains(where: { $0.format == format }), let coder = coders.first(where: { $0.canEncode(format) })
      else { continue }
      files.append(try FileForm(format, recipe.formatOptions[format] ?? recipe.options, coder: coder))
    }
    guard !files.isEmpty else {
      let names = recipe.formats.map(\.mimeType).joined(separator: ", ")
      throw ImageError(.encodeFailed, "No registered coder writes any format of the recipe: \(names).")
    }
    self.files = files
    readers = coders.lazy.compactMap { $0 as? CoderRegistry }.last ?? CoderRegistry(coders)
    suffix = KeySuffix(try EncodingKey.text(files.map { ($0.format, $0.options) }), origin: .encoding)
  }

  /// The file for a picture: of its original's format, or else of the first that can hold what the picture has.
  func file(for image: Image) -> FileForm {
    if files.count == 1 { return files[0] }
    if let kept = file(ofFormat: image.format) { return kept }
    let hasAlpha = image.bitmap.format.alpha != .opaque
    var suitable = files
    func keepOnly(_ suits: (FileForm) -> Bool) {
      if suitable.contains(where: suits) { suitable.removeAll { !suits($0) } }
    }
    if image.isAnimated { keepOnly(\.writesFrames) }
    if hasAlpha { keepOnly(\.writesAlpha) }
    return suitable[0]
  }

  /// The file of this format, if it is one that may result.
  func file(ofFormat format: ImageFormat?) -> FileForm? { files.first { $0.format == format } }

  /// The options that apply the transformers to what is written: to the first frame alone, or to all frames.
  ///
  /// Without them, transformers skip moving pictures, and the bytes would not have the size that was asked for.
  var optionsForFrames: ImageOptions { files.contains(where: \.writesFrames) ? .transformAnimated : .firstFrameOnly }
}

extension EncodeRecipe {
  /// The suffix of keys, such as `Encode(webp,80)`, for pictures that these coders write.
  package func keyText(_ coder: CoderRegistry) throws(ImageError) -> String {
    try EncodedForm(self, coders: [coder]).suffix.text
  }
}

/// One format, with options that all have an effect in it.
struct FileForm: Sendable {
  let format: ImageFormat
  let options: EncodeOptions
  /// The coder that writes the format.
  let coder: any ImageCoder

  init(_ format: ImageFormat, _ options: EncodeOptions, coder: any ImageCoder) throws(ImageError) {
    try options.checkValues()
    self.format = format
    self.coder = coder
    self.options = coder.effectiveOptions(options.withKeyQuality, for: format)
  }

  /// True when all frames of a moving picture are written.
  var writesFrames: Bool { !options.firstFrameOnly && coder.writesFrames(as: format) }

  /// True when transparent pixels stay transparent: a colour behind them has no effect.
  var writesAlpha: Bool {
    let colors = [PixelColor.black, .white].map { color in
      coder.effectiveOptions(EncodeOptions(backgroundColor: color), for: format).backgroundColor
    }
    return colors[0] == colors[1]
  }
}

extension EncodeOptions {
  /// Throws when a value has no meaning.
  fileprivate func checkValues() throws(ImageError) {
    guard quality >= 0, quality <= 1 else {
      throw ImageError(.encodeFailed, "The quality must be from 0 to 1, but is \(quality).")
    }
    if let maxFileBytes, maxFileBytes < 1 {
      throw ImageError(.encodeFailed, "The most bytes of a file must be at least 1, but are \(maxFileBytes).")
    }
    if let box = maxPixelSize, box.isEmpty {
      throw ImageError(
        .encodeFailed, "Both sides of EncodeOptions.maxPixelSize must be at least 1, but the box is \(box).")
    }
    guard (0...9).contains(compressionLevel) else {
      throw ImageError(.encodeFailed, "The compression level must be from 0 to 9, but is \(compressionLevel).")
    }
  }

  /// The options with the quality that the key can express: per cent with two decimals.
  fileprivate var withKeyQuality: EncodeOptions {
    var options = self
    options.quality = EncodingKey.quality(ofPercent: EncodingKey.percent(of: quality))
    return options
  }
}
