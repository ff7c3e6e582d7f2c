/// Stands for a manager where keys and requests speak of it, without keeping it alive.
final class ManagerIdentity: Sendable {}
