import FoundationEssentials

/// Deciding what may leave the process for a store that other machines use.
extension ResolvedRequest {
  /// True when a shared store may be asked for this request, and may get its entries.
  ///
  /// Everything that only one user, one machine or one plug-in may see stays here: requests with credentials or
  /// cookies, decrypted bytes, files, bytes of the caller, and keys that mean something else in another process.
  static func isSharable(
    _ url: URL, _ headers: HTTPHeaders, options: ImageOptions, origin: ImageOrigin, isDecrypted: Bool,
    caches: [any ImageCache], key: CacheKey, configuration: ImageManager.Configuration
  ) -> Bool {
    guard caches.contains(where: { $0.layers(for: key).contains(.shared) }), key.isStorable,
      origin.diskUse == .everything, !isDecrypted, !options.contains(.handleCookies)
    else { return false }
    let hasSecrets = headers.fields.contains { field in
      Self.isSecret(field.name) || configuration.identityHeaders.contains { HTTPHeaders.isSame($0, field.name) }
    }
    return !hasSecrets && url.user == nil && url.password == nil
      && !CacheControl(headers.values(of: "Cache-Control")).has("no-store")
  }

  fileprivate static func isSecret(_ field: String) -> Bool {
    ["Authorization", "Cookie", "Proxy-Authorization"].contains { HTTPHeaders.isSame($0, field) }
  }
}

extension LoadRequest {
  /// True when the request has credentials or cookies, which may have come from a modifier.
  var isAuthorized: Bool { headers.fields.contains { ResolvedRequest.isSecret($0.name) } }
}

extension CacheRecord {
  /// True when entries with this record may go to other machines.
  var mayBeShared: Bool { response?.mayBeShared ?? true }
}

extension ResponseRecord {
  /// The field whose presence in ``varyingFields`` says that the request was authorized; its value is never kept.
  private static let authorization = "Authorization"

  /// Notes that the request was authorized, unless the response says itself that it varies with that.
  mutating func noteAuthorization() {
    guard !variesWithUser else { return }
    varyingFields[Self.authorization] = ""
  }

  /// True when the request was authorized.
  var wasAuthorized: Bool { varyingFields[Self.authorization] != nil }

  private var variesWithUser: Bool {
    FieldList.members(of: headers.values(of: "Vary")).contains { name in
      let name = String(name)
      return name == "*" || ResolvedRequest.isSecret(name)
    }
  }

  /// True when the response is meant for everyone who asks.
  ///
  /// Unlike a cache of one user, a shared store never takes responses that are private, that set a cookie, that answer
  /// an authorized request, or that vary with a user, whatever the cache policy.
  var mayBeShared: Bool {
    let control = CacheControl(headers.values(of: "Cache-Control"))
    return !control.has("private") && !control.forbidsStoring(status: status) && headers["Set-Cookie"] == nil
      && !wasAuthorized && !variesWithUser && status != 206
  }
}
