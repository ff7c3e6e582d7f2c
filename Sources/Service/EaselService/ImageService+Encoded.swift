import EaselCore
import EaselManager

/// Encoded pictures of caches and of the manager.
extension ImageService {
  /// A picture that a cache has or that is made now, unless it takes too long.
  func encoded(
    _ request: ImageRequest, _ recipe: EncodeRecipe, of wanted: WantedImage
  ) async throws(ImageError) -> EncodedImage {
    let key = manager.cacheKey(for: request)
    let part = key.map { BackgroundEncodings.Name(key: $0, recipe: recipe) }
    if let kept = part.flatMap({ parts[$0] }) { return kept }
    let wish = manager.cacheKey(for: request, as: recipe)
    if let wish { admission.add(wanted.client, wanting: wish) }
    defer { if let wish { admission.remove(wanted.client, wanting: wish) } }
    if let refusal = foreseenRefusal(of: wish, wanted), !(await isKept(request, recipe)) {
      metrics.countRejection(RejectionReason(refusal.reason))
      throw refusal.imageError
    }
    let result = key.map { SlowImages.Name.result($0, recipe) }
    let found: EncodedImage
    do throws(ImageError) {
      found = try await slowPictures.run(wanted.slowName, result, known: { await stored(request, recipe) }) {
        () throws(ImageError) in try await manager.encoded(for: request, as: recipe)
      }
    } catch {
      refused.note(error, of: wanted.slowName)
      throw error
    }
    if found.isPartial, let part, CacheLifetime.field(ofPrivate: found.record) == nil {
      parts.insert(found, for: part)
    }
    return found
  }

  /// The refusal of work on a source of which other work was refused a short time ago; nil if it may be let in.
  private func foreseenRefusal(of result: CacheKey?, _ wanted: WantedImage) -> AdmissionRefusal? {
    refused.leastCost(of: wanted.slowName).flatMap {
      admission.foreseenRefusal(of: $0, for: result, by: wanted.client, deadline: wanted.deadline)
    }
  }

  /// True if a cache has a picture in this form, which a load may give however old it is.
  private func isKept(_ request: ImageRequest, _ recipe: EncodeRecipe) async -> Bool {
    var request = request
    request.context[.cachePolicy] = .forever
    return await stored(request, recipe) != nil
  }

  /// A picture that a cache has in this form, fresh or not.
  func stored(_ request: ImageRequest, _ recipe: EncodeRecipe) async -> EncodedImage? {
    var request = request
    request.options.insert(.fromCacheOnly)
    // An original in a cache would be encoded while the client waits.
    request.context[.originalQueryLayers] = []
    return try? await manager.encoded(for: request, as: recipe)
  }
}
