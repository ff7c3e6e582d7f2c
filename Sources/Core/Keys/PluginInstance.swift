/// A plug-in that cannot name itself, told from others by being itself.
///
/// It keeps the plug-in alive, so that no other can take its place in memory while a key speaks of it. A plug-in that
/// is a value has no identity: nobody else can be asking with the same one, so a nameless object stands for it.
struct PluginInstance: Sendable {
  private let object: any Sendable
  private let id: ObjectIdentifier

  init(_ plugin: any Sendable) {
    object = type(of: plugin) is AnyClass ? plugin : Nameless()
    id = ObjectIdentifier(object as AnyObject)
  }

  /// Unlike that of any other instance that lives.
  var number: Int { Int(bitPattern: id) }

  private final class Nameless: Sendable {}
}

extension PluginInstance: Hashable {
  static func == (left: PluginInstance, right: PluginInstance) -> Bool { left.id == right.id }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
