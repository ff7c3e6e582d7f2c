/// A plug-in told from others where it cannot or need not name itself.
///
/// An object is itself. A value that is `Hashable` is what it equals, whoever gives it. Any other value is known by
/// where it stands: one of a manager by the manager and the place it has there, and one of a load by the setting of the
/// context that holds it, which copies of that context share.
///
/// It keeps the plug-in alive, so that no other can take its place in memory while a key speaks of it.
struct PluginInstance: Sendable {
  private let object: any Sendable
  private let id: ObjectIdentifier
  private let place: String

  /// The plug-in of a load, which `setting` holds.
  init(_ plugin: any Sendable, heldBy setting: any AnyObject & Sendable) {
    self.init(plugin, value: PluginValue.of(plugin), ownedBy: setting, at: "")
  }

  /// The plug-in of a manager, which found its value out when it was made.
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

  /// Unlike that of any other instance that lives.
  var number: Int { Int(bitPattern: id) }
}

extension PluginInstance: Hashable {
  static func == (left: PluginInstance, right: PluginInstance) -> Bool {
    left.id == right.id && left.place == right.place
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
