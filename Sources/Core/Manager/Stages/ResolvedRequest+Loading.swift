extension ResolvedRequest {
  /// What errors name.
  var subject: String { url.absoluteString }

  /// What a loader is asked for.
  ///
  /// - Parameter isConditional: whether what is cached already need not come again.
  func loadRequest(_ key: TransferKey, isConditional: Bool, run: SharedRun) -> LoadRequest {
    var fields = headers
    if key.isRevalidation {
      // An answer to the caller's own conditions would say nothing of what is cached.
      for name in ["If-None-Match", "If-Modified-Since"] { fields[name] = nil }
      if isConditional { fields.merge(key.conditions) }
    }
    var result = LoadRequest(
      url: url, method: method, headers: fields, body: body, handlesCookies: options.contains(.handleCookies),
      allowsInvalidCertificates: options.contains(.allowInvalidCertificates), byteLimit: run.byteLimit,
      key: originalKey, priority: run.priority, context: context)
    if isConditional { result.validatedURL = key.validatedURL }
    return result
  }

  /// The fields that a response may vary with though its key is the same; where cached pictures are used forever,
  /// nobody asks about others than those that ask for a part, or only for what has changed.
  var varyingFields: HTTPHeaders {
    if cachePolicy == .http || neutralHeaders.isEmpty { return neutralHeaders }
    return neutralHeaders.filtered { name in
      let name = HTTPHeaders.folded(name)
      return name == "range" || name.hasPrefix("if-")
    }
  }

  /// The rules of RFC 9111 for a stored response that is to answer this request.
  func rules(for response: ResponseRecord) -> HTTPCacheRules {
    HTTPCacheRules(response, answering: headers, mayAddCookies: options.contains(.handleCookies))
  }

  /// Whether its own fields forbid to ask the server.
  var asksForCachesOnly: Bool {
    cachePolicy == .http && !neutralHeaders.isEmpty
      && CacheControl(neutralHeaders.values(of: "Cache-Control")).has("only-if-cached")
  }

  /// The keys of plug-ins that change pixels.
  var customSettings: [KeySuffix] { variantKey.suffixes.filter { $0.origin == .custom } }

  /// The cache, and that of the originals where it is another.
  var caches: [any ImageCache] {
    cacheInstance == originalCacheInstance ? [cache] : [cache, originalCache]
  }

  /// What this load wants of a run.
  var wish: RunWish {
    RunWish(
      store: layers.store, originalStore: layers.originalStore,
      wantsPreviews: options.contains(.progressive) && decryptor == nil && !options.contains(.refreshCached))
  }

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
