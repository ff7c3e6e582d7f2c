import Easel
import EaselService
import EaselSupport

/// A pair of secrets that signs URLs; it never shows its bytes.
struct SigningKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let key: [UInt8]
  let salt: [UInt8]
  /// The form of the URLs that it signs.
  var grammar = URLSigner.Grammar.imgproxy

  var description: String { "(not shown)" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
