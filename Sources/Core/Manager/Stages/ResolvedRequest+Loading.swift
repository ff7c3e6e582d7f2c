extension ResolvedRequest {
  /// The text that names the request in errors.
  var subject: String { url.absoluteString }

  /// Makes the request for the loader.
  ///
  /// - Parameter isConditional: true to ask only for changes since the cached response.
  func loadRequest(_ key: TransferKey, isConditional: Bool, run: SharedRun) -> LoadRequest {
    var fields = headers
    if key.isRevalidation {
      // A response to the caller's own conditions would not be about the cached response.
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

  /// The fields that a response may vary with under the same key.
  ///
  /// If cached pictures are used forever, only `Range` and the conditional fields matter.
  var varyingFields: HTTPHeaders {
    if cachePolicy == .http || neutralHeaders.isEmpty { return neutralHeaders }
    return neutralHeaders.filtered { name in
      let name = HTTPHeaders.folded(name)
      return name == "range" || name.hasPrefix("if-")
    }
  }

  /// The rules of RFC 9111 for a stored response to this request.
  func rules(for response: ResponseRecord) -> HTTPCacheRules {
    HTTPCacheRules(response, answering: headers, mayAddCookies: options.contains(.handleCookies))
  }

  /// True when the request's own header fields forbid asking the server.
  var asksForCachesOnly: Bool {
    cachePolicy == .http && !neutralHeaders.isEmpty
      && CacheControl(neutralHeaders.values(of: "Cache-Control")).has("only-if-cached")
  }

  /// The key suffixes of custom settings that change pixels.
  var customSettings: [KeySuffix] { variantKey.suffixes.filter { $0.origin == .custom } }

  /// The cache, and the cache of originals if that is another one.
  var caches: [any ImageCache] {
    cacheInstance == originalCacheInstance ? [cache] : [cache, originalCache]
  }

  /// The wishes of this load for a run.
  var wish: RunWish {
    RunWish(
      store: layers.store, originalStore: layers.originalStore,
      wantsPreviews: options.contains(.progressive) && decryptor == nil && !options.contains(.refreshCached))
  }

  /// True when a picture of this size must be decoded in full.
  func needsEveryPixel(of size: PixelSize) -> Bool {
    steps.first.flatMap { DecodePlan($0, self) }?.needsEveryPixel(of: size) ?? true
  }

  /// True when the request decodes every pixel of the original unchanged, so that a bitmap in memory can replace the
  /// decode.
  var decodesPlainly: Bool {
    decodeOptions == DecodeOptions() && coderName == nil && customSettings.isEmpty
  }
}

extension LoadRequest {
  /// True when the request is conditional, so that it asks only for changes.
  var isRevalidation: Bool { headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil }
}
