extension KeySuffix {
  /// What is done to the pixels, in the order of the key: scaling, thumbnail, transformers, then the rest by name.
  static func all(
    of transformer: TransformerPipeline, decodeOptions: DecodeOptions, options: ImageOptions,
    namedCoder: (any ImageCoder)?, context: ImageContext
  ) -> [KeySuffix] {
    var rest = settings(decodeOptions, namedCoder)
    if options.contains(.transformAnimated) && !transformer.isIdentity {
      rest.append(KeySuffix("Animated(1)", origin: .setting))
    }
    rest += context.cacheParts(.pixels).map { KeySuffix("\($0.name)(\($0.text))", origin: .custom) }
    return sizes(decodeOptions) + transformer.members.map { KeySuffix($0.cacheKey) }
      + rest.sorted { ($0.text, $0.origin.rawValue) < ($1.text, $1.origin.rawValue) }
  }

  private static func sizes(_ options: DecodeOptions) -> [KeySuffix] {
    var suffixes: [KeySuffix] = []
    if let bytes = options.scaleDownLimitBytes { suffixes.append(KeySuffix("ScaleDown(\(bytes))", origin: .size)) }
    if let box = options.thumbnailSize {
      let aspect = KeyNumber.text(options.preservesAspectRatio)
      suffixes.append(KeySuffix("Thumbnail({\(box.width),\(box.height)},\(aspect))", origin: .size))
    }
    return suffixes
  }

  private static func settings(_ options: DecodeOptions, _ namedCoder: (any ImageCoder)?) -> [KeySuffix] {
    var texts: [String] = []
    if let namedCoder { texts.append("Coder(\(namedCoder.identifier))") }
    if !options.appliesOrientation { texts.append("Orientation(raw)") }
    if !options.convertsColor { texts.append("Color(raw)") }
    if options.keeps16Bits { texts.append("Depth(16)") }
    if options.allowsPartial { texts.append("Partial(1)") }
    return texts.map { KeySuffix($0, origin: .setting) }
  }
}
