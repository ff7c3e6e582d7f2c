import EaselCore
import EaselHTTP
import FoundationEssentials

/// Deciding which requests may use a store that other machines use too.
extension ResolvedRequest {
  /// True when this request may look in a shared store and put entries there.
  ///
  /// It is false for everything that only one user, one machine or one plug-in may see: requests with credentials or
  /// cookies, decrypted bytes, files, bytes of the caller, and keys that are valid in one process only.
  static func isSharable(
    _ url: URL, _ headers: HTTPHeaders, options: ImageOptions, origin: ImageOrigin, isDecrypted: Bool,
    caches: [any ImageCache], key: CacheKey, configuration: ImageManager.Configuration
  ) -> Bool {
    guard caches.contains(where: { $0.layers(for: key).contains(.shared) }), key.isStorable,
      origin.diskUse == .everything, !isDecrypted, !options.contains(.handleCookies)
    else { return false }
    let hasSecrets = headers.fields.contains { field in
      CredentialFields.contains(field.name)
        || configuration.identityHeaders.contains { HTTPHeaders.isSame($0, field.name) }
    }
    return !hasSecrets && url.user == nil && url.password == nil
      && !CacheControl(headers.values(of: "Cache-Control")).has("no-store")
  }
}
