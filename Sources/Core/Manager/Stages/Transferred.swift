import FoundationEssentials

/// How a transfer ended well.
enum Transferred: Sendable {
  case body(LoadedBody)
  case image(Image, generation: UInt64, turn: StoreTurn)
  case notModified(ResponseHead, requested: Date, received: Date)
}
