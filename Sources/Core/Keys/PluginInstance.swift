import EaselSupport

/// Identifies a plug-in that has no name of its own.
///
/// An object is identified by itself, and a `Hashable` value by its equality. Any other value is identified by its
/// owner. The owner of a manager's plug-in is the manager, together with the plug-in's role. The owner of a load's
/// plug-in is the context setting that holds it; copies of the context share the setting.
///
/// The identity keeps its object alive, so that no other object gets the same address while a key refers to it.
package struct PluginInstance: Sendable {
  private let object: any Sendable
  private let id: ObjectIdentifier
  private let place: String

  /// Identifies a plug-in of a load, held by `setting`.
  package init(_ plugin: any Sendable, heldBy setting: any AnyObject & Sendable) {
    self.init(plugin, value: PluginValue.of(plugin), ownedBy: setting, at: "")
  }

  /// Identifies a plug-in of a manager, which looked up `value` once when it was created.
  package init(_ plugin: any Sendable, value: PluginValue?, ownedBy owner: any AnyObject & Sendable, at place: String) {
    if type(of: plugin) is AnyClass {
      object = plugin
      self.place = ""
    } else if let value {
      object = value
      self.place = ""
    } else {
      object = owner
      self.place = place
    }
    id = ObjectIdentifier(object as AnyObject)
  }

  /// A number that differs from those of all other living objects.
  package var number: Int { Int(bitPattern: id) }
}

extension PluginInstance: Hashable {
  package static func == (left: PluginInstance, right: PluginInstance) -> Bool {
    left.id == right.id && left.place == right.place
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// One object that stands for all equal plug-in values, as long as somebody refers to it.
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
    // Keeps the compared objects alive. After the release of one, a new object could get its identity.
    var others: [PluginValue] = []
    while true {
      let living = table.withLock { table in
        let living = (table[kind] ?? []).compactMap(\.value)
        if living.allSatisfy({ one in others.contains { $0 === one } }) {
          table[kind, default: []].append(WeakValue(id: ObjectIdentifier(fresh), value: fresh))
        }
        return living
      }
      // Compared outside the lock, because equality is plug-in code.
      let unknown = living.filter { one in !others.contains { $0 === one } }
      guard !unknown.isEmpty else { return fresh }
      if let same = unknown.first(where: { $0.plugin as? Value == value }) { return same }
      others += unknown
    }
  }
}
