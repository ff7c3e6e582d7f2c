import CEaselCurl
import EaselCore

/// A body on its way to the sink.
final class IncomingBody {
  /// The head in the form that the sink gets.
  let head: ResponseHead
  /// The length of the body as it is sent; nil when it is not known.
  let announcedLength: Int?
  /// The length of the whole body, if this is the rest of a partial one.
  let joinedLength: Int?
  /// The content coding of the body; nil for none.
  let packing: String?
  /// True when only the end of the connection marks the end of the body.
  let endsWithConnection: Bool
  /// Set when the sink has accepted the head of a packed body.
  var unpacker: Unpacker?
  /// The number of bytes that have arrived, before they are unpacked.
  var packedCount = 0
  private(set) var isPausedInCurl = false
  /// True when curl finished before the sink did.
  var hasEndedInCurl = false

  init(_ head: ResponseHead, _ lines: ResponseLines, method: String, joinedLength: Int?) {
    self.head = head
    self.joinedLength = joinedLength
    announcedLength = lines.mayHaveBody(method: method) ? lines.announcedLength : nil
    packing = method == "HEAD" ? nil : lines.packing
    endsWithConnection = lines.endsWithConnection
  }

  /// Returns the value with which a callback makes curl keep the bytes and pause.
  func pauseCurl() -> Int {
    isPausedInCurl = true
    return easel_take_later()
  }

  /// Returns true once if curl keeps bytes, and must be told to continue.
  func takePauseInCurl() -> Bool {
    defer { isPausedInCurl = false }
    return isPausedInCurl
  }
}
