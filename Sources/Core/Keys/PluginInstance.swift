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

  /// Identifies a plug-in of a load, which `setting` holds.
  package init(_ plugin: any Sendable, heldBy setting: any AnyObject & Sendable) {
    self.init(plugin, value: PluginValue.of(plugin), ownedBy: setting, at: "")
  }

  /// Identifies a plug-in of a manager, which looked up `value` when the manager was created.
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
