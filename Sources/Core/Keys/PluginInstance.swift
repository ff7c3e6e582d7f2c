/// A plug-in told from others by being itself, where it cannot or need not name itself.
///
/// It keeps the plug-in alive, so that no other can take its place in memory while a key speaks of it. A plug-in that
/// is a value has no identity of its own: one of a manager is known by the manager and the place it has there, and one
/// of a load is like no other.
struct PluginInstance: Sendable {
  private let object: any Sendable
  private let id: ObjectIdentifier
  private let place: String

  /// The plug-in of a load.
  init(_ plugin: any Sendable) {
    self.init(plugin, ownedBy: Nameless(), at: "")
  }

  /// The plug-in of a manager.
  init(_ plugin: any Sendable, ownedBy owner: any AnyObject & Sendable, at place: String) {
    let isObject = type(of: plugin) is AnyClass
    object = isObject ? plugin : owner
    self.place = isObject ? "" : place
    id = ObjectIdentifier(object as AnyObject)
  }

  /// Unlike that of any other instance that lives.
  var number: Int { Int(bitPattern: id) }

  private final class Nameless: Sendable {}
}

extension PluginInstance: Hashable {
  static func == (left: PluginInstance, right: PluginInstance) -> Bool {
    left.id == right.id && left.place == right.place
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
