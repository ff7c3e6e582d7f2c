import EaselCore
import EaselHTTP

/// The settings of the core that change how work is done, so that only loads with equal settings share the work.
///
/// A plug-in states this for its settings; see ``EaselCore/ImageContext/Impact/sharing(_:by:)``. Settings of the core
/// may also come from the manager, so these rules compare resolved requests.
struct SharingRule: Sendable {
  /// The kinds of runs that loads with different values do not share.
  let runs: ImageContext.SharedRuns
  let isSame: @Sendable (ResolvedRequest, ResolvedRequest) -> Bool

  /// The rules, by the keys of the settings.
  static let all: [ObjectIdentifier: SharingRule] = [
    ContextKeys.cacheSerializer.id: SharingRule(runs: .picture) { $0.serializerInstance == $1.serializerInstance },
    ContextKeys.cache.id: SharingRule(runs: .picture) {
      $0.cacheInstance == $1.cacheInstance && $0.originalCacheInstance == $1.originalCacheInstance
    },
    ContextKeys.originalCache.id: SharingRule(runs: .picture) { $0.originalCacheInstance == $1.originalCacheInstance },
    ContextKeys.retryPolicy.id: SharingRule(runs: .transfer) { $0.retryInstance == $1.retryInstance },
    ContextKeys.limits.id: SharingRule(runs: .pixels) { $0.limits == $1.limits },
    ContextKeys.queryLayers.id: SharingRule(runs: .picture) { $0.layers.query == $1.layers.query },
    ContextKeys.originalQueryLayers.id: SharingRule(runs: .picture) {
      $0.layers.originalQuery == $1.layers.originalQuery
    },
    ContextKeys.headers.id: SharingRule(runs: .transfer) { $0.cacheUse.varyingFields == $1.cacheUse.varyingFields },
    ContextKeys.cachePolicy.id: SharingRule(runs: .transfer) { $0.cachePolicy == $1.cachePolicy },
  ]
}

extension ResolvedRequest {
  /// True when no setting of either request prevents them from sharing runs of this kind.
  func shares(_ runs: ImageContext.SharedRuns, with other: ResolvedRequest) -> Bool {
    self === other || !keepsApart(runs, from: other) && !other.keepsApart(runs, from: self)
  }

  private func keepsApart(_ runs: ImageContext.SharedRuns, from other: ResolvedRequest) -> Bool {
    context.settings.contains { setting in
      if let rule = SharingRule.all[setting.id] { return rule.runs.contains(runs) && !rule.isSame(self, other) }
      return setting.keepsApart(runs, other.context)
    }
  }

  /// True when no setting in the context can make the load fail, so that a failure may be remembered.
  ///
  /// Settings that are part of the original's key are ignored, because the failure is remembered under that key.
  var usesOnlyManagerSettings: Bool {
    if context[.damaged] != nil, decodeOptions.damaged == .refuse { return false }
    if context[.headers] != nil, !neutralHeaders.isEmpty { return false }
    return !context.settings.contains(where: \.forgetsFailures)
  }
}
