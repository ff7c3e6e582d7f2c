import EaselCore
import EaselHTTP

/// Calls `body` with a growing part of some bytes, as a transfer does: without copying the earlier bytes.
package func feed(_ bytes: [UInt8], inPiecesOf length: Int, _ body: (ImageBytes) throws -> Void) rethrows {
  let received = ReceivedBytes()
  for start in stride(from: 0, to: bytes.count, by: length) {
    let piece = bytes[start..<min(bytes.count, start + length)]
    precondition(piece.withUnsafeBytes { received.append($0) })
    try body(received.snapshot())
  }
}
