import EaselCore
import EaselHTTP
import EaselTiers
import FoundationEssentials

/// The marks of a load by which purges take effect.
///
/// The number of the newest purge of a source is a part of the key of its original, and so of everything that is made of
/// it. A load that runs while its source is purged is stored under the former key, where nobody looks any more.
enum PurgeMarks {
  /// The name of a source in purges: one for all spellings of its URL.
  static func name(of url: URL) -> String {
    let text = url.absoluteString
    return URLNormalForm.isPlain(text) ? text : URLNormalForm.text(of: text) ?? text
  }

  /// The name of the number in the scopes of keys.
  static let scopeName = "key." + Number.name

  fileprivate enum Number: ImageContext.Key {
    static let name = "purge"
    static let impact = ImageContext.Impact<String>.bytes { $0 }
  }

  fileprivate enum NewestTag: ImageContext.Key {
    static let name = "purgedtag"
    static let impact = ImageContext.Impact<UInt64>.neutral
  }
}

extension ContextKeys {
  /// The number of the newest purge of the source, which keeps originals apart from those before it.
  static let purgeNumber = ContextKey(PurgeMarks.Number.self)
  /// The number of the newest purge of any tag at the time of the request.
  static let newestTagPurge = ContextKey(PurgeMarks.NewestTag.self)
}

extension ServiceSettings {
  /// Adds the marks of a source to the context of its load.
  ///
  /// `cutOff` tells the times apart for which pictures may be used that are loaded while this server does not hear of
  /// purges; nil if it does.
  func mark(_ context: inout ImageContext, of url: URL, tags: [String], cutOff: String?) {
    if let cutOff {
      context[.purgeNumber] = "cut off \(cutOff)"
      // Others must not find it, and after a restart nobody.
      for layers in [ContextKeys.queryLayers, .storeLayers, .originalQueryLayers, .originalStoreLayers] {
        context[layers] = .memory
      }
      return
    }
    let number = purgeNumber(of: PurgeMarks.name(of: url), tags: tags)
    context[.purgeNumber] = number.own
    context[.newestTagPurge] = number.newestTag
  }

  /// The marks of a source by its name; nil for those that no purge has set.
  func purgeNumber(of source: String, tags: [String]) -> (own: String?, newestTag: UInt64?) {
    let numbers = values.purges.numbers(of: source, tags: tags + learnedTags[source])
    return (
      numbers.own > 0 ? "\(numbers.own)" : nil, numbers.newestTag > 0 ? numbers.newestTag : nil
    )
  }
}
