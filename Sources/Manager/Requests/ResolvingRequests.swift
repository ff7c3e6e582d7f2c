import EaselCore
import EaselSupport
import FoundationEssentials

/// Resolving a request once, and keeping the result in the request.
extension ImageRequest {
  /// Resolves the request for a manager.
  ///
  /// The first result is kept and reused.
  ///
  /// From then on the request keeps `owner` alive, so a manager passes a small object instead of itself.
  // Inlined, so that a request that is already resolved costs its caller neither a closure nor references to it.
  @inline(__always)
  package func resolved(
    with configuration: @autoclosure () -> ImageManager.Configuration, by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    if let known = slot.load(as: ResolvedRequest.self), known.owner === owner, known.hasItsOrigin { return known }
    return resolveAnew(with: configuration(), by: owner)
  }

  @inline(never)
  private func resolveAnew(
    with configuration: ImageManager.Configuration, by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    guard let fresh = newResolution(as: nil, configuration, owner) else { return nil }
    let kept = slot.fill(fresh)
    return kept.owner === owner && kept.origin == fresh.origin ? kept : fresh
  }

  /// Resolves the request for encoded bytes.
  ///
  /// The results for the first recipes are kept and reused.
  @inline(__always)
  func resolved(
    as recipe: EncodeRecipe, with configuration: @autoclosure () -> ImageManager.Configuration,
    by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    let known = slot.withLatest(as: EncodingResolution.self) { $0.find(recipe, owner) }
    if let known, known.hasItsOrigin { return known }
    return resolveAnew(as: recipe, with: configuration(), by: owner)
  }

  @inline(never)
  private func resolveAnew(
    as recipe: EncodeRecipe, with configuration: ImageManager.Configuration, by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    guard let fresh = newResolution(as: recipe, configuration, owner) else { return nil }
    slot.add { EncodingResolution(recipe, fresh, after: $0) }
    return fresh
  }

  private func newResolution(
    as recipe: EncodeRecipe?, _ configuration: ImageManager.Configuration, _ owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    if case .url(nil) = source { return nil }
    return CallDepth.resolving {
      ResolvedRequest(self, from: source, as: recipe, configuration: configuration, owner: owner)
    }
  }

  /// The reason why the request cannot be resolved.
  var whyUnresolved: ImageError {
    guard case .url(let url?) = source else { return ImageError(.invalidURL, "The URL is empty or cannot be read.") }
    return ImageError(
      .invalidRequest,
      "A plug-in that helps to resolve the request, such as an options processor or a cache key filter, calls the "
        + "manager, which calls the plug-in again, without an end. Let it decide without the manager.",
      subject: url.absoluteString)
  }
}

/// One resolution of a request for encoded bytes, linked to the one before it.
private final class EncodingResolution: Sendable {
  private let recipe: EncodeRecipe
  private let resolved: ResolvedRequest
  private let earlier: EncodingResolution?
  private let count: Int

  // Resolutions for further recipes are not kept, because a longer search would cost more than resolving again.
  private static let most = 16

  /// Creates a resolution after `earlier`; returns nil if there are enough of them.
  init?(_ recipe: EncodeRecipe, _ resolved: ResolvedRequest, after earlier: EncodingResolution?) {
    count = (earlier?.count ?? 0) + 1
    guard count <= Self.most else { return nil }
    self.recipe = recipe
    self.resolved = resolved
    self.earlier = earlier
  }

  func find(_ wanted: EncodeRecipe, _ owner: any AnyObject & Sendable) -> ResolvedRequest? {
    if resolved.owner === owner, recipe == wanted { return resolved }
    return earlier?.find(wanted, owner)
  }
}
