/// Identifies a plug-in that has no name of its own.
///
/// An object is identified by itself, and a `Hashable` value by its equality. Any other value is identified by its
/// owner: for a manager's plug-in that is the manager and the plug-in's role in it; for a load's plug-in it is the
/// context setting that holds it, which copies of the context share.
///
/// The identity keeps its object alive, so that no other object gets the same address while a key refers to it.
struct PluginInstance: Sendable {
  private let object: any Sendable
  private let id: ObjectIdentifier
  private let place: String

  /// Identifies a plug-in of a load, held by `setting`.
  init(_ plugin: any Sendable, heldBy setting: any AnyObject & Sendable) {
    self.init(plugin, value: PluginValue.of(plugin), ownedBy: setting, at: "")
  }

  /// Identifies a plug-in of a manager, which looked up `value` once when it was created.
  init(_ plugin: any Sendable, value: PluginValue?, ownedBy owner: any AnyObject & Sendable, at place: String) {
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
  var number: Int { Int(bitPattern: id) }
}

extension PluginInstance: Hashable {
  static func == (left: PluginInstance, right: PluginInstance) -> Bool {
    left.id == right.id && left.place == right.place
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
