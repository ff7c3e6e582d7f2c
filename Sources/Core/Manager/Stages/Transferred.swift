import FoundationEssentials

/// How a transfer ended well.
enum Transferred: Sendable {
  case body(LoadedBody)
  case image(Image, generation: UInt64, turn: StoreTurn)
  case notModified(Confirmation)

  /// The server's word that nothing changed.
  struct Confirmation: Sendable {
    let head: ResponseHead
    let requested: Date
    let received: Date
    /// Since when it has been under way.
    let turn: StoreTurn
  }
}
