import Easel
import EaselService
import EaselSupport

/// A text that nobody may see.
struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let text: String

  var description: String { "(not shown)" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
