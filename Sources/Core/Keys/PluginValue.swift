import EaselSupport

/// One object that stands for all equal plug-in values, as long as some code refers to it.
///
/// Keys compare these objects by identity, so that no plug-in code runs while keys are looked up under a lock.
package final class PluginValue: Sendable {
  private struct Kind: Hashable, Sendable {
    let type: ObjectIdentifier
    let hash: Int
  }

  private struct WeakValue: Sendable {
    let id: ObjectIdentifier
    weak var value: PluginValue?
  }

  private static let table = Locked<[Kind: [WeakValue]]>([:])

  private let plugin: any Sendable
  private let kind: Kind

  private init(_ plugin: any Sendable, _ kind: Kind) {
    self.plugin = plugin
    self.kind = kind
  }

  deinit {
    let id = ObjectIdentifier(self)
    Self.table.withLock { table in
      table[kind]?.removeAll { $0.id == id }
      if table[kind]?.isEmpty == true { table[kind] = nil }
    }
  }

  /// The object that stands for a plug-in; nil for a plug-in that is an object or not `Hashable`.
  package static func of(_ plugin: any Sendable) -> PluginValue? {
    if type(of: plugin) is AnyClass { return nil }
    return (plugin as? any Hashable).map { find($0, plugin) }
  }

  private static func find<Value: Hashable>(_ value: Value, _ plugin: any Sendable) -> PluginValue {
    let kind = Kind(type: ObjectIdentifier(Value.self), hash: value.hashValue)
    let fresh = PluginValue(plugin, kind)
    // Keeps the compared objects alive: after an object is released, a new one could get the same identity.
    var others: [PluginValue] = []
    while true {
      let living = table.withLock { table in
        let living = (table[kind] ?? []).compactMap(\.value)
        if living.allSatisfy({ one in others.contains { $0 === one } }) {
          table[kind, default: []].append(WeakValue(id: ObjectIdentifier(fresh), value: fresh))
        }
        return living
      }
      // The comparison runs outside the lock, because equality is plug-in code.
      let unknown = living.filter { one in !others.contains { $0 === one } }
      guard !unknown.isEmpty else { return fresh }
      if let same = unknown.first(where: { $0.plugin as? Value == value }) { return same }
      others += unknown
    }
  }
}
