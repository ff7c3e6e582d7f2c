extension ResolvedRequest {
  /// What errors name.
  var subject: String { url.absoluteString }

  /// What a loader is asked for.
  func loadRequest(_ key: TransferKey, run: SharedRun) -> LoadRequest {
    var fields = headers
    fields.merge(key.conditions)
    var result = LoadRequest(
      url: url, method: method, headers: fields, body: body, handlesCookies: options.contains(.handleCookies),
      allowsInvalidCertificates: options.contains(.allowInvalidCertificates), byteLimit: run.byteLimit,
      key: originalKey, priority: run.priority, context: context)
    result.validatedURL = key.validatedURL
    return result
  }

  /// The fields that a response may vary with; where cached pictures are used forever, nobody asks about others than
  /// the one that asks for a part.
  var varyingFields: HTTPHeaders {
    if cachePolicy == .http || headers.isEmpty { return headers }
    return headers["Range"].map { ["Range": $0] } ?? [:]
  }

  /// The keys of plug-ins that change pixels.
  var customSettings: [KeySuffix] { variantKey.suffixes.filter { $0.origin == .custom } }

  /// Whether a picture of this size is decoded in full.
  func needsEveryPixel(of size: PixelSize) -> Bool {
    steps.first.flatMap { DecodePlan($0, self) }?.needsEveryPixel(of: size) ?? true
  }

  /// Whether decoding gives every pixel of the original as it is, which a bitmap in memory can stand for.
  var decodesPlainly: Bool {
    decodeOptions == DecodeOptions() && coderName == nil && customSettings.isEmpty
  }
}

extension LoadRequest {
  /// Whether it asks only for what changed.
  var isRevalidation: Bool { headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil }
}
